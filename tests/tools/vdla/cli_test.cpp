// SPDX-License-Identifier: Apache-2.0
// Bad input on the command line: exit status and message of each, and that nothing is lost.
#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "isa/spec/field.h"
#include "isa/spec/version.h"
#include "isa/variants/variants.h"
#include "kit/engine.h"
#include "kit/rtl.h"
#include "kit/systemc.h"
#include "runtime/container/module_file.h"
#include "runtime/container/sections.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;

bool has_rtl_of_tiny() { return kit::rtl_engine_built(isa::load_variant("tiny")); }

/// `bytes` of the text become the file.
std::string part(const std::string& from, std::size_t bytes, const std::string& to) {
  write_file(to, read_text(from).substr(0, bytes));
  return to;
}

/// All files of a folder, or one file: names and contents.
std::map<std::string, std::string> files_at(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {{"", read_text(path)}};
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), path).string()] = read_text(entry.path().string());
  return files;
}

/// A module with kernels of OpenCL was other bytes at each compile: names depended on addresses. Processes
/// have other addresses each (the system draws them), another environment and another folder for temporary
/// files.
TEST_F(Cli, AModuleIsTheSameBytesAtEachCompile) {
  const std::map<std::string, std::string> targets = {
      {"vdla", "--target vdla"}, {"cpu", "--target cpu"},           {"opencl", "--target opencl"},
      {"cuda", "--target cuda"}, {"emulator", "--target emulator"}, {"c", "--emit c --cpu-target x86-64"}};
  for (const auto& [target, flags] : targets) {
    SCOPED_TRACE(target);
    std::map<std::string, std::string> first;
    for (int i = 0; i < 2; ++i) {
      const std::string out = path("same_" + target), folder = path("temporary" + std::to_string(i));
      std::filesystem::remove_all(out);
      std::filesystem::create_directories(folder);
      const Outcome outcome = run_with(
          "TMPDIR=" + folder + " VDLA_TEST_PADDING=" + std::string(static_cast<std::size_t>(i) * 5000, 'x'),
          "compile " + example("digits.onnx") + " " + flags + " -o " + out);
      if (outcome.status != 0) {  // of a kit without that target, which says so
        EXPECT_EQ(outcome.status, 1) << outcome.err;
        EXPECT_EQ(i, 0) << outcome.err;
        EXPECT_NE(target, "vdla") << outcome.err;
        break;
      }
      if (i == 0) first = files_at(out);
      EXPECT_TRUE(files_at(out) == first);
    }
  }
}

TEST_F(Cli, WrongModelFilesAreNamedWithTheirFault) {
  const std::string out = " -o " + path("x.vdla");
  expect_error("compile " + path("none.onnx") + out, {"none.onnx", "No such file"});
  expect_error("compile '" VDLA_SOURCE_DIR "'" + out, {"it is a folder"});
  write_file(path("empty.tflite"), "");
  expect_error("compile " + path("empty.tflite") + out, {"empty.tflite", "is empty", "TFLite or ONNX"});
  write_file(path("words.onnx"), "yes\nno\nup\ndown\n");
  expect_error("compile " + path("words.onnx") + out, {"words.onnx", "truncated, corrupt, or no ONNX model"});
  write_file(path("words.tflite"), "yes\nno\nup\ndown\n");
  expect_error("compile " + path("words.tflite") + out, {"words.tflite", "identifier TFL3"});
  write_file(path("cut.tflite"), "\x1c...TFL3");
  expect_error("quantize " + path("cut.tflite") + " --calibration x.npy -o " + path("x.onnx"),
               {"cut.tflite", "the file is truncated or corrupt"});
  EXPECT_FALSE(std::filesystem::exists(path("x.vdla")));
}

TEST_F(Cli, ATruncatedModelIsNeverCompiled) {
  const std::string model = example("digits.onnx");
  const std::size_t size = read_text(model).size();
  for (std::size_t keep : {std::size_t{1}, std::size_t{64}, size / 4, size / 2, size - size / 8, size - 1})
    expect_error("compile " + part(model, keep, path("cut.onnx")) + " -o " + path("x.vdla"), {"cut.onnx"});
  EXPECT_FALSE(std::filesystem::exists(path("x.vdla")));
}

