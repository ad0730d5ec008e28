// SPDX-License-Identifier: Apache-2.0
// The memory plan by its property.
#include <gmock/gmock.h>

#include <random>

#include "compiler/graph/memory_plan.h"

namespace vdla::graph {
namespace {

TEST(MemoryPlan, NothingAliveTogetherOverlaps) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Lifetime> buffers;
    for (std::size_t i = 0; i < 1 + random() % 30; ++i) {
      const int first = static_cast<int>(random() % 20);
      buffers.push_back(
          {static_cast<std::int64_t>(random() % 1000), first, first + static_cast<int>(random() % 6)});
    }
    const MemoryPlan plan = plan_memory(buffers, 64);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(plan.offsets[i] % 64, 0);
      EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.bytes);
      for (std::size_t j = 0; j < i; ++j) {
        const bool together = buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
        const bool apart = plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                           plan.offsets[j] + buffers[j].bytes <= plan.offsets[i];
        EXPECT_TRUE(!together || apart || buffers[i].bytes == 0 || buffers[j].bytes == 0);
      }
    }
  }
}

/// Buffers that come in any order, some of them taken back, lie as in a plan made at once.
TEST(MemoryPlan, GrowsByOneBufferAsIfMadeAnew) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Lifetime> kept;
    MemoryPlanner planner(8);
    for (int i = 0; i < 30; ++i) {
      const int first = static_cast<int>(random() % 20);
      const Lifetime life{static_cast<std::int64_t>(random() % 20 * 10), first,
                          first + static_cast<int>(random() % 6)};
      const auto moved = planner.add(life, static_cast<std::int64_t>(kept.size()));
      if (random() % 3 == 0) {
        planner.undo(moved);
      } else {
        kept.push_back(life);
      }
      const MemoryPlan plan = plan_memory(kept, 8);
      for (std::size_t k = 0; k < kept.size(); ++k) ASSERT_EQ(planner.offset(k), plan.offsets[k]) << trial;
    }
  }
}

/// 100,000 buffers of a chain took the square of their number.
TEST(MemoryPlan, AChainIsPlannedInTimeThatGrowsWithIt) {
  std::vector<Lifetime> chain;
  for (int i = 0; i < 100'000; ++i) chain.push_back({1 + i % 7, i, i + 1});
  EXPECT_LE(plan_memory(chain, 1).bytes, 14);
}

TEST(MemoryPlan, AChainNeedsTwoBuffers) {
  const MemoryPlan plan = plan_memory({{100, 0, 1}, {100, 1, 2}, {100, 2, 3}, {100, 3, 4}}, 1);
  EXPECT_EQ(plan.bytes, 200);
}

}  // namespace
}  // namespace vdla::graph
