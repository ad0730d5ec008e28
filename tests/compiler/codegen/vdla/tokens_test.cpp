// SPDX-License-Identifier: Apache-2.0
// The bound on tokens in flight, the placement of instances, and the regions of instructions.
#include <gtest/gtest.h>

#include <random>

#include "compiler/codegen/vdla/passes.h"
#include "compiler/codegen/vdla/region.h"
#include "compiler/codegen/vdla/sram.h"
#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/verify/verify.h"
#include "tests/compiler/codegen/vdla/geometries.h"

namespace vdla::codegen::testing {
namespace {

TEST(Tokens, NeverMoreThanAChannelHolds) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "load inp[" + std::to_string(i) + "] = input[0]\n";
  for (int i = 0; i < 40; ++i)
    text += "vector out[" + std::to_string(i) + "] = add(inp[" + std::to_string(i) + "])\n";
  const isa::Geometry g = small_geometry();
  Stream stream;
  stream.geometry = g;
  for (const isa::InsnWords& words : isa::assemble(text).insns)
    stream.insns.emplace_back(*isa::try_decode(words));
  order_hazards(stream);
  insert_tokens(stream);
  isa::Program program;
  program.geometry = g;
  program.data_window_sizes[static_cast<std::size_t>(isa::Window::Input)] = 64;
  unsigned pushes = 0;
  for (const StreamInsn& s : stream.insns) {
    program.insns.push_back(s.insn);
    pushes += isa::pushes_of(s.insn) != 0;
  }
  program.insns.push_back(isa::FinishInsn{});
  EXPECT_EQ(isa::verify(program).text(), "");
  EXPECT_EQ(pushes, g.token_depth);
}

TEST(Sram, InstancesTakeTheSpaceFreedLongestAgo) {
  SramAllocator sram(10, 1);
  EXPECT_EQ(sram.take(4), 0);
  EXPECT_EQ(sram.take(4), 4);
  EXPECT_EQ(sram.take(4), std::nullopt);
  EXPECT_EQ(sram.largest_gap(), 2);
  sram.give_back(4);
  sram.give_back(0);
  EXPECT_EQ(sram.take(4), 4) << "4..8 was given back before 0..4";
  EXPECT_EQ(sram.take(4), 0);
}

TEST(Sram, EntriesThatAreAskedForMustBeFree) {
  SramAllocator sram(10, 1);
  EXPECT_TRUE(sram.take_at(6, 4));
  EXPECT_FALSE(sram.take_at(3, 4)) << "6 is taken";
  EXPECT_FALSE(sram.take_at(10, 1)) << "beyond the depth";
  EXPECT_EQ(sram.largest_gap(), 6);
  EXPECT_EQ(sram.take(6), 0);
  sram.give_back(6);
  EXPECT_TRUE(sram.take_at(7, 2));
}

TEST(Sram, BanksAlternate) {
  SramAllocator sram(16, 2);
  EXPECT_EQ(sram.take(3), 0);
  sram.give_back(0);
  EXPECT_EQ(sram.take(3), 8);
  sram.give_back(8);
  EXPECT_EQ(sram.take(3), 3) << "in the other bank, never used";
  EXPECT_EQ(sram.take(8), 8);
  EXPECT_EQ(sram.take(9), std::nullopt);
}

TEST(Sram, RandomInstancesNeverOverlap) {
  std::mt19937 random(1);
  SramAllocator sram(64, 2);
  std::vector<std::pair<std::int64_t, std::int64_t>> live;
  int placed = 0;
  for (int i = 0; i < 3000; ++i) {
    if (live.size() > 4 || (!live.empty() && random() % 3 == 0)) {
      const std::size_t victim = random() % live.size();
      sram.give_back(live[victim].first);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
      continue;
    }
    const std::int64_t size = 1 + static_cast<std::int64_t>(random() % 20);
    const auto base = sram.take(size);
    if (!base) {
      EXPECT_LT(sram.largest_gap(), size);
      continue;
    }
    ++placed;
    ASSERT_GE(*base, 0);
    ASSERT_LE(*base + size, 64);
    for (const auto& [other, length] : live) ASSERT_TRUE(*base >= other + length || other >= *base + size);
    live.emplace_back(*base, size);
  }
  EXPECT_GT(placed, 500);
}

TEST(Region, IntervalsCoverTheBoxExactly) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    Box box{static_cast<std::int64_t>(random() % 5), 1 + static_cast<std::int64_t>(random() % 3), {}};
    const std::size_t dims = random() % 4;
    for (std::size_t d = 0; d < dims; ++d) box.dims.emplace_back(1 + random() % 4, 1 + random() % 12);
    std::vector<int> expected(300), seen(300);
    const std::function<void(std::size_t, std::int64_t)> mark = [&](std::size_t d, std::int64_t base) {
      if (d == box.dims.size()) {
        for (std::int64_t r = 0; r < box.run; ++r) expected[static_cast<std::size_t>(base + r)] = 1;
        return;
      }
      for (std::int64_t n = 0; n < box.dims[d].first; ++n) mark(d + 1, base + n * box.dims[d].second);
    };
    mark(0, box.base);
    for_each_interval(box, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t at = begin; at < end; ++at) seen[static_cast<std::size_t>(at)] = 1;
    });
    ASSERT_EQ(seen, expected);
  }
}

}  // namespace
}  // namespace vdla::codegen::testing
