// SPDX-License-Identifier: Apache-2.0
// vdla verify as a user runs it: what it accepts, what a finding says, and its exit status.
#include <nlohmann/json.hpp>

#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kGood =
    "load inp[0] = input[0] run 4 push vector\n"
    "vector out[i4] = add(inp[i4], #1) for i4<4 pop load push store\n"
    "store output[0] = out[0] run 4 pop vector\n"
    "finish 1\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(Cli, VerifyProvesCompiledModules) {
  for (const char* variant : {"paper", "tiny"}) {
    const std::string module = digits(variant);
    const Outcome outcome = run("verify " + module);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("proven right"));
    const json report = json::parse(run("verify " + module + " --json").out);
    EXPECT_TRUE(report.at("clean").get<bool>());
    EXPECT_GT(report.at("parts").at(0).at("instructions").get<int>(), 50);
    EXPECT_TRUE(report.at("parts").at(0).at("findings").empty());
    EXPECT_EQ(run("run " + module + " --verify --random-input 1").status, 0);
  }
}

TEST_F(Cli, VerifyNamesBothInstructionsAndWhereTheyStand) {
  write_file(path("good.s"), kGood);
  EXPECT_EQ(run("verify " + path("good.s")).status, 0);
  write_file(path("race.s"), "\n" + replaced(replaced(kGood, " push store", ""), " pop vector", ""));
  const Outcome outcome = run("verify " + path("race.s"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("unordered: instruction 2 (store) of layer"));
  EXPECT_THAT(outcome.out, HasSubstr("loop line 4 reads out[0..3] that instruction 1 (vector)"));
  EXPECT_THAT(outcome.out, HasSubstr("2: store output[0] = out[0] run 4"));
  const Outcome machine = run("verify " + path("race.s") + " --json --max-findings 1");
  EXPECT_EQ(machine.status, 1);
  const json part = json::parse(machine.out).at("parts").at(0);
  EXPECT_EQ(part.at("findings_total"), 1);
  const json finding = part.at("findings").at(0);
  EXPECT_EQ(finding.at("kind"), "unordered");
  EXPECT_EQ(finding.at("insn").at("index"), 2);
  EXPECT_EQ(finding.at("insn").at("loop"), "line 4");
  EXPECT_EQ(finding.at("other").at("index"), 1);
  EXPECT_EQ(finding.at("resource"), "out[0..3]");
}

TEST_F(Cli, VerifyHoldsATextToTheVariantAndItsWindows) {
  write_file(path("good.s"), kGood);
  EXPECT_EQ(run("verify " + path("good.s") + " --variant paper --window input=64").status, 0);
  const Outcome window = run("verify " + path("good.s") + " --window input=63");
  EXPECT_EQ(window.status, 1);
  EXPECT_THAT(window.out, HasSubstr("reaches byte 63 of window input, which has 63"));
  write_file(path("deep.s"), "load inp[300] = input[0]\nfinish 0\n");
  EXPECT_EQ(run("verify " + path("deep.s")).status, 0);
  const Outcome tiny = run("verify " + path("deep.s") + " --variant tiny");
  EXPECT_EQ(tiny.status, 1);
  EXPECT_THAT(tiny.out, HasSubstr("rule 20 (load_base_inp)"));
}

TEST_F(Cli, VerifyRunsTheDynamicCheckerOnRequest) {
  const json clean = json::parse(run("verify " + digits("tiny") + " --dynamic --orders 3 --json").out);
  const json& seen = clean.at("parts").at(0).at("dynamic");
  EXPECT_TRUE(seen.at("clean").get<bool>());
  EXPECT_EQ(seen.at("orders"), 4);
  EXPECT_EQ(seen.at("ending"), "finished");
  write_file(path("race.s"), replaced(replaced(kGood, " push store", ""), " pop vector", ""));
  const Outcome outcome = run("verify " + path("race.s") + " --dynamic --orders 0 --all-orders 50");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("dynamic checker, 4 orders, all that there are: finished"));
  EXPECT_THAT(outcome.out, HasSubstr("results that differ from order to order"));
  EXPECT_THAT(outcome.out, HasSubstr("unordered: instruction 2 (store)"));
}

TEST_F(Cli, VerifyTellsBadInputFromFindings) {
  write_file(path("good.s"), kGood);
  write_file(path("empty.s"), "; nothing\n");
  write_file(path("words.s"), "jump 3\n");
  write_file(path("cut.vdla"), "VDLA");
  const std::string good = "verify " + path("good.s");
  expect_error("verify " + path("none.s"), {"none.s", "No such file"}, 2);
  expect_error("verify " + path("empty.s"), {"empty.s", "no instruction"}, 2);
  expect_error("verify " + path("words.s"), {"words.s:1:1", "jump"}, 2);
  expect_error("verify " + path("cut.vdla"), {"cut.vdla"}, 2);
  expect_error(good + " --variant none", {"variant 'none'"}, 2);
  expect_error(good + " --window act", {"'act'", "NAME=BYTES"}, 2);
  expect_error(good + " --window act=100000000000000", {"window act has 100000000000000 bytes", "1073741824"},
               2);
  write_file(path("far.s"), "load inp[0] = act[140737488355328] run 1\nfinish 1\n");
  expect_error("verify " + path("far.s"), {"window act has ", "at most 1073741824"}, 2);
  expect_error(good + " --window uop=8", {"uop", "follows from the program"}, 2);
  expect_error("verify", {"program", "vdla verify --help"}, 2);
}

/// Status 1 said that a program has findings, whose proof was only not printed.
TEST_F(Cli, VerifyTellsLostOutputFromFindings) {
  write_file(path("good.s"), kGood);
  const std::string command =
      "'" VDLA_BINARY_DIR "/bin/vdla' verify " + path("good.s") + " >/dev/full 2>" + path("said");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_THAT(read_text(path("said")), HasSubstr("cannot write to standard output: No space left"));
}

}  // namespace
}  // namespace vdla::tools
