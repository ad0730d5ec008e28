// SPDX-License-Identifier: Apache-2.0
// vdla over XRT, as users call it: modules and the self test on XRT's emulation, and what is said of a card
// that cannot be had.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kit/xrt_device.h"
#include "sim/host/companion.h"
#include "sim/host/xclbin.h"
#include "tests/boards/firmware/simulated_board.h"
#include "tests/compiler/import/data.h"

namespace vdla::tools {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

/// A card's configuration with one kernel.
#ifdef VDLA_HAVE_XRT
constexpr bool kHaveXrt = true;
std::string xclbin_of(const std::string& kernel) {
  return sim::make_xclbin({.kernel = kernel,
                           .registers_base = 0x180'0000,
                           .registers_bytes = 4096,
                           .bank = "DDR[0]",
                           .memory_base = 0,
                           .memory_bytes = 1 << 20,
                           .archive = "none"});
}
#else
constexpr bool kHaveXrt = false;
std::string xclbin_of(const std::string&) { return {}; }
#endif

class OnXrt : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (!kHaveXrt)
      GTEST_SKIP() << "the kit is built without XRT: install libxrt-dev, libzip-dev, libprotobuf-dev";
    if (sim::find_program("unzip").empty()) GTEST_SKIP() << "XRT's emulation needs unzip: install it";
  }

  /// card_probe on the emulated card, with the words behind the card.
  Json probe(const std::vector<std::string>& words, const std::string& engine = kEngine) const {
    std::string command = "board run '" VDLA_BINARY_DIR
                          "/tests/card_probe' --board xrt-emu --json --engine " +
                          engine + " --argument='" VDLA_BINARY_DIR "/bin/vdla' --argument='{card}'";
    for (const std::string& word : words) command += " --argument='" + word + "'";
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    return Json::parse(outcome.out);
  }

  /// What a process finds that comes behind another one, and the run behind that: `way` of card_probe, whose
  /// next process runs the digits, to the bytes of a run in process.
  Json probe_and_run(const std::string& way, const std::string& engine = kEngine) const {
    const std::string module = digits("tiny"), here = path("here.npy"), there = path("there.npy");
    const std::string run_here = "run '" + module + "' --engine " + kEngine + " --random-input 3 --output '";
    EXPECT_EQ(run(run_here + here + "'").status, 0);
    std::filesystem::remove(there);
    Json seen =
        probe({way, "run", module, "--xrt", "{card}", "--random-input", "3", "--output", there}, engine);
    const auto text = seen.at("output").get<std::string>();
    EXPECT_EQ(read_text(there), read_text(here)) << text;
    EXPECT_EQ(seen.at("runs"), 1) << "that of the next process; " << text;
    expect_within_two_seconds(text);
    return seen;
  }

  /// The cause, and the good run.
  static void expect_within_two_seconds(const std::string& text) {
    const std::string word = "\nseconds ";
    std::size_t at = text.find(word);
    EXPECT_NE(at, std::string::npos) << text;
    for (; at != std::string::npos; at = text.find(word, at + 1))
      EXPECT_LT(std::stod(text.substr(at + word.size())), 2) << text;
  }
};

TEST_F(OnXrt, DigitsHaveTheBytesAndCyclesOfARunInProcess) {
  const std::string module = "'" + digits("tiny") + "'", here = path("here.npy"), there = path("there.npy");
  const std::string input = "--random-input 3 --json ";
  const Outcome in_process =
      run("run " + module + " --engine " + kEngine + " " + input + "--output '" + here + "'");
  ASSERT_EQ(in_process.status, 0) << in_process.err;
  const Outcome on_card = run("board run " + module + " --board xrt-emu --engine " + kEngine + " " + input +
                              "--argument=--output --argument='" + there + "'");
  ASSERT_EQ(on_card.status, 0) << on_card.out << on_card.err;
  const Json card = Json::parse(on_card.out);
  EXPECT_EQ(card.at("cycles"), Json::parse(in_process.out).at("cycles")) << card;
  EXPECT_EQ(card.at("runs"), 1) << card;
  EXPECT_EQ(read_text(there), read_text(here));
  Json outputs = Json::parse(in_process.out).at("outputs");
  for (Json& output : outputs) output.erase("top");
  EXPECT_EQ(card.at("outputs"), outputs);
  EXPECT_EQ(card.at("output"), "") << "what is no report";
}

