// SPDX-License-Identifier: Apache-2.0
// Networks as firmware, as the page for its readers says: compiled to C, linked, run on QEMU's boards with
// engines behind them. The firmware compares the outputs with those of the compile.
#include <future>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/boards/firmware/simulated_board.h"
#include "tests/compiler/import/data.h"
#include "tests/tools/run_command.h"

namespace vdla::tools {
namespace {

using Json = nlohmann::json;

struct SimulatedBoard {
  const char *name, *cpu_target;
};

/// The parameter is a board.
class Classify : public OnSimulatedBoard, public ::testing::WithParamInterface<SimulatedBoard> {
 protected:
  static Json run_here(const std::string& module) {
    return Json::parse(
        vdla::testing::run_program(VDLA_BINARY_DIR "/bin/vdla",
                                   "run '" + module + "' --random-input 1 --engine " + kEngine + " --json")
            .output);
  }

  /// Compiles a network and makes the example of it, as the page for readers says; a session's report
  /// meanwhile.
  Json make_firmware(const std::string& network, const std::string& inputs, unsigned answers) const {
    const std::string net = path("net"), root = VDLA_SOURCE_DIR;
    const Outcome compiled = run("compile " + network + " --variant tiny --emit c --name net --cpu-target " +
                                 GetParam().cpu_target + " --answers " + inputs + " --most-answers " +
                                 std::to_string(answers) + " -o " + net);
    EXPECT_EQ(compiled.status, 0) << compiled.err;
    auto here = std::async(std::launch::async, run_here, net + "/net.vdla");
    const auto built = vdla::testing::run_program(
        root + "/boards/common/build_firmware.sh",
        std::string("--board ") + GetParam().name + " --no-driver -o " + path("net.elf") + " '" + root +
            "/examples/firmware/classify.c' $(find " + net + " -name '*.[ca]') -- -Werror -I " + net +
            " -I " + net + "/vdla");
    EXPECT_EQ(built.status, 0) << built.output;
    return here.get();
  }

  /// The board takes the cycles that a session takes here.
  void expect_cycles_of_a_session(const std::string& elf, const Json& here, unsigned answers) const {
    const Outcome outcome =
        run("board run '" + elf + "' --board " + GetParam().name + " --engine " + kEngine + " --json");
    ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    const Json board = Json::parse(outcome.out);
    EXPECT_EQ(board.at("status"), 0) << board;
    EXPECT_EQ(board.at("interrupts"), answers) << board;
    EXPECT_EQ(board.at("cycles"), answers * here.at("cycles").get<std::uint64_t>());
    for (unsigned i = 0; i < answers; ++i)
      EXPECT_THAT(board.at("output").get<std::string>(),
                  ::testing::ContainsRegex("#" + std::to_string(i) + ": class [0-9], " +
                                           here.at("cycles").dump() + " cycles\n"));
  }
};

TEST_P(Classify, Digits) {
  const std::string examples = VDLA_FIRMWARE_EXAMPLES, board = GetParam().name;
  expect_cycles_of_a_session(examples + "/classify-" + board + ".elf",
                             run_here(examples + "/digits-" + board + "/net.vdla"), 2);
}

/// What a firmware has beside its model: start-up code, driver, kernels. Sentences of errors are data.
TEST_P(Classify, CodeOfAFirmwareHasItsBudget) {
  constexpr unsigned kMostBytes = 16 * 1024;
  const auto sizes = vdla::testing::run_program("llvm-size-19", std::string("-A '") + VDLA_FIRMWARE_EXAMPLES +
                                                                    "/classify-" + GetParam().name + ".elf'");
  ASSERT_EQ(sizes.status, 0) << sizes.output;
  std::smatch text;
  ASSERT_TRUE(std::regex_search(sizes.output, text, std::regex("\\.text +([0-9]+)"))) << sizes.output;
  EXPECT_LE(std::stoul(text[1]), kMostBytes);
}

TEST_P(Classify, ResNet8) {
  VDLA_NEED_DATA();
  const std::string data = vdla::testing::data_folder().string();
  const Json here = make_firmware(data + "/mlperf_tiny/models/pretrainedResnet_quant.tflite",
                                  data + "/cifar10/cifar10_test_dev1000.bin", 1);
  expect_cycles_of_a_session(path("net.elf"), here, 1);
}

/// One command: the module becomes firmware, runs, and its outputs come back.
TEST_P(Classify, AModuleHasTheOutputsAndCyclesOfASession) {
  const std::string module = path("net.vdla"), on = " --board " + std::string(GetParam().name);
  ASSERT_EQ(run("compile " + example("digits.onnx") + " --variant tiny -o " + module).status, 0);
  const std::string words = " --random-input 3 --json --engine " + kEngine;
  const Json here = Json::parse(run("run " + module + words).out);
  const Outcome outcome = run("board run " + module + on + words);
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const Json board = Json::parse(outcome.out);
  EXPECT_EQ(board.at("cycles"), here.at("cycles"));
  EXPECT_EQ(board.at("interrupts"), 1);
  EXPECT_EQ(board.at("/outputs/0/values"_json_pointer), here.at("/outputs/0/values"_json_pointer));
  EXPECT_EQ(board.at("output"), "");
  const Outcome unwired = run("board run " + module + on + " --random-input 3 --no-interrupt");
  EXPECT_EQ(unwired.status, 0) << unwired.err;
  // Nothing is said of the wire where so short a run has ended before the firmware waits for it;
  // board_run_test has a long one.
  EXPECT_THAT(unwired.out, ::testing::HasSubstr("output 'dense' (1x10): "));
  expect_error("board run " + module + on, {"--input FILE or --random-input SEED, got neither"});
  expect_error("board run " + module + on + " --random-input 1 --argument x",
               {"--argument, --file and --kernel are for programs of Linux"});
  expect_error("board run " + module + on + " --random-input 1 --variant 1x16x8",
               {"compiled for variant tiny, cannot run on board", "block_in is 16, needs 4",
                "vdla compile NETWORK --variant 1x16x8"});
}

INSTANTIATE_TEST_SUITE_P(Boards, Classify,
                         ::testing::Values(SimulatedBoard{"qemu-zynq", "armv7"},
                                           SimulatedBoard{"qemu-zynqmp", "aarch64"}),
                         [](const auto& info) { return std::string(info.param.cpu_target); });

}  // namespace
}  // namespace vdla::tools
