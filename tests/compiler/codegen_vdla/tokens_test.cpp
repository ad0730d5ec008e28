// SPDX-License-Identifier: Apache-2.0
// Tokens of hand-written streams, and the placement of instances.
#include <gtest/gtest.h>

#include <random>

#include "compiler/codegen/vdla/region.h"
#include "compiler/codegen/vdla/sram.h"
#include "compiler/codegen/vdla/tokens.h"
#include "compiler/codegen/vdla/uops.h"
#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/verify/verify.h"
#include "tests/compiler/codegen_vdla/geometries.h"

namespace vdla::codegen::testing {
namespace {

/// Instructions without tokens; every gemm uses the micro-op of zeros.
Stream stream_of(const std::string& text, KernelTable& kernels) {
  Stream stream;
  const isa::Assembly assembly = isa::assemble(text);
  for (const isa::InsnWords& words : assembly.insns) {
    const isa::Insn insn = *isa::try_decode(words);
    stream.push_back({insn, 0, std::holds_alternative<isa::GemmInsn>(insn) ? kernels.add({}) : kNoKernel});
  }
  return stream;
}

std::string with_tokens(const std::string& text, const isa::Geometry& g = small_geometry()) {
  KernelTable kernels;
  Stream stream = stream_of(text, kernels);
  insert_tokens(stream, kernels, g);
  std::string result;
  for (const StreamInsn& s : stream) result += isa::to_text(s.insn) + "\n";
  return result;
}

TEST(Tokens, OneEachWayAndNoneThatAnotherImplies) {
  EXPECT_EQ(with_tokens("load inp[0] = input[0] run 4\n"
                        "load par[0] = const[0] run 3\n"
                        "vector out[i4] = scale(inp[i4], par[0]) for i4<4 clamp -128 127\n"
                        "store output[0] = out[0] run 4\n"
                        "load inp[0] = input[16] run 4\n"
                        "vector out[i4] = scale(inp[i4], par[0]) for i4<4 clamp -128 127\n"),
            "load inp[0] = input[0] run 4\n"
            "load par[0] = const[0] run 3 push vector\n"
            "vector out[i4] = scale(inp[i4], par[0]) for i4<4 pop load push load, store\n"
            "store output[0] = out[0] run 4 pop vector push vector\n"
            "load inp[0] = input[16] run 4 pop vector push vector\n"
            "vector out[i4] = scale(inp[i4], par[0]) for i4<4 pop load, store\n");
}

TEST(Tokens, DramIsAResourceToo) {
  EXPECT_EQ(with_tokens("store act[0] = out[0] run 4\n"
                        "load inp[0] = act[12] run 1\n"
                        "load inp[1] = act[16] run 1\n"
                        "store act[0] = out[0] run 5\n"),
            "store act[0] = out[0] run 4 push load\n"
            "load inp[0] = act[12] pop store\n"
            "load inp[1] = act[16] push store\n"
            "store act[0] = out[0] run 5 pop load\n");
}

// Gemm reads and writes the bank of its accumulators in each cycle: what lies there must be read before.
TEST(Tokens, GemmDoesNotOvertakeTheTilesOfItsBank) {
  EXPECT_EQ(with_tokens("gemm acc[0] = inp[0] * wgt[0] uops[0, 1]\n"
                        "vector out[0] = add(acc[0])\n"
                        "gemm acc[128] = inp[0] * wgt[0] uops[0, 1]\n"
                        "vector out[1] = add(acc[128])\n"
                        "gemm acc[4] = inp[0] * wgt[0] uops[0, 1]\n"),
            "gemm acc[0] = inp[0] * wgt[0] push vector\n"
            "vector out[0] = add(acc[0]) pop gemm push gemm\n"
            "gemm acc[128] = inp[0] * wgt[0] push vector\n"
            "vector out[1] = add(acc[128]) pop gemm\n"
            "gemm acc[4] = inp[0] * wgt[0] pop vector\n");
}

TEST(Tokens, NeverMoreThanAChannelHolds) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "load inp[" + std::to_string(i) + "] = input[0]\n";
  for (int i = 0; i < 40; ++i)
    text += "vector out[" + std::to_string(i) + "] = add(inp[" + std::to_string(i) + "])\n";
  KernelTable kernels;
  const isa::Geometry g = small_geometry();
  Stream stream = stream_of(text, kernels);
  insert_tokens(stream, kernels, g);
  isa::Program program;
  program.geometry = g;
  program.data_window_sizes[static_cast<std::size_t>(isa::Window::Input)] = 64;
  unsigned pushes = 0;
  for (const StreamInsn& s : stream) {
    program.insns.push_back(s.insn);
    pushes += isa::pushes_of(s.insn) != 0;
  }
  program.insns.push_back(isa::FinishInsn{});
  EXPECT_EQ(isa::verify(program).text(), "");
  EXPECT_EQ(pushes, g.token_depth);
}

TEST(MicroOps, AreReplacedWhenTheBufferIsFull) {
  isa::Geometry g = small_geometry();
  g.uop_depth = 128;
  KernelTable kernels;
  Stream stream;
  for (std::int64_t k : {0, 1, 0, 2, 1}) {
    isa::GemmInsn gemm;
    gemm.uop_count = 60;
    stream.push_back({gemm, 0, kernels.add({{60, 0, k, 0}})});
  }
  place_uops(stream, kernels, g);
  insert_tokens(stream, kernels, g);
  std::string text;
  for (const StreamInsn& s : stream) text += isa::to_text(s.insn) + "\n";
  EXPECT_EQ(text,
            "load uop[0] = uop[0] run 60 push gemm\n"
            "gemm acc[0] += inp[0] * wgt[0] uops[0, 60] pop load\n"
            "load uop[60] = uop[480] run 60 push gemm\n"
            "gemm acc[0] += inp[0] * wgt[0] uops[60, 60] pop load push load\n"
            "gemm acc[0] += inp[0] * wgt[0] uops[0, 60] push load\n"
            "load uop[60] = uop[960] run 60 pop gemm push gemm\n"
            "gemm acc[0] += inp[0] * wgt[0] uops[60, 60] pop load\n"
            "load uop[0] = uop[480] run 60 pop gemm push gemm\n"
            "gemm acc[0] += inp[0] * wgt[0] uops[0, 60] pop load\n");
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
