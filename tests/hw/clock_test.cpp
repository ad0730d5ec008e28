// SPDX-License-Identifier: Apache-2.0
// No unit has a longer path than its budget, and no rule of structure is broken more often, by the static
// timing analysis of the netlist that yosys makes; what exceeds a budget is named with its path.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/hw/command.h"

namespace vdla {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

CommandResult timing(const std::string& words) {
  return run_command("python3 '" VDLA_SOURCE_DIR "/hw/synth/timing.py' " + words);
}

TEST(Clock, SmallMachineKeepsItsBudget) {
  const CommandResult r = timing("tiny --check");
  EXPECT_EQ(r.status, 0) << r.output;
}

TEST(Clock, LargeArrayKeepsItsBudget) {
  const CommandResult r = timing("gemm --check");
  EXPECT_EQ(r.status, 0) << r.output;
}

TEST(Clock, WhatExceedsABudgetIsNamedWithItsPath) {
  const std::filesystem::path budgets =
      std::filesystem::path(VDLA_BINARY_DIR) / "tests/budget-of-one-ns.json";
  std::ofstream(budgets) << R"({"control": {"ns": {"control": 1.0}, "broken_rules": {}}})";
  const CommandResult r = timing("control --check --budgets '" + budgets.string() + "'");
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_THAT(r.output, AllOf(ContainsRegex("longest path of unit control takes [0-9.]+ ns, needs 1.0 "),
                              ContainsRegex("FDRE +[a-z0-9_]+_q"), HasSubstr(" to ")));
}

}  // namespace
}  // namespace vdla
