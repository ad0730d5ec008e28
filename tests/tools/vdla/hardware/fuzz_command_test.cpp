// SPDX-License-Identifier: Apache-2.0
// vdla fuzz on the command line: counts, JSON, exit status, stored cases.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/tools/run_command.h"

namespace vdla::tools {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run_command;

TEST(FuzzCommand, CountsProgramsOfSeveralProcesses) {
  const CommandResult one = run_command("fuzz --engines functional,systemc --count 7 --json");
  ASSERT_EQ(one.status, 0) << one.output;
  const auto a = nlohmann::json::parse(one.output);
  EXPECT_EQ(a["programs"], 7);
  EXPECT_GT(a["mix"]["gemm"], 7);
  EXPECT_FALSE(a.contains("failure"));
  const auto b = nlohmann::json::parse(
      run_command("fuzz --engines functional,systemc --count 7 --jobs 3 --json").output);
  EXPECT_EQ(b["mix"], a["mix"]);
  EXPECT_EQ(b["median_insns"], a["median_insns"]);
}

// "No difference" of one engine, or of no program.
TEST(FuzzCommand, RefusesWhatCanFindNothing) {
  for (const auto& [flags, message] : std::vector<std::pair<std::string, std::string>>{
           {"--engines functional", "--engines is functional, needs at least two different ones"},
           {"--engines functional,functional", "needs at least two different ones"},
           {"--engines functional,systemc --count 0", "--count is 0, needs at least one program"},
           {"--engines functional,systemc --keep /dev/null/x", "folder /dev/null/x cannot be made: "}}) {
    const CommandResult result = run_command("fuzz " + flags);
    EXPECT_EQ(result.status, 1) << flags;
    EXPECT_THAT(result.output, HasSubstr(message));
  }
}

TEST(FuzzCommand, RunsProgramsWithFaults) {
  const CommandResult result = run_command("fuzz --engines functional,systemc --errors --count 20 --json");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_GE(nlohmann::json::parse(result.output)["errors"].size(), 10u);
}

TEST(FuzzCommand, RunsAStoredCase) {
  const std::string file = "'" VDLA_SOURCE_DIR "/tests/regressions/quiet-for-long.s'";
  const CommandResult result = run_command("fuzz --engines functional,systemc --case " + file);
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("quiet-for-long.s: no difference"));
}

TEST(FuzzCommand, NamesWrongCalls) {
  CommandResult result = run_command("fuzz --engines functional,mips --count 1");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("'mips' is not known, needs functional, systemc, rtl"));
  result = run_command("fuzz --variant nowhere.json --count 1");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("nowhere.json"));
  result = run_command("fuzz --jobs 0");
  EXPECT_EQ(result.status, 2);
}

}  // namespace
}  // namespace vdla::tools
