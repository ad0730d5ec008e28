// SPDX-License-Identifier: Apache-2.0
// What transports to real memory share: blocks of a region, copies by aligned words.
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "driver/memory/arena.h"
#include "driver/memory/copy.h"

namespace vdla::driver {
namespace {

class Arena : public ::testing::Test {
 protected:
  std::uint64_t take(std::uint64_t bytes, std::uint64_t alignment = 1) {
    std::uint64_t first = 0;
    EXPECT_EQ(vdla_arena_take(&arena, bytes, alignment, &first), VDLA_ARENA_OK) << bytes;
    return first;
  }

  std::array<vdla_block, 4> blocks{};
  vdla_arena arena{
      .first = 0x1000, .bytes = 0x1000, .line = 64, .blocks = blocks.data(), .used = 0, .capacity = 4};
};

TEST_F(Arena, NoTwoBlocksShareALineOfTheCaches) {
  EXPECT_EQ(take(1), 0x1000u);
  EXPECT_EQ(take(65), 0x1040u);
  EXPECT_EQ(take(0), 0x10c0u) << "a block of nothing has an address of its own";
  EXPECT_EQ(take(8, 0x800), 0x1800u);
  EXPECT_EQ(vdla_arena_taken(&arena), 64u + 128 + 64 + 64);
}

TEST_F(Arena, GapsAreUsedAgain) {
  const auto a = take(64), b = take(128), c = take(64);
  vdla_arena_give_back(&arena, b);
  EXPECT_EQ(take(192), c + 64) << "the gap is too small";
  EXPECT_EQ(take(100), b);
  vdla_arena_give_back(&arena, a + 1);
  EXPECT_EQ(arena.used, 4u) << "no block begins there";
  vdla_arena_give_back(&arena, a);
  EXPECT_EQ(take(1), a);
}

TEST_F(Arena, SaysWhyThereIsNoBlock) {
  std::uint64_t first = 0;
  EXPECT_EQ(vdla_arena_take(&arena, 64, 3, &first), VDLA_ARENA_ALIGNMENT);
  EXPECT_EQ(vdla_arena_take(&arena, 0x1001, 1, &first), VDLA_ARENA_FULL);
  EXPECT_EQ(vdla_arena_take(&arena, UINT64_MAX, 1, &first), VDLA_ARENA_FULL);
  EXPECT_EQ(vdla_arena_take(&arena, 64, 0x10000, &first), VDLA_ARENA_FULL);
  for (int i = 0; i < 4; ++i) take(64);
  EXPECT_EQ(vdla_arena_take(&arena, 64, 1, &first), VDLA_ARENA_TABLE);
  vdla_arena_give_back(&arena, 0x1000);
  vdla_arena_give_back(&arena, 0x1040);
  vdla_arena_give_back(&arena, 0x1080);
  vdla_arena_give_back(&arena, 0x10c0);
  EXPECT_EQ(take(0x1000), 0x1000u);
  EXPECT_EQ(vdla_arena_take(&arena, 1, 1, &first), VDLA_ARENA_FULL);
}

TEST_F(Arena, RandomBlocksNeverOverlap) {
  std::mt19937 random(5);
  std::vector<vdla_block> table(64), mine;
  arena = {.first = 0x1000, .bytes = 0x8000, .line = 32, .blocks = table.data(), .used = 0, .capacity = 64};
  for (int step = 0; step < 4000; ++step) {
    std::uint64_t first = 0;
    const std::uint64_t bytes = random() % 2000, alignment = 1ull << random() % 9;
    if (random() % 2 == 0 && vdla_arena_take(&arena, bytes, alignment, &first) == VDLA_ARENA_OK) {
      EXPECT_EQ(first % std::max<std::uint64_t>(alignment, 32), 0u);
      EXPECT_TRUE(vdla_arena_contains(&arena, first, bytes));
      for (const vdla_block& other : mine)
        ASSERT_TRUE(first / 32 > (other.first + other.bytes) / 32 ||
                    (first + bytes) / 32 < other.first / 32 || first >= other.first + other.bytes ||
                    first + bytes <= other.first);
      mine.push_back({first, bytes});
    } else if (!mine.empty()) {
      const std::size_t which = random() % mine.size();
      vdla_arena_give_back(&arena, mine[which].first);
      mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(which));
    }
    ASSERT_EQ(arena.used, mine.size());
  }
}

TEST_F(Arena, KnowsWhatIsItsOwn) {
  EXPECT_TRUE(vdla_arena_contains(&arena, 0x1000, 0x1000));
  EXPECT_FALSE(vdla_arena_contains(&arena, 0x1000, 0x1001));
  EXPECT_FALSE(vdla_arena_contains(&arena, 0xfff, 1));
  EXPECT_FALSE(vdla_arena_contains(&arena, 0x1001, UINT64_MAX));
}

TEST(Copy, MovesExactlyTheBytesAtAnyAlignment) {
  alignas(16) std::array<unsigned char, 64> device{};
  std::array<unsigned char, 64> host{}, back{};
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i + 1);
  for (std::size_t at = 0; at < 9; ++at)
    for (std::size_t from = 0; from < 9; ++from)
      for (std::size_t bytes = 0; bytes < 40; ++bytes) {
        device.fill(0xee);
        back.fill(0xdd);
        vdla_copy_to_device(reinterpret_cast<std::uintptr_t>(&device[at]), &host[from], bytes);
        vdla_copy_from_device(&back[from], reinterpret_cast<std::uintptr_t>(&device[at]), bytes);
        for (std::size_t i = 0; i < 64; ++i) {
          ASSERT_EQ(device[i], i >= at && i < at + bytes ? host[from + i - at] : 0xee);
          ASSERT_EQ(back[i], i >= from && i < from + bytes ? host[i] : 0xdd);
        }
      }
}

}  // namespace
}  // namespace vdla::driver
