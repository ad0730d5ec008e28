// SPDX-License-Identifier: Apache-2.0
// vdla doctor: what it finds, and that its status follows from it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "support/shell_word.h"
#include "tests/tools/run_command.h"

namespace vdla::tools {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run_command;
namespace fs = std::filesystem;

std::map<std::string, nlohmann::json> findings(const nlohmann::json& report) {
  std::map<std::string, nlohmann::json> parts;
  for (const auto& finding : report.at("findings")) parts[finding.at("part")] = finding;
  return parts;
}

TEST(DoctorCommand, EnginesGiveTheInterpretersBytes) {
  const CommandResult result = run_command("doctor --json");
  ASSERT_EQ(result.status, 0) << result.output;
  const auto report = nlohmann::json::parse(result.output);
  EXPECT_TRUE(report.at("healthy").get<bool>());
  auto parts = findings(report);
  EXPECT_EQ(parts["self test: compiler"]["health"], "ok");
  EXPECT_EQ(parts["self test: functional"]["health"], "ok");
  EXPECT_EQ(parts["self test: functional"]["text"], "the interpreter's bytes");
  for (const auto& [part, finding] : parts)
    EXPECT_EQ(finding["health"] == "ok", !finding.contains("remedy")) << part << " " << finding;
}

/// A kit with libraries of its own, beside which no user's cache counts.
class OwnKit {
 public:
  OwnKit() : folder_(::testing::TempDir() + "vdla_doctor_" + std::to_string(getpid())) {
    for (const fs::path& made : {folder_ / "bin", libraries(), cache()}) fs::create_directories(made);
    fs::copy(VDLA_BINARY_DIR "/bin/vdla", folder_ / "bin/vdla");
  }
  ~OwnKit() { fs::remove_all(folder_); }
  OwnKit(const OwnKit&) = delete;
  OwnKit& operator=(const OwnKit&) = delete;

  fs::path folder() const { return folder_; }
  fs::path libraries() const { return folder_ / "lib/vdla/rtl"; }
  fs::path cache() const { return folder_ / "my cache/vdla/rtl"; }
  CommandResult run(const std::string& arguments) const {
    return testing::run_program("env", "XDG_CACHE_HOME='" + (folder_ / "my cache").string() + "' '" +
                                           (folder_ / "bin/vdla").string() + "' " + arguments);
  }

 private:
  fs::path folder_;
};

/// A cache that cannot be read (here a ring of links, which is one to root, too) ended the whole command.
TEST(DoctorCommand, ACacheThatCannotBeReadIsAFinding) {
  const OwnKit kit;
  const fs::path cache = kit.folder() / "my cache";
  fs::remove_all(cache);
  fs::create_symlink(cache, cache);
  const CommandResult result = kit.run("doctor --json");
  ASSERT_EQ(result.status, 0) << result.output;
  auto parts = findings(nlohmann::json::parse(result.output));
  for (const std::string what : {"RTL libraries", "Linux of board qemu-pci", "modules of vdla board serve"}) {
    EXPECT_EQ(parts["cache: " + what]["health"], "lacks");
    EXPECT_THAT(parts["cache: " + what]["text"].get<std::string>(), HasSubstr(": cannot be read: "));
    EXPECT_TRUE(parts["cache: " + what].contains("remedy"));
  }
  EXPECT_EQ(parts["self test: functional"]["health"], "ok");
}

/// Name of the library that the kit has for `paper`; empty: it has no engine rtl.
std::string paper_library() {
  const auto info = nlohmann::json::parse(run_command("info --json").output);
  if (!info.at("engines").at("rtl").get<bool>()) return {};
  const auto& paper = info.at("variants").at(0);
  EXPECT_EQ(paper.at("name"), "paper");
  return "libvdla_rtl_" + paper.at("geometry_hash").get<std::string>() + "_fast.so";
}

TEST(DoctorCommand, ABrokenRtlLibraryEndsWithStatus1AndItsRemedy) {
  const std::string library = paper_library();
  if (library.empty()) GTEST_SKIP() << "needs engine rtl: install verilator and build again";
  const OwnKit kit;
  std::ofstream(kit.libraries() / library) << "no library";
  const CommandResult result = kit.run("doctor");
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("broken  self test: rtl: cannot load " + kit.folder().string()));
  EXPECT_THAT(result.output, HasSubstr("remedy: vdla build-rtl --variant paper"));
  EXPECT_THAT(result.output, HasSubstr("emptied by: rm -r '" + kit.cache().string() + "'"))
      << "a shell's word";
}

/// A library that needs level 5 of x86-64, which no CPU has: linked for level 3, the note changed.
void write_library_of_level_5(const fs::path& library) {
  const CommandResult linked = testing::run_program(
      VDLA_CXX, "-shared -nostdlib -Wl,-z,x86-64-v3 -x c++ /dev/null -o '" + library.string() + "'");
  ASSERT_EQ(linked.status, 0) << linked.output;
  std::ifstream file(library, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::string_view property("\x02\x80\x00\xc0\x04\x00\x00\x00", 8);  // X86_ISA_1_NEEDED, of four bytes
  const std::size_t at = bytes.find(property);
  ASSERT_NE(at, std::string::npos) << "the linker noted no level";
  bytes.at(at + property.size()) = 1 << 4;
  std::ofstream(library, std::ios::binary) << bytes;
}

TEST(DoctorCommand, AnRtlLibraryOfANewerCpuIsRefusedWithItsRemedy) {
  const std::string library = paper_library();
  if (library.empty()) GTEST_SKIP() << "needs engine rtl: install verilator and build again";
  const OwnKit kit;
#ifndef __x86_64__
  GTEST_SKIP() << "levels are those of x86-64";
#endif
  ASSERT_NO_FATAL_FAILURE(write_library_of_level_5(kit.libraries() / library));
  const std::string module = "'" + (kit.folder() / "digits.vdla").string() + "'";
  const CommandResult compiled =
      kit.run("compile '" VDLA_SOURCE_DIR "/examples/digits/digits.onnx' --variant paper -o " + module);
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  const std::string run_it = "run " + module + " --random-input 1 --engine rtl";

  const CommandResult refused = kit.run(run_it);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr(library + " is for CPUs of level x86-64-v5, this one has x86-64"));
  EXPECT_THAT(refused.output,
              HasSubstr("build it for this machine with 'vdla build-rtl --variant NAME|FILE --build fast'"));

  const CommandResult seen = kit.run("doctor --json");
  auto finding = findings(nlohmann::json::parse(seen.output))["RTL library: paper fast"];
  EXPECT_EQ(finding["health"], "lacks");
  EXPECT_THAT(finding["text"].get<std::string>(), HasSubstr("for CPUs of level x86-64-v5"));
  EXPECT_EQ(finding["remedy"],
            "vdla build-rtl --variant paper --build fast --out " + shell_word(kit.libraries().string()));

  // The user's own, made for this machine, takes its place.
  fs::copy(VDLA_BINARY_DIR "/lib/vdla/rtl/" + library, kit.cache() / library);
  const CommandResult ran = kit.run(run_it);
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(DoctorCommand, TheVersionNamesBuildAndInstructionSet) {
  const CommandResult result = run_command("--version");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, ::testing::MatchesRegex(
                                 "vdla [0-9.]+( \\(commit [0-9a-f]+\\))?, instruction set version [0-9]+, "
                                 "[A-Za-z]+ build\n"));
}

}  // namespace
}  // namespace vdla::tools
