// SPDX-License-Identifier: Apache-2.0
// vdla compile --emit c, and what firmware needs room for (vdla explain --memory).
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;

TEST_F(Cli, EmitCWritesAFolderWhosePageSaysHowToBuildIt) {
  const std::string folder = path("deep/digits.c99");
  const auto result = run("compile " + example("digits.onnx") +
                          " --emit c --name seven --cpu-target aarch64 -o " + folder + " --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["output"], folder);
  EXPECT_EQ(report["firmware"]["device_memory_bytes"].get<int>() % 4096, 0);
  for (const char* file :
       {"seven.h", "seven.c", "seven_data.c", "libseven_kernels.a", "vdla/driver/mmio/mmio.c"})
    EXPECT_TRUE(std::filesystem::is_regular_file(folder + "/" + file)) << file;
  EXPECT_THAT(read_text(folder + "/README.md"),
              AllOf(HasSubstr("`vdla compile digits.onnx --emit c --name seven --cpu-target aarch64`"),
                    HasSubstr("add_subdirectory(seven)"),
                    HasSubstr("| DMA memory | " + report["firmware"]["device_memory_bytes"].dump())));
  EXPECT_EQ(run("run " + folder + "/seven.vdla --random-input 1").status, 0);
}

TEST_F(Cli, EmitCNamesLayersOnTheCpuThatComputeInFloatingPoint) {
  std::ofstream(path("real.graph")) << "graph \"real\" input %x: int8[1, 8] scale 0.5 zero 3\n"
                                       "%real = dequantize \"real numbers\"(%x) output %real\n";
  const std::string compile =
      "compile " + path("real.graph") + " --emit c --name net --cpu-target armv7 -o " + path("net");
  const std::string note = "computes in floating point on the CPU: real numbers; quantize the network";
  EXPECT_THAT(run(compile).err, HasSubstr("note: " + note));
  EXPECT_THAT(nlohmann::json::parse(run(compile + " --json").out).at("notes").dump(), HasSubstr(note));
  const std::string integers =
      "compile " + example("digits.onnx") + " --emit c --name net --cpu-target armv7 -o " + path("net");
  EXPECT_EQ(run(integers).err, "");
}

/// Names of ports and of the network are those of types and variables around them.
TEST_F(Cli, EmitCWritesWhatACompilerTakes) {
  std::ofstream(path("names.graph")) << "graph \"g\" input %x \"size_t\": int8[1, 4, 4, 8]\n"
                                        "input %y \"int8_t\": int8[1, 4, 4, 8]\n"
                                        "input %z \"vdla_model_run\": int8[1, 4, 4, 8]\n"
                                        "%a = add(%x, %y) %b = add(%a, %z) output %b\n";
  const std::string folder = path("named");
  const std::string compiler = " --emit c --name net --cpu-target x86-64 -o " + folder;
  ASSERT_EQ(run("compile " + path("names.graph") + " --target cpu" + compiler).status, 0);
  const std::string readme = read_text(folder + "/README.md");
  const std::size_t begin = readme.find("```c\n") + 5, end = readme.find("```", begin);
  std::ofstream(folder + "/readme.c") << readme.substr(begin, end - begin);
  const std::string cc = "cd '" + folder + "' && cc -std=c99 -Werror -I. -Ivdla -c net.c readme.c";
  EXPECT_EQ(std::system(cc.c_str()), 0);
}

/// The self test of a firmware compared with the outputs of the model before.
TEST_F(Cli, EmitCRemovesWhatAnEarlierRunMadeAndThisOneDoesNot) {
  const std::string folder = path("again");
  const std::string compile =
      "compile " + example("digits.onnx") + " --emit c --name net --cpu-target x86-64 -o " + folder;
  ASSERT_EQ(run(compile + " --answers " + example("images.npy")).status, 0);
  ASSERT_TRUE(std::filesystem::exists(folder + "/net_answers.c"));
  std::ofstream(folder + "/mine.c") << "int mine;\n";
  const auto again = run(compile);
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.err, HasSubstr("removed net_answers.h, net_answers.c"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/net_answers.c"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/mine.c"));
}

/// It wrote "inf.0F", which no compiler takes, and 0 for what is too small.
TEST_F(Cli, EmitCNamesAScaleThatNoFloatHas) {
  for (const std::string scale : {"1e300", "1e-60"}) {
    std::ofstream(path("scale.graph"))
        << "graph \"g\" input %x \"x\": int8[1, 4, 4, 8] scale " << scale
        << " zero 3 model float32[1, 4, 4, 8]\n"
           "%a = softmax \"k\"(%x) {input = [1200000000, 20], diff_min = -100} output %a\n";
    expect_error("compile " + path("scale.graph") + " --emit c --cpu-target x86-64 -o " + path("scaled"),
                 {"'x' has scale 1e", "C code needs one that is above 0 and finite in a float"});
  }
}

