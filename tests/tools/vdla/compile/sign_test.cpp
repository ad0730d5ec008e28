// SPDX-License-Identifier: Apache-2.0
// vdla keygen, sign, info MODULE, --trust, --interpret.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "runtime/container/module_file.h"
#include "runtime/container/sections.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Cli, TrustTakesWhatItsKeySigned) {
  const std::string module = digits("tiny");
  ASSERT_EQ(run("keygen " + path("mine")).status, 0);
  ASSERT_EQ(run("keygen " + path("other")).status, 0);
  const std::string trust = " --trust " + path("mine.pub");
  for (const std::string& command :
       {"run " + module + " --random-input 1", "explain " + module, "info " + module, "disasm " + module,
        "eval " + module + " --inputs " + example("images.npy")})
    expect_error(command + trust, {"is not signed", "vdla sign"});
  expect_error("verify " + module + trust, {"is not signed"}, 2);

  const std::string before = nlohmann::json::parse(run("info " + module + " --json").out)["sha256"];
  ASSERT_EQ(run("sign " + module + " --key " + path("mine.key")).status, 0);
  const auto info = nlohmann::json::parse(run("info " + module + " --json" + trust).out);
  EXPECT_EQ(info["sha256"], before);
  EXPECT_THAT(read_text(path("mine.pub")), HasSubstr(info["signed_by"].get<std::string>()));
  EXPECT_EQ(run("run " + module + " --random-input 1" + trust).status, 0);
  EXPECT_EQ(run("verify " + module + trust).status, 0);

  ASSERT_EQ(run("sign " + module + " --key " + path("other.key") + " -o " + path("others.vdla")).status, 0);
  expect_error("run " + path("others.vdla") + " --random-input 1" + trust,
               {"others.vdla' is signed with key", "not with the trusted key"});
  EXPECT_EQ(run("explain " + module + trust).status, 0);  // -o left it as it was
}

