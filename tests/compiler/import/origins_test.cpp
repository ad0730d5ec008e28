// SPDX-License-Identifier: Apache-2.0
// Names of what an imported value was made of.
#include "compiler/import/origins.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace vdla::import {
namespace {

/// Each value of a chain held the names of all before it.
TEST(Origins, OfAChainShareWhatIsBefore) {
  constexpr int kValues = 200'000;
  std::vector<Origins> values;
  for (int i = 0; i < kValues; ++i) {
    Origins next("t" + std::to_string(i));
    if (i > 0) next.add(values.back(), Likeness::Within);
    values.push_back(std::move(next));
  }
  const Sources names = values.back().list();
  values.clear();  // nor is the stack as deep as the chain is long
  ASSERT_EQ(names.size(), std::size_t{kValues});
  EXPECT_EQ(names[0], (SourceTensor{"t199999", Likeness::Same}));
  EXPECT_EQ(names[1], (SourceTensor{"t199998", Likeness::Within}));
}

TEST(Origins, KeepTheCloserLikeness) {
  const Origins shared("a");
  Origins both("y");
  Origins far("b");
  far.add(shared, Likeness::From);
  both.add(far, Likeness::Within);
  both.add(shared, Likeness::Reordered);
  EXPECT_EQ(both.list(),
            (Sources{{"y", Likeness::Same}, {"a", Likeness::Reordered}, {"b", Likeness::Within}}));
}

}  // namespace
}  // namespace vdla::import