TEST_F(Cli, EmitCRefusesWhatDoesNotFitItBeforeAnythingIsWritten) {
  const std::string compile = "compile " + example("digits.onnx") + " -o ";
  expect_error(compile + path("net") + " --emit c",
               {"'conv1.conv/taps' runs on the CPU", "--cpu-target armv7"});
  expect_error(compile + path("net.vdla") + " --emit c", {"--emit c writes a folder"}, 2);
  expect_error(compile + path("net.vdla") + " --cpu-target cortex-m4",
               {"--cpu-target cortex-m4 has no Linux", "--emit c makes firmware for it"});
  expect_error(compile + path("net.vdla") + " --cpu-target armv7 --cpu-native",
               {"--cpu-native is for code that runs on this machine"});
  expect_error(compile + path("net") + " --emit c --cpu-target armv7,aarch64",
               {"--cpu-target has 2 names, and firmware is for one CPU"});
  expect_error(compile + path("net") + " --emit c --cpu-target armv7 --cpu-native",
               {"--cpu-native is for code that runs on this machine"});
  expect_error(compile + path("net") + " --emit c --cpu-target armv8", {"armv8", "did you mean 'armv7'"}, 2);
  expect_error(compile + path("net") + " --emit c --name 7up --cpu-target armv7",
               {"'7up' begins symbols of C"});
  EXPECT_FALSE(std::filesystem::exists(path("net")));
}

TEST_F(Cli, ACommandInAReadmeRunsWhereNamesHaveSpaces) {
  std::filesystem::copy(example("digits.onnx"), path("my net.onnx"));
  const auto result =
      run("compile '" + path("my net.onnx") + "' --emit c --name net --cpu-target x86-64 -o " + path("net"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(read_text(path("net") + "/README.md"),
              HasSubstr("(`vdla compile 'my net.onnx' --emit c --name net --cpu-target x86-64`)"));
}

TEST_F(Cli, EmitCWithAnswersHasInputsWithTheOutputsThatRunGives) {
  const std::string folder = path("answers");
  const auto result =
      run("compile " + example("digits.onnx") + " --emit c --name net --cpu-target x86-64 --answers " +
          example("images.npy") + " --most-answers 3 -o " + folder);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(
      read_text(folder + "/net_answers.h"),
      AllOf(HasSubstr("#define NET_ANSWERS 3"), HasSubstr("extern const int8_t net_answer_input0[3][64];"),
            HasSubstr("extern const int8_t net_answer_output0[3][10];")));
  EXPECT_THAT(read_text(folder + "/net_answers.c"), HasSubstr("images#2"));
}

TEST_F(Cli, MemoryOfAModuleIsThatOfItsWindowsInWholeBlocks) {
  const std::string module = digits("tiny");
  const auto memory =
      nlohmann::json::parse(run("explain " + module + " --memory --board qemu-zynq --json").out)["memory"];
  std::uint64_t blocks = 0;
  for (const auto& row : memory["windows"])
    blocks += (row["bytes"].get<std::uint64_t>() + 4095) / 4096 * 4096;
  for (const auto& row : memory["windows"]) EXPECT_EQ(row["alignment"], 4096);
  EXPECT_GT(blocks, 0u);
  EXPECT_EQ(memory["device_bytes"], blocks);
  EXPECT_EQ(memory["board"]["fits"], true);
  EXPECT_EQ(memory["board"]["address_bits"], 32);
  EXPECT_EQ(memory["board"]["device_tree"],
            "vdla_memory: vdla@10000000 { reg = <0x10000000 0x4000000>; no-map; };");
  EXPECT_THAT(run("explain " + module + " --memory --board qemu-zynqmp").out,
              AllOf(HasSubstr(std::to_string(blocks) + " bytes of the device's memory, in blocks of 4096"),
                    HasSubstr("reg = <0x0 0x10000000 0x0 0x4000000>; no-map;")));
  const auto pci = nlohmann::json::parse(read_text(VDLA_SOURCE_DIR "/boards/qemu-pci/board.json"));
  const std::uint64_t reserved =
      std::stoull(pci.at("/memory/bytes"_json_pointer).get<std::string>(), nullptr, 0);
  EXPECT_THAT(run("explain " + module + " --memory --board qemu-pci").out,
              HasSubstr("board qemu-pci: " + std::to_string(reserved) + " bytes are the accelerator's"))
      << "the guest's driver says where";
  expect_error("explain " + module + " --memory --board pynq", {"pynq"});
}

TEST_F(Cli, ABoardWhoseMemoryIsTooSmallIsToldWhatItNeeds) {
  std::string board = read_text(std::string(VDLA_SOURCE_DIR) + "/boards/qemu-zynq/board.json");
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(board.find(from), std::string::npos) << from;
    board.replace(board.find(from), from.size(), to);
  };
  replace("\"0x04000000\"", "\"0x2000\"");
  replace("\"name\": \"qemu-zynq\"", "\"name\": \"small\"");
  std::filesystem::create_directories(path("small"));
  std::ofstream(path("small/board.json")) << board;
  const auto result = run("explain " + digits("paper") + " --memory --board " + path("small"));
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr(
                "board small: 8192 bytes at 0x10000000, through a port with addresses of 32 bits, are the "
                "accelerator's: "),
            HasSubstr(" too few; change memory in its board.json"), HasSubstr("reg = <0x10000000 0x100000>"),
            HasSubstr("the board has another array, variant tiny: compile with --variant board:" +
                      path("small") + "\n")));
}

}  // namespace
}  // namespace vdla::tools
