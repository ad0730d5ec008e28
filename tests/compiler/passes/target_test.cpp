// SPDX-License-Identifier: Apache-2.0
// The tables of lowering: every pass and every rule of the CPU's has its place in it, every row has its
// effect, and the result means what the function meant.
#include "compiler/passes/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "compiler/intrinsics/grid.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/tensorize/host_table.h"
#include "compiler/tensorize/interpret.h"
#include "support/error.h"
#include "tests/compiler/passes/every_row.h"

namespace vdla::passes {
namespace {

using ::testing::HasSubstr;

/// Memory of the parameters after a run, each element a small number before it.
std::vector<std::vector<std::byte>> run(const loop::Func& func) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<std::span<std::byte>> spans;
  for (const loop::Param& p : func.params) {
    memory.emplace_back(
        static_cast<std::size_t>(expr::storage_size(*p.buffer) * expr::bytes(p.buffer->dtype)));
    for (std::size_t i = 0; i < memory.back().size(); ++i)
      memory.back()[i] = std::byte((i * 7 + memory.size()) & 0x1f);
  }
  for (auto& bytes : memory) spans.emplace_back(bytes);
  std::vector<intrinsics::Intrinsic> table = tensorize::host_intrinsics();
  std::ranges::copy(intrinsics::grid_intrinsics(), std::back_inserter(table));
  loop::Interpreter(func, tensorize::interpret_calls(table)).run(spans);
  return memory;
}

/// What each row of the table is given and makes of the function.
struct Shown {
  std::string given, made;
};
std::map<std::string_view, Shown> shown_by(const Target& target, const loop::Func& func) {
  std::map<std::string_view, Shown> shown;
  std::string given = loop::to_string(func);
  lower(target, func, Verify::No, [&](const Pass& row, const loop::Func& result) {
    shown[row.name] = {given, loop::to_string(result)};
    given = shown[row.name].made;
  });
  return shown;
}

TEST(TableOfLowering, EveryPassStandsInOne) {
  for (const Pass& pass : all_passes())
    EXPECT_TRUE(std::ranges::any_of(targets(), [&](const Target* target) {
      return std::ranges::count(target->rows, pass.name, &Pass::name) == 1;
    })) << pass.name;
  EXPECT_EQ(&find_target("cpu"), &cpu_target());
  EXPECT_EQ(&find_target("vdla"), &device_target());
  EXPECT_EQ(&find_target("opencl"), &opencl_target());
  EXPECT_EQ(&find_target("cuda"), &cuda_target());
}

TEST(TableOfLowering, EveryRuleNamesARow) {
  for (const Target* target : targets()) {
    std::set<std::string_view> named;
    for (const form::Rule& rule : target->rules) {
      EXPECT_EQ(rule.remedy.empty(), !rule.row.empty()) << rule.text << ": a row makes it true, or a user";
      if (rule.row.empty()) continue;
      // The device's first row needs intrinsics: tests/compiler/targets/vdla/table_test.cpp has its table
      // whole.
      const bool above = target == &device_target() && rule.row == "tensorize";
      EXPECT_EQ(std::ranges::count(target->rows, rule.row, &Pass::name), above ? 0 : 1) << rule.row;
      EXPECT_TRUE(named.insert(rule.row).second) << rule.row;
    }
  }
}

TEST(TableOfLowering, OfTheDeviceLeavesNoVirtualThreads) {
  const loop::Func func = loop::parse(
      "func f(in A: i32[4], out B: i32[4]) { for t in 0..2 vthread { for i in 0..2 {"
      " B[t * 2 + i] = A[t * 2 + i] } } }");
  ASSERT_TRUE(form::find_breach(form::device_rules(), func));
  const loop::Func lowered = lower(device_target(), func, Verify::Yes);
  EXPECT_FALSE(form::find_breach(form::device_rules(), lowered));
  EXPECT_EQ(run(lowered), run(func));
}

TEST(TableOfLowering, WhatNoRowMakesTrueIsRefusedInFrontOfThem) {
  const auto refusal = [](const std::string& body) -> std::string {
    try {
      lower(device_target(), loop::parse("func f(out Y: i8[4]) { " + body + " }"));
    } catch (const UserError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(
      refusal("for i in 0..4 parallel { Y[i] = 1i8 }"),
      "'for i in 0..4 parallel {' in 'f': needs that loops on the device are serial or of virtual threads; "
      "leave its axis as it is");
  EXPECT_THAT(refusal("alloc a: i8[4] @inp double { Y[0] = 1i8 }"),
              HasSubstr("'alloc a: i8[4] @inp double' in 'f': needs that no allocation on the device is "
                        "doubled; place-sram gives each run through an allocation entries of its own"));
}

TEST(TableOfLowering, AnUnknownTargetListsTheKnownOnes) {
  try {
    find_target("gpu");
    ADD_FAILURE() << "found";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("no table of lowering for 'gpu'; there are those for cpu, vdla, opencl"));
  }
}

TEST(TableOfLowering, TheResultMeansWhatTheFunctionMeans) {
  const loop::Func func = loop::parse(kEveryRow), lowered = lower(cpu_target(), func, Verify::Yes);
  EXPECT_EQ(run(lowered), run(func));
  EXPECT_FALSE(form::find_breach(form::cpu_rules(), lowered));
  // What went through comes out as it was.
  EXPECT_EQ(loop::to_string(lower(cpu_target(), lowered, Verify::Yes)), loop::to_string(lowered));
  EXPECT_EQ(loop::to_string(loop::parse(loop::to_string(lowered))), loop::to_string(lowered));
}

TEST(TableOfLowering, ARowThatIsLeftOutIsMissed) {
  const loop::Func func = loop::parse(kEveryRow);
  const std::string whole = loop::to_string(lower(cpu_target(), func));
  for (const auto& [row, shown] : shown_by(cpu_target(), func)) EXPECT_NE(shown.given, shown.made) << row;
  for (const Pass& pass : cpu_target().rows) {
    const std::string_view row = pass.name;
    SCOPED_TRACE(row);
    const loop::Func without_it = lower(without(row), func);
    const auto breach = form::find_breach(form::cpu_rules(), without_it);
    if (cpu_target().rules_of(row).empty()) {
      EXPECT_FALSE(breach) << breach->rule.text << ", seen " << breach->where;
      // Barriers wait for nobody on a CPU, so only what is shown of the rows tells of theirs.
      EXPECT_EQ(loop::to_string(without_it) == whole, row == "insert-barriers");
    } else {
      ASSERT_TRUE(breach);
      EXPECT_EQ(breach->rule.row, row) << breach->where;
    }
  }
}

/// Tables of machines with a grid.
class TableOfAGrid : public ::testing::TestWithParam<const char*> {};

TEST_P(TableOfAGrid, MissesARowThatIsLeftOut) {
  const Target& table = find_target(GetParam());
  const loop::Func func = loop::parse(kEveryRowOfGrid);
  const loop::Func lowered = lower(table, func, Verify::Yes);
  EXPECT_EQ(run(lowered), run(func));
  for (const auto& [row, shown] : shown_by(table, func)) EXPECT_NE(shown.given, shown.made) << row;
  for (const Pass& pass : table.rows) {
    const std::string_view row = pass.name;
    SCOPED_TRACE(row);
    const loop::Func without_it = lower(without(row, table), func);
    EXPECT_NE(loop::to_string(without_it), loop::to_string(lowered));
    const auto breach = form::find_breach(table.rules, without_it);
    // What 'place-threads' rules out it refuses, so that no function gets through it.
    const bool ruled = !table.rules_of(row).empty() && row != "place-threads";
    ASSERT_EQ(breach.has_value(), ruled);
    if (breach) EXPECT_EQ(breach->rule.row, row) << breach->where;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, TableOfAGrid, ::testing::Values("opencl", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

TEST(TableOfLowering, LoopsThatNoKernelHasAreRefusedByARowOfAGrids) {
  const loop::Func func =
      loop::parse("func f(in A: i32[4], out B: i32[4]) { for i in 0..4 parallel { B[i] = A[i] } }");
  EXPECT_THROW(lower(opencl_target(), func), UserError);
  const auto breach =
      form::find_breach(form::grid_rules(), lower(without("place-threads", opencl_target()), func));
  ASSERT_TRUE(breach);
  EXPECT_EQ(breach->rule.row, "place-threads");
}

TEST(TableOfLowering, ThreadsThatCannotMeetAreRefusedOnACpu) {
  const loop::Func func = loop::parse(
      "func f(in A: f32[4], out B: f32[4]) { for t in 0..4 thread.x { alloc s: f32[4] @shared"
      " if t < 2 { s[t] = A[t] B[t] = s[1 - t] } } }");
  try {
    lower(cpu_target(), func);
    ADD_FAILURE() << "accepted";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("stands under a condition that only some threads pass"));
  }
  EXPECT_NO_THROW(lower(without("insert-barriers"), func));
}

TEST(TableOfLowering, VerificationNamesTheRowWhoseRuleBreaks) {
  Target target = cpu_target();
  // 'flatten-storage' too early: buffers get two halves behind it.
  target = without("flatten-storage", std::move(target));
  target.rows.insert(target.rows.begin() + 1, find_pass("flatten-storage"));
  const loop::Func func = loop::parse(kEveryRow);
  EXPECT_NO_THROW(lower(target, func));
  try {
    lower(target, func, Verify::Yes);
    ADD_FAILURE() << "accepted";
  } catch (const InternalError& e) {
    EXPECT_THAT(
        e.what(),
        ::testing::AllOf(HasSubstr("row 'double-buffer' of the table for cpu leaves 'alloc t: i32[2, 8]"),
                         HasSubstr("needs that buffers have one dimension behind row 'flatten-storage'")));
  }
}

}  // namespace
}  // namespace vdla::passes
