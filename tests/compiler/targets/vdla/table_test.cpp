// SPDX-License-Identifier: Apache-2.0
// The device's table of lowering: every row has its effect, and code generation refuses what a row that is
// left out would have removed.
#include "compiler/targets/vdla/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/tensorize/interpret.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "tests/compiler/passes/every_row.h"

namespace vdla::target {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// Has something to do for every row, on a machine with entries of four.
constexpr const char* kEveryRow = R"(func every_row(in X: i8[16, 4], out Y: i8[16, 4]) {
  for v in 0..2 vthread {
    alloc a: i8[8, 4] @out
    tensorize load {
      for i in 0..8 { for n in 0..4 { a[i, n] = X[v * 8 + i, n] } }
    }
    alloc b: i8[8, 4] @out
    for i in 0..8 {
      tensorize max {
        for n in 0..4 { b[i, n] = i8(min(max(max(i32(a[i, n]), 3i32), -128i32), 127i32)) }
      }
    }
    tensorize store {
      for i in 0..8 { for n in 0..4 { Y[v * 8 + i, n] = b[i, n] } }
    }
  }
}
)";

isa::Geometry geometry() { return isa::load_variant("tiny").geometry; }
passes::Target table() { return device_table(intrinsics::device_intrinsics(geometry())); }

/// As instructions; what code generation says where it refuses.
std::string generated(const loop::Func& func) {
  codegen::SegmentBuilder segment(geometry());
  segment.add({"layer", "test", ""}, func, {{isa::Window::Input, 0}, {isa::Window::Output, 0}});
  try {
    return std::to_string(segment.finish().insns.size()) + " instructions";
  } catch (const UserError& error) {
    return error.what();
  }
}

std::vector<std::byte> run(const loop::Func& func) {
  std::vector<std::byte> x(64), y(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::byte(i * 5);
  const std::span<std::byte> memory[] = {x, y};
  loop::Interpreter(func, tensorize::interpret_calls(intrinsics::device_intrinsics(geometry()))).run(memory);
  return y;
}

TEST(DeviceTable, HoldsTensorizationInFrontOfThePassesOfTheDevice) {
  std::vector<std::string_view> names;
  for (const passes::Pass& row : table().rows) {
    names.push_back(row.name);
    EXPECT_FALSE(table().rules_of(row.name).empty()) << row.name;
  }
  EXPECT_THAT(names, ElementsAre("tensorize", "lower-vthreads"));
}

TEST(DeviceTable, TheResultMeansWhatTheFunctionMeansAndBecomesInstructions) {
  const loop::Func func = loop::parse(kEveryRow);
  const loop::Func lowered = passes::lower(table(), func, passes::Verify::Yes);
  EXPECT_EQ(run(lowered), run(func));
  EXPECT_THAT(generated(lowered), MatchesRegex("[1-9][0-9]* instructions"));
  // What went through comes out as it was.
  EXPECT_EQ(loop::to_string(passes::lower(table(), lowered, passes::Verify::Yes)), loop::to_string(lowered));
}

TEST(DeviceTable, CodeGenerationRefusesWhatARowThatIsLeftOutLeaves) {
  const std::map<std::string_view, std::string> refusals{
      {"tensorize", "needs that no loops are marked for an intrinsic; run tensorize"},
      {"lower-vthreads", "needs that there are no virtual threads; run lower-vthreads"}};
  const loop::Func func = loop::parse(kEveryRow);
  for (const passes::Pass& row : table().rows) {
    SCOPED_TRACE(row.name);
    const loop::Func without_it = passes::lower(passes::without(row.name, table()), func);
    const auto breach = form::find_breach(table().rules_of(row.name), without_it);
    ASSERT_TRUE(breach);
    EXPECT_THAT(generated(without_it), HasSubstr(refusals.at(row.name)));
  }
}

TEST(DeviceTable, WhatNoInstructionDoesIsRefusedInFrontOfItsRows) {
  for (const std::string kind : {"parallel", "vectorized", "unrolled", "block.x", "thread.x"}) {
    const loop::Func func = loop::parse("func f(out Y: i8[4]) { for i in 0..4 " + kind + " { Y[i] = 1i8 } }");
    try {
      passes::lower(table(), func);
      ADD_FAILURE() << kind << " is accepted";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("'for i in 0..4 " + kind + " {'"), HasSubstr("leave its axis as it is")));
    }
  }
  try {
    passes::lower(table(), loop::parse("func f(out Y: i8[4]) { alloc a: i8[4] @inp double { Y[0] = 1i8 } }"));
    ADD_FAILURE() << "a doubled allocation is accepted";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'alloc a: i8[4] @inp double'"), HasSubstr("leave it out")));
  }
}

TEST(DeviceTable, ObserversSeeEachRow) {
  std::vector<std::pair<std::string, std::string>> seen;
  passes::lower(table(), loop::parse(kEveryRow), passes::Verify::Yes,
                [&](const passes::Pass& row, const loop::Func& made) {
                  seen.emplace_back(row.name, loop::to_string(made));
                });
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_THAT(seen[0].second, HasSubstr("for v in 0..2 vthread"));
  EXPECT_THAT(seen[0].second, HasSubstr("intrinsic max("));
  EXPECT_THAT(seen[1].second, Not(HasSubstr("vthread")));
}

TEST(DeviceTable, VerificationNamesTheRowThatBreaksARule) {
  passes::Target broken_table = table();
  broken_table.rows[0].run = [](const loop::Func& func) { return func; };
  try {
    passes::lower(broken_table, loop::parse(kEveryRow), passes::Verify::Yes);
    ADD_FAILURE() << "accepted";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 'tensorize' of the table for vdla leaves 'tensorize load {"));
  }
  broken_table = table();
  broken_table.rows[1].run = [](const loop::Func& func) {
    loop::Func broken = func;
    broken.body = loop::parse("func f(out Z: i8[4]) { Z[0] = 1i8 }").body;
    return broken;
  };
  try {
    passes::lower(broken_table, loop::parse(kEveryRow), passes::Verify::Yes);
    ADD_FAILURE() << "accepted";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("pass 'lower-vthreads' breaks its function"));
  }
}

}  // namespace
}  // namespace vdla::target
