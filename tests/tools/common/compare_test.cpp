// SPDX-License-Identifier: Apache-2.0
// When two engines' cycles are too far apart.
#include "tools/common/compare.h"

#include <gmock/gmock.h>

namespace vdla::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

runtime::Result result_of(const std::vector<std::uint64_t>& cycles) {
  runtime::Result result;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    runtime::LayerResult layer;
    layer.name = "layer" + std::to_string(i);
    layer.cost.cycles = cycles[i];
    result.layers.push_back(layer);
    result.cycles += cycles[i];
  }
  return result;
}

Comparison compare(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  return compare_cycles("systemc", result_of(a), "rtl", result_of(b));
}

TEST(CompareCycles, EqualRunsAreWithinAnyLimit) {
  const Comparison c = compare({100, 0, 300}, {100, 0, 300});
  EXPECT_TRUE(c.equal());
  EXPECT_THAT(c.beyond({0, 0}), ElementsAre());
}

TEST(CompareCycles, ALayerMayDifferByItsLimitAndNoMore) {
  EXPECT_THAT(compare({1000, 9000}, {1020, 9000}).beyond({}), ElementsAre());
  EXPECT_THAT(compare({1000, 9000}, {980, 9000}).beyond({}), ElementsAre());
  EXPECT_THAT(compare({1000, 9000}, {1021, 9000}).beyond({}),
              ElementsAre(HasSubstr("layer 'layer0': 1000 cycles on systemc, 1021 on rtl: +2.100 %")));
  EXPECT_THAT(compare({1000, 9000}, {979, 9000}).beyond({}), ElementsAre(HasSubstr("layer 'layer0'")));
  EXPECT_FALSE(compare({1000, 9000}, {1001, 9000}).equal());
}

TEST(CompareCycles, TheTotalHasALimitOfItsOwn) {
  EXPECT_THAT(compare({5000, 5000}, {5050, 5050}).beyond({}), ElementsAre());
  EXPECT_THAT(compare({5000, 5000}, {5051, 5050}).beyond({}), ElementsAre(HasSubstr("total: 10000 cycles")));
  // Layers that make up for each other differ all the same.
  const Comparison moved = compare({5000, 5000}, {5010, 4990});
  EXPECT_FALSE(moved.equal());
  EXPECT_EQ(moved.beyond({0, 0}).size(), 2u);
}

TEST(CompareCycles, CyclesWhereTheFirstHasNoneAreBeyondAnyLimit) {
  EXPECT_EQ(compare({0, 1000}, {1, 1000}).beyond({}).size(), 1u);
}

}  // namespace
}  // namespace vdla::tools