TEST_F(Cli, SaysItsVersion) {
  const Outcome outcome = run("--version");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, testing::StartsWith("vdla 0."));
}

TEST_F(Cli, RunTakesOneInput) {
  const std::string run_it = "run " + digits();
  expect_error(run_it, {"--input", "--random-input", "got neither"});
  expect_error(run_it + " --random-input 1 --input x.npy", {"--input", "--random-input", "got both"});
}

TEST_F(Cli, AnUnknownOperatorIsNamedWithItsNode) {
  std::string model = read_text(example("digits.onnx"));
  const std::string op = "Conv";
  bool changed = false;
  // The operator's type is a protobuf string: its length stands in front.
  for (std::size_t at = model.find("\x22\x04" + op); at != std::string::npos;
       at = model.find("\x22\x04" + op, at + 1)) {
    model.replace(at + 2, op.size(), "Vonc");
    changed = true;
  }
  ASSERT_TRUE(changed);
  write_file(path("vonc.onnx"), model);
  expect_error("compile " + path("vonc.onnx") + " -o " + path("x.vdla"),
               {"vonc.onnx", "Vonc at node '", "is no operator of ONNX"});
}

TEST_F(Cli, UnknownNamesListTheKnownOnes) {
  const std::string compile = "compile " + example("digits.onnx") + " -o " + path("x.vdla");
  expect_error(compile + " --variant foo", {"variant 'foo'", "paper", "tiny"});
  expect_error(compile + " --place foo=cpu", {"no node 'foo'", "conv1"});
  expect_error(compile + " --place conv1.conv=gpu", {"conv1.conv=gpu", "NODE=cpu", "vdla explain"});
  expect_error(compile + " --target gpu", {"--target", "gpu", "vdla,cpu", "vdla compile --help"}, 2);
  expect_error("run " + digits() + " --engine foo --random-input 1",
               {"--engine", "foo", "functional,systemc,rtl", "vdla run --help"}, 2);
  expect_error("frobnicate", {"'frobnicate'", "compile", "eval", "vdla --help"}, 2);
  EXPECT_FALSE(std::filesystem::exists(path("x.vdla")));
}

TEST_F(Cli, SpeedsOfTheHostAreFinitePositiveNumbers) {
  const std::string compile = "compile " + example("digits.onnx") + " -o " + path("x.vdla");
  for (const char* option : {"--host-gops", "--host-gbytes"})
    for (const char* value : {"nan", "inf", "0", "-1", "1e999", "fast"})
      expect_error(compile + " " + option + "=" + value,
                   {option, std::string("needs a positive number, got '") + value + "'"}, 2);
  expect_error(compile + " --device-start-us=nan", {"--device-start-us", "needs a number from 0, got 'nan'"},
               2);
  EXPECT_EQ(run(compile + " --host-gops 1.5 --host-gbytes 1e2 --device-start-us 0").status, 0);
}

TEST_F(Cli, ExplainPrintsNamesWholeAsPlaceTakesThem) {
  runtime::Module module = runtime::load(digits());
  const std::string name = "StatefulPartitionedCall/functional_1/conv2d/BiasAdd";
  module.nodes.at(0).name = name;
  runtime::save(module, path("long.vdla"));
  EXPECT_THAT(run("explain " + path("long.vdla")).out, HasSubstr("\n" + name + " "));
}

TEST_F(Cli, AModuleWithNothingOnTheDeviceHasNoCycles) {
  const std::string module = path("cpu.vdla");
  ASSERT_EQ(run("compile " + example("digits.onnx") + " -o " + module + " --target cpu").status, 0);
  const std::string run_it = "run " + module + " --random-input 1 --engine functional ";
  for (const std::string option : {"--record", "--timeline"})
    expect_error(run_it + option + " " + path("r.json"), {option, "cpu.vdla' has nothing on the device"});
  expect_error(run_it + "--compare rtl", {"--compare", "has nothing on the device"});
  EXPECT_FALSE(std::filesystem::exists(path("r.json")));
}

