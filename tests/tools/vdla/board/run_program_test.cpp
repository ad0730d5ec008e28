// SPDX-License-Identifier: Apache-2.0
// vdla run on assembler programs, and what it says of programs that hang or fail.
#include <nlohmann/json.hpp>

#include "isa/variants/variants.h"
#include "kit/engine.h"
#include "kit/rtl.h"
#include "kit/systemc.h"
#include "tests/tools/cli.h"
#include "tests/tools/hanging_module.h"

namespace vdla::tools {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

class RunProgram : public Cli {
 protected:
  std::string program(const std::string& text) const {
    write_file(path("program.s"), text);
    return path("program.s");
  }
  static std::vector<std::string> present_engines() {
    std::vector<std::string> names = {"functional"};
    if (kit::have_systemc()) names.push_back("systemc");
    if (kit::rtl_engine_built(isa::load_variant("tiny"))) names.push_back("rtl");
    return names;
  }
};

TEST_F(RunProgram, CopiesAWindowOnEveryEngine) {
  std::string input;
  for (int i = 0; i < 64; ++i) input += static_cast<char>(3 * i);
  write_file(path("in.bin"), input);
  const std::string source = program(
      "; 64 bytes through the out buffer\n"
      "load out[0] = input[0] run 16 push store\n"
      "store output[100] = out[0] run 16 pop load\n"
      "finish 7\n");
  for (const std::string& engine : present_engines()) {
    const Outcome outcome =
        run("run " + source + " --variant tiny --engine " + engine + " --window input=" + path("in.bin") +
            " --window output=256 --dump output=" + path("out.bin") + " --json");
    ASSERT_EQ(outcome.status, 0) << engine << ": " << outcome.err;
    EXPECT_EQ(read_text(path("out.bin")), std::string(100, '\0') + input + std::string(92, '\0')) << engine;
    EXPECT_EQ(json::parse(outcome.out).at("engine"), engine);
  }
}

constexpr const char* kHangs =
    "load inp[0] = input[0]\n"
    "load wgt[0] = const[0] push vector   ; should be: push gemm\n"
    "\n"
    "gemm acc[0] = inp[0] * wgt[0] pop load\n"
    "finish 1\n";

TEST_F(RunProgram, AHangNamesWhoWaitsForWhatAndWhereThatStands) {
  const std::string source = program(kHangs);
  for (const std::string& engine : present_engines()) {
    const Outcome outcome = run("run " + source + " --variant tiny --engine " + engine);
    EXPECT_EQ(outcome.status, 1) << engine;
    EXPECT_EQ(outcome.out, "");
    const bool timed = engine != "functional";
    EXPECT_THAT(outcome.err, testing::StartsWith(
                                 "vdla: error: the program hangs, the device found no unit making progress" +
                                 std::string(timed ? " for 100000 cycles" : "") + "\n"))
        << engine;
    EXPECT_EQ(outcome.err.find("cycle") == std::string::npos, !timed) << outcome.err;
    EXPECT_THAT(outcome.err,
                ContainsRegex("\n  gemm +waits at instruction 2( since cycle [0-9]+)? for a token from load\n"
                              " +gemm acc\\[0\\] = inp\\[0\\] \\* wgt\\[0\\] pop load\n"
                              " +of .*program.s:4\n"))
        << engine;
    EXPECT_THAT(outcome.err, HasSubstr("load      has nothing to do")) << engine;
  }
}

TEST_F(RunProgram, APostMortemForMachines) {
  const std::string source = program(kHangs);
  for (const std::string& engine : present_engines())
    for (const std::string limit : {" --stall-limit 1000", " --stall-limit 0"}) {
      const Outcome outcome = run("run " + source + " --variant tiny --json --engine " + engine + limit);
      EXPECT_EQ(outcome.status, 1);
      const json all = json::parse(outcome.out);
      EXPECT_EQ(all.at("kind"), "device");
      const json& post_mortem = all.at("post_mortem");
      EXPECT_EQ(post_mortem.at("status"), "no unit can make progress");
      const json& gemm = post_mortem.at("units").at(1);
      EXPECT_EQ(gemm.at("unit"), "gemm");
      EXPECT_EQ(gemm.contains("since_cycle"), engine != "functional");
      EXPECT_EQ(gemm.at("waits_for_token_from"), json::array({"load"}));
      EXPECT_EQ(gemm.at("instruction").at("index"), 2);
      EXPECT_THAT(gemm.at("instruction").at("source").get<std::string>(), testing::EndsWith("program.s:4"));
    }
}

TEST_F(RunProgram, AnErrorNamesTheInstructionAtFault) {
  const std::string source = program(
      "load out[0] = input[0] run 16 push store\n"
      "store output[65530] = out[0] run 16 pop load\n"
      "finish 7\n");
  for (const std::string& engine : present_engines()) {
    const Outcome outcome = run("run " + source + " --variant tiny --json --engine " + engine);
    EXPECT_EQ(outcome.status, 1);
    const json post_mortem = json::parse(outcome.out).at("post_mortem");
    EXPECT_EQ(post_mortem.at("status"), "the device stopped with an error");
    EXPECT_EQ(post_mortem.at("error").at("unit"), "store");
    EXPECT_EQ(post_mortem.at("error").at("instruction").at("index"), 1);
    EXPECT_EQ(post_mortem.at("error").at("address"), 65530);
  }
}

TEST_F(RunProgram, WrongFlagsAreNamed) {
  const std::string source = program("finish 1\n");
  expect_error("run " + source, {"program.s", "needs --variant"});
  expect_error("run " + source + " --variant tiny --window nowhere=3",
               {"--window 'nowhere=3'", "insn", "output"});
  expect_error("run " + source + " --variant tiny --window input=99999999999999",
               {"--window 'input=99999999999999'", "bytes are more than the device's memory of"});
  expect_error("run " + source + " --variant tiny --window insn=64", {"window insn holds the program"});
  expect_error("run " + source + " --variant tiny --compare rtl", {"are for networks"});
  expect_error("run " + program("; nothing\n") + " --variant tiny", {"has no instruction"});
  expect_error("run " + program("frob\n") + " --variant tiny", {"program.s:1"});
}

/// A compiled network that lost one token: the layer and the loops are named.
TEST_F(RunProgram, AHangOfACompiledNetworkNamesItsLayer) {
  ASSERT_TRUE(write_hanging(digits("tiny"), path("hangs.vdla")));
  for (const std::string& engine : present_engines()) {
    const Outcome outcome = run("run " + path("hangs.vdla") + " --random-input 1 --engine " + engine);
    EXPECT_EQ(outcome.status, 1) << engine;
    EXPECT_THAT(outcome.err, HasSubstr("the program hangs")) << engine;
    EXPECT_THAT(outcome.err, ContainsRegex("for a token from gemm\n.*\n +of layer '.*")) << engine;
  }
}

}  // namespace
}  // namespace vdla::tools