TEST_F(OnXrt, ResNet8HasTheBytesAndCyclesOfARunInProcess) {
  VDLA_NEED_DATA();
  const std::string data = vdla::testing::data_folder().string();
  const std::string module = "'" + path("net.vdla") + "'", here = path("here.npy"), there = path("there.npy");
  ASSERT_EQ(run("compile '" + data + "/mlperf_tiny/models/pretrainedResnet_quant.tflite' --variant tiny -o " +
                module)
                .status,
            0);
  const std::string input = "--random-input 1 --output '";
  const Outcome in_process = run("run " + module + " --engine " + kEngine + " --json " + input + here + "'");
  ASSERT_EQ(in_process.status, 0) << in_process.err;
  const Outcome on_card = run("board run " + module + " --board xrt-emu --json --engine " + kEngine +
                              " --random-input 1 --argument=--output --argument='" + there + "'");
  ASSERT_EQ(on_card.status, 0) << on_card.out << on_card.err;
  const Json card = Json::parse(on_card.out);
  EXPECT_EQ(card.at("cycles"), Json::parse(in_process.out).at("cycles")) << card;
  EXPECT_EQ(card.at("runs"), 1) << card;
  EXPECT_FALSE(card.contains("console")) << card;
  EXPECT_EQ(read_text(there), read_text(here));
  const std::string stuck = path("stuck");
  const Outcome late = run("board run " + module + " --board xrt-emu --engine " + kEngine +
                           " --random-input 1 --argument=--timeout --argument=1 --argument=--post-mortem "
                           "--argument='" +
                           stuck + "'");
  EXPECT_EQ(late.status, 1);
  EXPECT_THAT(read_text(stuck + "/report.txt"),
              ::testing::StartsWith("XRT card 0: the program did not finish within 1 us"));
}

TEST_F(OnXrt, ManyInputsHaveTheBytesAndCyclesOfAnEngine) {
  const std::string module = digits("tiny"), images = example("images.npy");
  const std::string here = path("here.npy"), there = path("there.npy");
  const Outcome in_process = run("eval '" + module + "' --json --limit 3 --engine " + kEngine +
                                 " --inputs '" + images + "' --output '" + here + "'");
  ASSERT_EQ(in_process.status, 0) << in_process.err;
  std::string command = "board run '" VDLA_BINARY_DIR "/bin/vdla' --board xrt-emu --json --engine " + kEngine;
  for (const std::string& word : {std::string("eval"), module, std::string("--xrt"), std::string("{card}"),
                                  std::string("--json"), std::string("--limit"), std::string("3"),
                                  std::string("--inputs"), images, std::string("--output"), there})
    command += " --argument='" + word + "'";
  const Outcome on_card = run(command);
  ASSERT_EQ(on_card.status, 0) << on_card.out << on_card.err;
  const Json host = Json::parse(on_card.out), card = Json::parse(host.at("output").get<std::string>());
  EXPECT_EQ(card.at("engine"), "XRT card 0");
  EXPECT_EQ(card.at("cycles_per_input"), Json::parse(in_process.out).at("cycles_per_input")) << card;
  EXPECT_EQ(host.at("runs"), 3) << host;
  EXPECT_EQ(read_text(there), read_text(here));
}

TEST_F(OnXrt, TheSelfTestGoesThroughToANetwork) {
  const Json test = Json::parse(run("board selftest --board xrt-emu --engine functional --json").out);
  EXPECT_EQ(test.at("verdict"), "passed") << test;
  EXPECT_EQ(test.at("stages").back().at("stage"), "network") << test;
}

TEST_F(OnXrt, AProgramGetsTheCardAsAnArgument) {
  const Outcome outcome = run("board run '" VDLA_BINARY_DIR
                              "/bin/vdla' --board xrt-emu --json --argument=board "
                              "--argument=regs --argument=--xrt --argument='{card}'");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_THAT(result.at("output"), HasSubstr("MAGIC"));
  EXPECT_EQ(result.at("writes"), 0) << "registers are only looked at";
}