// Reading one sought its end first, and failed with "Illegal seek".
TEST_F(Cli, AModuleMayComeThroughAPipe) {
  const std::string module = digits("tiny"), rest = " --random-input 1 --json";
  const std::string command = "cat " + module + " | '" VDLA_BINARY_DIR "/bin/vdla' run /dev/stdin" + rest +
                              " >" + path("piped") + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_text(path("piped"));
  EXPECT_EQ(nlohmann::json::parse(read_text(path("piped"))).at("outputs"),
            nlohmann::json::parse(run("run " + module + rest).out).at("outputs"));
}

TEST_F(Cli, CompilePrintsThePeakOfActivationsBesideTheirSum) {
  const std::string compile = "compile " + example("digits.onnx") + " -o " + path("d.vdla") + " --no-on-chip";
  const auto out = nlohmann::json::parse(run(compile + " --json").out);
  EXPECT_GT(out["act_bytes"], 0);
  EXPECT_LT(out["act_bytes"], out["unshared_act_bytes"]);
  EXPECT_GT(out["host_arena_bytes"], 0);
  EXPECT_LE(out["host_arena_bytes"], out["unshared_host_arena_bytes"]);
  EXPECT_THAT(run(compile).out,
              HasSubstr("activations: " + out["act_bytes"].dump() + " bytes between layers on the device (" +
                        out["unshared_act_bytes"].dump() + " if none shared space)"));
}

TEST_F(Cli, LoopIrOfKernelsStandsWhereTheirLineTablesLead) {
  const std::string module = digits("tiny", "--kernel-lines");
  EXPECT_THAT(read_text(module + ".loop"), testing::StartsWith("func k_"));
  EXPECT_THAT(read_text(module), HasSubstr("digits_tiny.vdla.loop"));
}

TEST_F(Cli, WrongInputsNameWhatIsThereAndWhatIsNeeded) {
  const std::string run_it = "run " + digits() + " --input ";
  expect_error("run " + digits(), {"--input", "--random-input"});
  expect_error(run_it + path("none.npy"), {"none.npy", "No such file"});
  write_file(path("short.bin"), std::string(63, 'x'));
  expect_error(run_it + path("short.bin"), {"short.bin", "63 bytes", "256", "float32 1x1x8x8"});
  write_file(path("x.wav"), "x");
  expect_error(run_it + path("x.wav"), {"x.wav", "'.wav'", ".npy"});
  expect_error(run_it + part(example("images.npy"), 200, path("cut.npy")), {"cut.npy"});
  std::string other = read_text(example("images.npy"));
  other.replace(other.find("(48, 1, 8, 8)"), 13, "(48, 4, 4, 4)");
  write_file(path("other.npy"), other);
  expect_error("eval " + digits() + " --inputs " + path("other.npy"), {"other.npy", "4x4x4", "1x1x8x8"});
  expect_error(run_it + example("images.npy"), {"48 inputs", "vdla eval"});
  write_file(path("labels.csv"), "a,1\nb,2\n");
  expect_error("eval " + digits() + " --inputs " + example("images.npy") + " --labels " + path("labels.csv"),
               {"labels.csv", "2 rows", "48 inputs"});
}

TEST_F(Cli, WrongModulesAreNamedWithTheirFault) {
  const std::string module = digits();
  const std::string good = read_text(module);
  expect_error("run " + path("none.vdla") + " --random-input 1", {"none.vdla", "No such file"});
  expect_error("info " + example("digits.onnx"), {"digits.onnx", "is not a compiled module", "vdla compile"});
  expect_error("run " + part(module, 20, path("a.vdla")) + " --random-input 1", {"a.vdla", "truncated"});
  expect_error("explain " + part(module, good.size() - 1, path("b.vdla")), {"b.vdla", "truncated"});
  std::string other = good;
  other[8] = 99;
  write_file(path("c.vdla"), other);
  expect_error("run " + path("c.vdla") + " --random-input 1",
               {"c.vdla", "format version 99", "compile the model again"});
}

