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

  /// An example of the tree that is built for the board.
  static std::string built(const std::string& program) {
    return std::string(VDLA_FIRMWARE_EXAMPLES) + "/" + program + "-" + GetParam().name + ".elf";
  }

  /// Compiles a network and makes the example of it, as the page for readers says; a session's report
  /// meanwhile.
  Json make_firmware(const std::string& network, const std::string& inputs, unsigned answers,
                     const std::string& options) const {
    const std::string net = path("net");
    const Outcome compiled = run("compile " + network + " --variant tiny --emit c --name net --cpu-target " +
                                 GetParam().cpu_target + " --answers " + inputs + " --most-answers " +
                                 std::to_string(answers) + " -o " + net);
    EXPECT_EQ(compiled.status, 0) << compiled.err;
    auto here = std::async(std::launch::async, run_here, net + "/net.vdla");
    const auto linked = vdla::testing::run_program(
        VDLA_SOURCE_DIR "/boards/firmware/build_firmware.sh",
        std::string("--board ") + GetParam().name + " --no-driver " + options + " -o " + path("net.elf") +
            " '" VDLA_SOURCE_DIR "/examples/firmware/classify.c' $(find " + net +
            " -name '*.[ca]') -- -Werror -I " + net + " -I " + net + "/vdla");
    EXPECT_EQ(linked.status, 0) << linked.output;
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

constexpr std::uint64_t kBudget = 16 * 1024;

std::uint64_t bytes_of_section(const std::string& elf, const std::string& section) {
  const auto sizes = vdla::testing::run_program("llvm-size-19", "-A '" + elf + "'");
  std::smatch bytes;
  if (!std::regex_search(sizes.output, bytes, std::regex("\\." + section + " +([0-9]+)")))
    throw std::runtime_error(sizes.output);
  return std::stoull(bytes[1]);
}

/// Of the symbols net_..., which are the model's constants, its answers and kernels, those that take room in
/// a file.
std::uint64_t bytes_of_the_model(const std::string& elf) {
  const auto symbols = vdla::testing::run_program("llvm-nm-19", "-S '" + elf + "'");
  const std::regex own("[0-9a-f]+ ([0-9a-f]+) [tTrRdD] net_");
  std::uint64_t bytes = 0;
  for (std::sregex_iterator at(symbols.output.begin(), symbols.output.end(), own), end; at != end; ++at)
    bytes += std::stoull((*at)[1], nullptr, 16);
  return bytes;
}

/// Start-up code, driver, texts, the tables of steps.
std::uint64_t bytes_beside_the_model(const std::string& elf) {
  std::uint64_t bytes = 0;
  for (const char* section : {"text", "rodata", "data"}) bytes += bytes_of_section(elf, section);
  return bytes - bytes_of_the_model(elf);
}

TEST_P(Classify, Digits) {
  const std::string module = std::string(VDLA_FIRMWARE_EXAMPLES) + "/digits-" + GetParam().name + "/net.vdla";
  const Json here = run_here(module);
  expect_cycles_of_a_session(built("classify"), here, 2);
  expect_cycles_of_a_session(built("classify_without_texts"), here, 2);
}

/// Sentences of errors are data.
TEST_P(Classify, CodeOfAFirmwareHasItsBudget) {
  EXPECT_LE(bytes_of_section(built("classify"), "text"), kBudget);
}

TEST_P(Classify, WithoutTextsAllThatAFirmwareHasBesideItsModelFitsTheBudget) {
  EXPECT_LE(bytes_beside_the_model(built("classify_without_texts")), kBudget);
  EXPECT_GT(bytes_beside_the_model(built("classify")), kBudget) << "the option is worth its name";
}

/// The status, then for each number of the geometry that differs its place, the device's and the model's.
TEST_P(Classify, WithoutTextsStatusAndNumbersAreToldAllTheSame) {
  const Outcome outcome = run("board run '" + built("classify_without_texts") + "' --board " +
                              GetParam().name + " --variant 1x16x8 --engine functional");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, ::testing::StartsWith("status 4 of load:  1 10 4"));
}

TEST_P(Classify, ResNet8) {
  VDLA_NEED_DATA();
  const std::string data = vdla::testing::data_folder().string();
  const Json here = make_firmware(data + "/mlperf_tiny/models/pretrainedResnet_quant.tflite",
                                  data + "/cifar10/cifar10_test_dev1000.bin", 1, "--without-texts");
  expect_cycles_of_a_session(path("net.elf"), here, 1);
  EXPECT_LE(bytes_beside_the_model(path("net.elf")), kBudget);
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
  EXPECT_THAT(unwired.out, ::testing::HasSubstr("output 'dense.dq' (1x10): "));
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
