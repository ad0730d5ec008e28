// SPDX-License-Identifier: Apache-2.0
// A run takes the cases that a commit draws, says which it leaves out, and takes all of them on request.
#include "tests/part/part.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/tools/run_command.h"

namespace vdla::part {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kNames = {"a/T.x/0", "a/T.x/1", "a/T.x/2", "b/T.x/0",
                                         "a/T.x/3", "a/T.x/4", "a/T.x/5", "a/T.x/6"};

TEST(Draws, AreTheSameOnEveryMachine) {
  EXPECT_EQ(draw("RtlCoverage", 6, "71e08e3e0000"), 0u);
  EXPECT_EQ(draw("RtlCoverage", 6, "71e08e3e0001"), 1u);
}

TEST(Draws, TakeEachCaseForOneOfTheNumbers) {
  const Drawn drawn{"a/*", 3, ""};
  std::set<std::vector<std::string>> seen;
  for (int commit = 0; commit < 60; ++commit) seen.insert(taken(drawn, kNames, std::to_string(commit)));
  ASSERT_EQ(seen.size(), 3u);
  std::multiset<std::string> all;
  for (const auto& names : seen) {
    EXPECT_GE(names.size(), 2u);
    all.insert(names.begin(), names.end());
  }
  EXPECT_EQ(all.size(), 7u);
  EXPECT_EQ(all.count("b/T.x/0"), 0u);
  EXPECT_TRUE(taken({"a/*", 0, ""}, kNames, "x").empty());
}

TEST(Draws, OfAFewCasesCanBeNone) { EXPECT_LE(taken({"b/*", 5, ""}, kNames, "x").size(), 1u); }

/// Runs the sample without the VDLA_WHOLE that a whole run sets for its tests.
testing::CommandResult sample(const std::string& environment, const std::string& filter = "*") {
  return testing::run_program("env",
                              "-u VDLA_WHOLE " + environment +
                                  " '" VDLA_BINARY_DIR "/tests/part_sample' '--gtest_filter=" + filter + "'");
}

TEST(Parts, RunWhatIsDrawnAndSayWhatIsNot) {
  const testing::CommandResult some = sample("VDLA_DRAW=x");
  EXPECT_EQ(some.status, 0) << some.output;
  EXPECT_THAT(
      some.output,
      AllOf(HasSubstr("[  PASSED  ] 4 tests."), HasSubstr("Always.Runs"),
            HasSubstr(
                " does not run, not drawn: one in 3 is, by 'x'; `ctest -C Campaign -L whole` runs all\n")));
  EXPECT_EQ(sample("VDLA_DRAW=x").output.substr(0, 60), some.output.substr(0, 60));
}

TEST(Parts, AreWholeOnRequest) {
  const testing::CommandResult all = sample("VDLA_WHOLE=1");
  EXPECT_THAT(all.output, AllOf(HasSubstr("[  PASSED  ] 8 tests."), Not(HasSubstr("part: "))));
}

TEST(Parts, ThatAreNotOnRecordRun) {
  const testing::CommandResult recorded = sample("VDLA_DRAW=x", "Recorded.*");
  EXPECT_THAT(recorded.output, AllOf(HasSubstr("[  PASSED  ] 1 test."), HasSubstr("no suite 'nothing'")));
}

TEST(Parts, SayOnlyWhatTheFilterNames) {
  unsigned ran = 0;
  for (const char* name : {"case0", "case1", "case2"}) {
    const testing::CommandResult one = sample("VDLA_DRAW=x", std::string("Six/Drawn.Runs/") + name);
    const bool said = one.output.find("part: Six/Drawn.Runs/" + std::string(name)) != std::string::npos;
    EXPECT_EQ(one.status, 0);
    EXPECT_THAT(one.output, HasSubstr(said ? "0 tests" : "[  PASSED  ] 1 test."));
    ran += said ? 0 : 1;
  }
  EXPECT_EQ(ran, 1u);
  EXPECT_THAT(sample("VDLA_DRAW=x", "*-Six*").output, Not(HasSubstr("part: Six")));
}

}  // namespace
}  // namespace vdla::part