TEST_F(Cli, ADamagedModuleIsNeverRun) {
  const std::string good = read_text(digits());
  for (std::size_t at = 0; at < good.size(); at += good.size() / 24) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    write_file(path("bad.vdla"), bad);
    expect_error("run " + path("bad.vdla") + " --random-input 1", {"bad.vdla"});
  }
}

std::string little_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

/// A file whose checksum holds, but which claims another machine than its programs were made for.
TEST_F(Cli, AModuleForAnotherGeometryIsRefused) {
  std::vector<runtime::Section> sections = runtime::to_sections(runtime::load(digits()));
  runtime::Bytes& payload = sections.at(0).bytes;
  std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
  const std::string paper = little_endian(isa::geometry_hash(isa::load_variant("paper").geometry));
  const std::string tiny = little_endian(isa::geometry_hash(isa::load_variant("tiny").geometry));
  const std::size_t at = text.find(paper);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 8, tiny);
  std::memcpy(payload.data(), text.data(), text.size());
  runtime::write_module_file(runtime::pack(sections), path("other.vdla"));
  expect_error("run " + path("other.vdla") + " --random-input 1", {"other.vdla", "geometry hash"});
}

/// What a device says of itself; here that of an engine.
TEST_F(Cli, ADeviceSaysWhatItIs) {
  const Outcome shown = run("info --device --engine functional --variant wide");
  EXPECT_EQ(shown.status, 0) << shown.err;
  for (const isa::GeometryField& f : isa::kGeometryFields)
    EXPECT_THAT(shown.out, HasSubstr("\n  " + std::string(f.name) + " "));
  EXPECT_THAT(shown.out, AllOf(HasSubstr("ISA version  3\n"), HasSubstr("a simulator"),
                               HasSubstr("not stated"), HasSubstr("vdla compile NETWORK --variant wide")));
  expect_error("info --device", {"no device is named", "--uio vdla"});
  expect_error("info --engine functional", {"needs --device"});
  expect_error("info --device --uio none", {"none"});
  expect_error("info net.vdla --device", {"excludes"}, 2);
}

/// As a kit of the version before made it.
TEST_F(Cli, AModuleOfAnotherVersionOfTheIsaIsRefused) {
  std::vector<runtime::Section> sections = runtime::to_sections(runtime::load(digits()));
  runtime::Bytes& payload = sections.at(0).bytes;
  const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
  const std::size_t hash = text.find(little_endian(isa::geometry_hash(isa::load_variant("paper").geometry)));
  ASSERT_NE(hash, std::string::npos);
  // The version stands in the same table.
  const std::size_t begin = hash > 64 ? hash - 64 : 0;
  const std::size_t at = text.find(little_endian(isa::kIsaVersion).substr(0, 4), begin);
  ASSERT_LT(at, hash + 64);
  payload.at(at) = static_cast<std::byte>(isa::kIsaVersion - 1);
  runtime::write_module_file(runtime::pack(sections), path("old.vdla"));
  expect_error("run " + path("old.vdla") + " --random-input 1",
               {"old.vdla' was compiled for ISA version " + std::to_string(isa::kIsaVersion - 1),
                "; compile the model again"});
}

