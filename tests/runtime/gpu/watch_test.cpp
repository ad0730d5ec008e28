// SPDX-License-Identifier: Apache-2.0
// What is kept of accesses.
#include "runtime/gpu/watch.h"

#include <gtest/gtest.h>

#include <array>

namespace vdla::gpu {
namespace {

TEST(Watch, SaysWhereALineIsBeyondWhatItKeeps) {
  std::array<std::byte, 4> memory{};
  const std::uint32_t last = Watch::kLineBeyond - 1;
  for (const auto& [line, says] : {std::pair(last, last), std::pair(last + 1, Watch::kLineBeyond + 0),
                                   std::pair(700'000U, Watch::kLineBeyond + 0)}) {
    Watch watch({memory}, {});
    watch.begin_launch();
    watch.begin_block();
    EXPECT_FALSE(watch.access({0, memory.data(), 4, true, line}));
    const auto fault = watch.access({1, memory.data(), 4, false, 3});
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->other_line, says);
  }
}

}  // namespace
}  // namespace vdla::gpu