TEST_F(OnXrt, ASecondProcessIsRefusedAndToldWhoHasTheCard) {
  const auto text = probe_and_run("busy").at("output").get<std::string>();
  const std::size_t at = text.find("process ");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string owner = text.substr(at, text.find('\n', at) - at);  // "process 4711"
  EXPECT_THAT(text, HasSubstr("vdla: error: " + owner + " (card_probe) has the emulated card in /tmp/"));
  EXPECT_THAT(text, HasSubstr("; end it first, or wait for it\nexit status 1\n"));
  EXPECT_THAT(text, HasSubstr("opened y, ended by signal 15\n"));
  EXPECT_EQ(probe({"busy"}).at("reads"), 0) << "registers are not touched";
}

/// By a signal in the middle of a run: a program over the C interface, and one of the kit.
TEST_F(OnXrt, AProcessThatASignalEndsLeavesTheCardIdleAndFree) {
  const std::pair<std::string, std::string> ways[] = {
      {"transport", "started y, ended by signal 15\n"},
      {"kit", "reset the device\nstarted y, ended by signal 9\n"}};
  for (const auto& [how, said] : ways) {
    const auto text = probe_and_run(how).at("output").get<std::string>();
    EXPECT_THAT(text, HasSubstr(said));
    EXPECT_THAT(text, HasSubstr("  idle\nexit status 0\n"));
  }
}

/// The next process opens a card that is busy then, and stops it. XRT makes many calls, and the RTL would
/// need seconds for what a busy card computes between them.
TEST_F(OnXrt, SignalsAreLeftAloneOnRequest) {
  const auto text = probe_and_run("kept", "systemc").at("output").get<std::string>();
  EXPECT_THAT(text, HasSubstr("started y, ended by signal 15\n"));
  EXPECT_THAT(text, HasSubstr("  busy\nexit status 0\n"));
}

TEST_F(OnXrt, EndsAProgramThatTakesTooLong) {
  const Outcome outcome =
      run("board run '" + digits("tiny") + "' --board xrt-emu --random-input 1 --time-limit 0.1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("the program over XRT did not end within 0.1 s: the card has"));
}

TEST_F(OnXrt, NamesWhyACardCannotBeHad) {
  const std::string module = digits("tiny"), net = "run '" + module + "' --random-input 1 --xrt ";
  std::ofstream(path("no.xclbin")) << "no xclbin";
  std::ofstream(path("other.xclbin")) << xclbin_of("vadd");
  std::ofstream(path("vdla.xclbin")) << xclbin_of("vdla_axi");
  unsetenv("XILINX_XRT");
  expect_error(net + "card", {"--xrt is 'card', needs DEVICE:XCLBIN"});
  expect_error(net + "''", {"--xrt: is empty, needs DEVICE:XCLBIN"}, 2);
  expect_error(net + "0:none.xclbin", {"the xclbin none.xclbin is not there"});
  expect_error(net + "0000:03:00.1:none.xclbin", {"the xclbin none.xclbin is not there"});
  expect_error(net + "'0:" + path("no.xclbin") + "'", {"no.xclbin is no xclbin (XRT: "});
  expect_error(net + "'0:" + path("other.xclbin") + "'", {"has no kernel vdla_axi, it has vadd:vadd_1"});
  const std::string card = "'0:" + path("vdla.xclbin") + "'";
  expect_error(net + card, {"XILINX_XRT is not set", "ln -s /"});
  setenv("XILINX_XRT", path("xrt").c_str(), 1);
  expect_error(net + card, {"/xrt', and there is no '", "ln -s /"});
  std::filesystem::create_directory(path("xrt"));
  std::filesystem::create_directory_symlink(kit::xrt_libraries(), path("xrt/lib"));
  setenv("XCL_EMULATION_MODE", "noop", 1);
  expect_error(net + card, {"XCL_EMULATION_MODE is 'noop'", "libxrt_hwemu.so is not loaded"});
  unsetenv("XCL_EMULATION_MODE");
  expect_error("board run '" + module + "' --board xrt-emu --no-interrupt",
               {"--no-interrupt", "leave them out"});
  expect_error("board run '" VDLA_BINARY_DIR "/bin/vdla' --board xrt-emu --input '" + module + "'",
               {"are a module's, "});
}

}  // namespace
}  // namespace vdla::tools