TEST_F(Cli, OutputsThatCannotBeWrittenKeepTheOldFile) {
  std::filesystem::create_directory(path("folder"));
  expect_error("compile " + example("digits.onnx") + " -o /nonexistent/x.vdla",
               {"/nonexistent/x.vdla: cannot be written: No such file"});
  expect_error("compile " + example("digits.onnx") + " -o " + path("folder"),
               {"folder: cannot be written: is a folder"});
  const std::string module = digits();
  expect_error("run " + module + " --random-input 1 --output /nonexistent/x.npy",
               {"/nonexistent/x.npy", "cannot be written"});
  const std::string before = read_text(module);
  expect_error("compile " + path("none.onnx") + " -o " + module, {"none.onnx"});
  EXPECT_EQ(read_text(module), before);
  if (std::filesystem::exists("/dev/full"))
    expect_error("run " + module + " --random-input 1 --output /dev/full/x.npy", {"/dev/full/x.npy"});
  EXPECT_FALSE(std::filesystem::exists(module + ".part"));
}

TEST_F(Cli, EnginesThatAreNotThereSayHowToGetThem) {
  setenv("XDG_CACHE_HOME", path("empty").c_str(), 1);  // the user's may hold an engine for `wide`
  const std::string module = digits("wide");
  if (!kit::have_systemc())
    expect_error("run " + module + " --engine systemc --random-input 1", {"SystemC", "libsystemc-dev"});
  // Both places that were looked at, and a remedy that writes to one of them.
  expect_error(
      "run " + module + " --engine rtl --random-input 1",
      {"no RTL engine for this geometry", VDLA_BINARY_DIR "/lib/vdla/rtl", path("empty") + "/vdla/rtl",
       "build it with 'vdla build-rtl --variant NAME|FILE --build fast', which writes to the latter"});
}

TEST_F(Cli, ADeviceOfThisMachineThatIsNotThereIsNamed) {
  ASSERT_EQ(run("compile " + example("digits.onnx") + " -o " + path("d.vdla") + " --variant tiny").status, 0);
  const std::string run_it = "run " + path("d.vdla") + " --random-input 1 --uio none";
  expect_error(run_it, {"no UIO device is named 'none'", "load the kernel module"});
  for (const std::string option : {"--engine rtl", "--timeline t.json", "--record r.json", "--timing-only"})
    expect_error(run_it + " " + option, {"--uio", option.substr(0, option.find(' '))}, 2);
  const std::string eval_it = "eval " + path("d.vdla") + " --inputs " + example("images.npy");
  expect_error(eval_it + " --uio none", {"no UIO device is named 'none'", "load the kernel module"});
  expect_error(eval_it + " --xrt card", {"--xrt is 'card', needs DEVICE:XCLBIN"});
  for (const std::string option : {"--engine rtl", "--xrt 0:x", "--board lab"})
    expect_error(eval_it + " --uio none " + option, {"--uio", option.substr(0, option.find(' '))}, 2);
}

