// SPDX-License-Identifier: Apache-2.0
// Operands that processors disagree about: the simplifier folds them as the interpreter computes them.
#include "tests/compiler/loop/hostile.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/loop/print.h"
#include "compiler/loop/simplify.h"

namespace vdla::loop {
namespace {

TEST(HostileOperands, AreFoldedAsTheyAreInterpreted) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::uint8_t> choices(80);
    for (std::uint8_t& c : choices) c = static_cast<std::uint8_t>(random());
    const HostileCase drawn = drawn_case(choices, Operands::Constant);
    HostileCase folded = drawn;
    folded.func = simplify(folded.func);
    ASSERT_EQ(interpreted(folded), interpreted(drawn)) << to_string(drawn.func) << to_string(folded.func);
  }
}

}  // namespace
}  // namespace vdla::loop
