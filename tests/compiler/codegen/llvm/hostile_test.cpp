// SPDX-License-Identifier: Apache-2.0
// Operands that processors trap on, or that LLVM has no result for: machine code computes what the
// interpreter does.
#include "tests/compiler/codegen/llvm/hostile.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/loop/print.h"

namespace vdla::codegen {
namespace {

void expect_as_interpreted(loop::ForKind kind, bool guarded) {
  for (const loop::HostileCase& hostile : loop::hostile_cases(kind, guarded)) {
    const auto wanted = interpreted(hostile), got = computed(hostile);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(got[i], wanted[i]) << hostile.func.name << ", parameter " << i;
  }
}

TEST(HostileOperands, OfLoopsAreTheInterpreters) { expect_as_interpreted(loop::ForKind::Serial, false); }
TEST(HostileOperands, InLanesUnderAMaskAreTheInterpreters) {
  expect_as_interpreted(loop::ForKind::Vectorized, true);
}

TEST(HostileOperands, OfDrawnExpressionsAreTheInterpreters) {
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    std::vector<std::uint8_t> choices(120);
    for (std::uint8_t& c : choices) c = static_cast<std::uint8_t>(random());
    const loop::HostileCase drawn = drawn_case(choices, loop::Operands::Read);
    ASSERT_EQ(computed(drawn), interpreted(drawn)) << loop::to_string(drawn.func);
  }
}

}  // namespace
}  // namespace vdla::codegen