TEST_F(Cli, AKeyIsNeverWrittenOverAndTheSecretOneIsTheOwnersAlone) {
  ASSERT_EQ(run("keygen " + path("mine")).status, 0);
  const std::string secret = read_text(path("mine.key"));
  struct stat status{};
  ASSERT_EQ(stat(path("mine.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  expect_error("keygen " + path("mine"), {"mine.pub", "File exists", "choose another name"});
  std::filesystem::remove(path("mine.pub"));
  expect_error("keygen " + path("mine"), {"mine.key", "File exists", "choose another name"});
  EXPECT_EQ(read_text(path("mine.key")), secret);
  EXPECT_FALSE(std::filesystem::exists(path("mine.pub")));
}

/// The secret key stayed where the public one could not be written.
TEST_F(Cli, AKeyIsWrittenWithItsOtherHalfOrNotAtAll) {
  for (const std::string end : {".key", ".pub"}) {
    std::filesystem::create_symlink("nowhere", path("mine" + end));
    expect_error("keygen " + path("mine"), {"mine" + end, "File exists"});
    EXPECT_FALSE(std::filesystem::exists(path(end == ".key" ? "mine.pub" : "mine.key")));
    std::filesystem::remove(path("mine" + end));
  }
  const std::string full =
      "(ulimit -f 0; '" VDLA_BINARY_DIR "/bin/vdla' keygen " + path("mine") + ") 2>&1 | cat >" + path("said");
  ASSERT_EQ(std::system(full.c_str()), 0);
  EXPECT_THAT(read_text(path("said")), HasSubstr("cannot write key '" + path("mine")));
  EXPECT_THAT(read_text(path("said")), HasSubstr("': File too large"));
  EXPECT_FALSE(std::filesystem::exists(path("mine.key")) || std::filesystem::exists(path("mine.pub")));
}

TEST_F(Cli, TheWrongKeyFile) {
  ASSERT_EQ(run("keygen " + path("mine")).status, 0);
  const std::string module = digits("tiny"), bytes = read_text(module);
  expect_error("sign " + module + " --key " + path("mine.pub"), {"mine.pub' is a public key", "NAME.key"});
  expect_error("run " + module + " --random-input 1 --trust " + path("mine.key"),
               {"mine.key' is a secret key", "NAME.pub"});
  expect_error("run program.s --trust " + path("mine.pub"), {"--trust is for compiled modules", "program.s"});
  expect_error("info --trust " + path("mine.pub"), {"--trust is for compiled modules"});
  EXPECT_EQ(read_text(module), bytes);
}

TEST_F(Cli, ProvenanceNamesNoPlaceOfTheMachine) {
  const std::string module = digits("tiny", "--place conv1.conv=cpu");
  EXPECT_THAT(read_text(module), Not(HasSubstr(VDLA_SOURCE_DIR)));
  EXPECT_THAT(read_text(module), Not(HasSubstr(path(""))));
  const auto from = nlohmann::json::parse(run("info " + module + " --json").out)["provenance"];
  EXPECT_EQ(from["command"], "vdla compile digits.onnx --variant tiny --place conv1.conv=cpu");
  EXPECT_EQ(from["model_file"], "digits.onnx");
  EXPECT_EQ(from["model_sha256"], runtime::to_string(runtime::hash_of_file(example("digits.onnx"))));
}

TEST_F(Cli, AModuleDoesNotDependOnItsName) {
  const std::string compile = "compile " + example("digits.onnx") + " -o ";
  ASSERT_EQ(run(compile + path("a.vdla")).status, 0);
  ASSERT_EQ(run(compile + path("b.vdla")).status, 0);
  EXPECT_EQ(read_text(path("a.vdla")), read_text(path("b.vdla")));
}

TEST_F(Cli, SectionsThatThisKitDoesNotKnowAreNamed) {
  const runtime::Bytes file = runtime::read_module_file(digits("tiny"));
  std::vector<runtime::Section> sections = runtime::to_sections(runtime::parse(file, "digits"));
  sections.push_back({"x-notes", false, runtime::Bytes(5)});
  runtime::write_module_file(runtime::pack(sections), path("notes.vdla"));
  EXPECT_THAT(run("explain " + path("notes.vdla")).out,
              HasSubstr("does not know, kept as they are: x-notes"));
  EXPECT_THAT(run("info " + path("notes.vdla")).out, HasSubstr("x-notes"));
  sections.back() = {"new-code", true, runtime::Bytes(5)};
  runtime::write_module_file(runtime::pack(sections), path("new.vdla"));
  expect_error("run " + path("new.vdla") + " --random-input 1", {"needs section 'new-code'", "newer kit"});
  const Outcome info = run("info " + path("new.vdla"));
  EXPECT_EQ(info.status, 1);
  EXPECT_THAT(info.out, HasSubstr("new-code"));
}

/// With garbage in the place of its machine code.
TEST_F(Cli, InterpretLoadsNoMachineCode) {
  runtime::Module module = runtime::load(digits("tiny"));
  ASSERT_FALSE(module.objects.empty());
  for (auto& object : module.objects) std::ranges::fill(object.elf, std::byte{0xcc});
  runtime::save(module, path("broken.vdla"));
  const std::string run_it = "run " + path("broken.vdla") + " --random-input 1";
  expect_error(run_it, {"cannot load the module's host kernels"});
  const Outcome interpreted = run(run_it + " --interpret --output " + path("a.npy"));
  EXPECT_EQ(interpreted.status, 0) << interpreted.err;
  ASSERT_EQ(run("run " + digits("tiny") + " --random-input 1 --output " + path("b.npy")).status, 0);
  EXPECT_EQ(read_text(path("a.npy")), read_text(path("b.npy")));
  EXPECT_EQ(
      run("eval " + path("broken.vdla") + " --limit 3 --interpret --inputs " + example("images.npy")).status,
      0);
}

TEST_F(Cli, HelpSaysThatModulesAreCode) {
  for (const std::string command : {"run", "eval"})
    EXPECT_THAT(run(command + " --help").out, HasSubstr("A module carries machine code"));
}

}  // namespace
}  // namespace vdla::tools