TEST_F(Cli, CyclesOfTwoEnginesAreComparedLayerByLayer) {
  if (!kit::have_systemc() || !has_rtl_of_tiny())
    GTEST_SKIP() << "needs engines systemc and rtl: install libsystemc-dev and verilator, and build again";
  const std::string run_it = "run " + digits("tiny") + " --random-input 1 ";
  for (const char* flags : {"--engine systemc --compare rtl", "--engine rtl --compare systemc",
                            "--engine systemc --timing-only --compare rtl"}) {
    const Outcome outcome = run(run_it + flags + " --limit-total 0 --limit-layer 0 --json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto out = nlohmann::json::parse(outcome.out);
    const auto& c = out.at("comparison");
    EXPECT_EQ(c.at("equal"), true);
    EXPECT_EQ(c.at("layers").size(), out.at("layers").size());
    EXPECT_EQ(c.at("total").at("cycles"), out.at("cycles"));
    EXPECT_GT(c.at("total").at("other_cycles"), 1000);
    EXPECT_EQ(out.contains("outputs"), !out.at("timing_only").get<bool>());
  }
  EXPECT_THAT(run(run_it + "--engine systemc --compare rtl").out, testing::HasSubstr("+0    +0.000%"));
  expect_error(run_it + "--engine functional --compare rtl", {"functional", "--engine systemc or rtl"});
  write_file(path("t.json"), "old");
  expect_error(run_it + "--engine functional --timeline " + path("t.json"), {"--timeline needs an engine"});
  EXPECT_EQ(read_text(path("t.json")), "old");
  EXPECT_FALSE(std::filesystem::exists(path("t.json.part")));
  expect_error(run_it + "--engine functional --record " + path("r.json"), {"--record needs an engine"});
  expect_error(run_it + "--engine rtl --timing-only", {"--timing-only", "systemc", "rtl"});
  expect_error(run_it + "--engine systemc --timing-only --output " + path("x.npy"), {"--output"});
}

/// It aborted: the name of the program, which some commands start again, is a link below /proc.
TEST_F(Cli, AMachineWithoutProcIsASentence) {
  const std::string without = "unshare --mount sh -c 'mount -t tmpfs none /proc && exec \"$@\"' sh ";
  if (std::system((without + "true 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "needs a mount namespace of its own: run as root";
  const std::string vdla = without + "'" VDLA_BINARY_DIR "/bin/vdla' ", to = " 2>" + path("said");
  EXPECT_EQ(WEXITSTATUS(std::system((vdla + "info" + to).c_str())), 1);
  EXPECT_EQ(read_text(path("said")),
            "vdla: error: /proc/self/exe, which names this program: No such file or directory\n");
  EXPECT_EQ(WEXITSTATUS(std::system((vdla + "verify x.s" + to).c_str())), 2) << "1: findings";
}

TEST_F(Cli, JsonErrorsAreOneObject) {
  const Outcome outcome = run("run " + path("none.vdla") + " --random-input 1 --json");
  EXPECT_EQ(outcome.status, 1);
  const auto object = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(object["kind"], "user");
  EXPECT_THAT(object["error"].get<std::string>(), HasSubstr("none.vdla"));
}

TEST_F(Cli, TheDisassemblyOfAModuleAssemblesToTheSameText) {
  const Outcome listing = run("disasm " + digits());
  ASSERT_EQ(listing.status, 0) << listing.err;
  EXPECT_THAT(listing.out, testing::ContainsRegex("  ; [1-9][0-9]*: layer 'conv1.conv'"));
  write_file(path("digits.s"), listing.out);
  const std::string uops = " --uops " + path("digits.uop");
  ASSERT_EQ(run("asm " + path("digits.s") + " -o " + path("digits.bin") + uops).status, 0);
  const Outcome raw = run("disasm " + path("digits.bin") + uops);
  // Without the layers: "load ..  ; 12: layer 'conv1.conv' .." is "load ..  ; 12" of a raw stream.
  std::istringstream with_sources(listing.out);
  std::string text;
  for (std::string line; std::getline(with_sources, line);)
    text += line.substr(0, line.find(": layer ")) + "\n";
  EXPECT_EQ(raw.out, text);
  EXPECT_THAT(raw.out, HasSubstr("  ; 0\n"));
}

/// The name became an instruction in the text that `vdla disasm` writes.
TEST_F(Cli, ALineEndInALayersNameStaysInTheCommentOfTheDisassembly) {
  runtime::Module module = runtime::load(digits());
  const auto step = std::ranges::find_if(
      module.steps, [](const auto& s) { return std::holds_alternative<runtime::DeviceStep>(s); });
  ASSERT_NE(step, module.steps.end());
  const std::string name = "conv*/\nfinish 7\r";
  for (isa::SourceLayer& layer : std::get<runtime::DeviceStep>(*step).program.source_map.layers)
    layer.name = name;
  runtime::write_module_file(runtime::pack(runtime::to_sections(module)), path("named.vdla"));
  const Outcome listing = run("disasm " + path("named.vdla"));
  EXPECT_THAT(listing.out, HasSubstr(": layer 'conv_/\\u000afinish 7\\u000d'"));
  EXPECT_EQ(listing.out.find("\nfinish 7"), std::string::npos);
  const Outcome machine = run("disasm " + path("named.vdla") + " --json");
  EXPECT_THAT(nlohmann::json::parse(machine.out).dump(), HasSubstr("layer 'conv*/\\nfinish 7\\r'"));
}

TEST_F(Cli, MicroOpsOfASourceAreNotLost) {
  const std::string source =
      "gemm acc[0] = inp[0] * wgt[0] uops[0, 2]\nfinish 1\n.uop 1, 2, 3\n.uop 4, 5, 6\n";
  write_file(path("uops.s"), source);
  const std::string assemble = "asm " + path("uops.s") + " -o " + path("uops.bin");
  expect_error(assemble, {"uops.s", "2 micro-ops", "--uops FILE"});
  const Outcome outcome = run(assemble + " --uops " + path("uops.uop") + " --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["micro_ops"], 2);
  EXPECT_EQ(read_text(path("uops.uop")).size(), 16u);
  const Outcome listing = run("disasm " + path("uops.bin") + " --uops " + path("uops.uop"));
  EXPECT_EQ(listing.out,
            "gemm acc[0] = inp[0] * wgt[0] uops[0, 2]  ; 0\nfinish 1  ; 1\n.uop 1, 2, 3\n.uop 4, 5, 6\n");
  write_file(path("odd.uop"), "odd");
  expect_error("disasm " + path("uops.bin") + " --uops " + path("odd.uop"),
               {"odd.uop", "3 bytes", "multiple of 8"});
}

TEST_F(Cli, RecordedOutputsOfAnotherModelAreRefused) {
  write_file(path("golden.csv"), "a,1,2,3\n");
  expect_error(
      "eval " + digits() + " --limit 1 --inputs " + example("images.npy") + " --golden " + path("golden.csv"),
      {"golden.csv", "3 values", "output 'dense.dq' has 10"});
}

TEST_F(Cli, AModuleWithoutDeviceStepsRunsOnTheCpu) {
  const std::string module = digits("paper", "--target cpu");
  const Outcome outcome = run("eval " + module + " --inputs " + example("images.npy") + " --labels " +
                              example("labels.csv") + " --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto object = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(object["engine"], "cpu");
  EXPECT_EQ(object["count"], 48);
  EXPECT_GE(object["correct"], 45);
}

TEST_F(Cli, EveryEngineWritesTheSameOutputs) {
  const std::string module = digits();
  std::vector<std::string> outputs;
  for (const std::string& engine : kit::engine_names()) {
    if ((engine == "systemc" && !kit::have_systemc()) || (engine == "rtl" && !has_rtl_of_tiny())) continue;
    const std::string output = path(engine + ".npy");
    const Outcome outcome =
        run("run " + module + " --engine " + engine + " --random-input 3 --json --output " + output);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    outputs.push_back(read_text(output));
    EXPECT_EQ(outputs.back(), outputs.front()) << engine;
    const auto object = nlohmann::json::parse(outcome.out);
    if (engine == "functional") {
      EXPECT_FALSE(object.contains("cycles"));
      std::uint64_t bytes = 0, macs = 0;
      for (const auto& layer : object["layers"]) {
        EXPECT_FALSE(layer.contains("cycles"));
        EXPECT_FALSE(layer.at("tensor").get<std::string>().empty());
        bytes += layer["dram_bytes"].get<std::uint64_t>();
        macs += layer["macs"].get<std::uint64_t>();
      }
      // What is missing in the sum are the instructions themselves.
      EXPECT_GT(bytes, 0u);
      EXPECT_EQ((object["dram_bytes"].get<std::uint64_t>() - bytes) % isa::kInsnBytes, 0u);
      EXPECT_GT(macs, 0u);
      continue;
    }
    std::uint64_t sum = 0;
    for (const auto& layer : object["layers"]) sum += layer["cycles"].get<std::uint64_t>();
    EXPECT_GT(sum, 0u);
    EXPECT_LE(sum, object["cycles"].get<std::uint64_t>());
    EXPECT_NEAR(object["utilisation"].get<double>(),
                object["ideal_gemm_cycles"].get<double>() / object["cycles"].get<double>(), 1e-9);
  }
}

}  // namespace
}  // namespace vdla::tools
