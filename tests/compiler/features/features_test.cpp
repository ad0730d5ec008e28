// SPDX-License-Identifier: Apache-2.0
// Features of programs small enough to count by hand.
#include "compiler/features/features.h"

#include <gtest/gtest.h>

#include "compiler/loop/parse.h"

namespace vdla::features {
namespace {

const BufferTouch& touch(const LoopFeatures& loop, const std::string& name) {
  for (const BufferTouch& t : loop.buffers) {
    if (t.buffer->name == name) return t;
  }
  throw std::runtime_error("no buffer " + name);
}

/// C[i, j] += A[i, k] * B[k, j] for 8 x 16 x 4.
const char* const kProduct = R"(func f(in A: f32[8, 4], in B: f32[4, 16], inout C: f32[8, 16]) {
  for i in 0..8 parallel {
    for k in 0..4 {
      for j in 0..16 vectorized { C[i, j] = C[i, j] + A[i, k] * B[k, j] }
    }
  }
})";

constexpr std::size_t kLoopKinds = 0
#define VDLA_ONE(name, text) +1
    VDLA_FOR_KINDS(VDLA_ONE)
#undef VDLA_ONE
    ;

TEST(Features, OfAMatrixProduct) {
  const auto loops = extract(loop::parse(kProduct));
  ASSERT_EQ(loops.size(), 3u);
  const LoopFeatures &i = loops[0], &k = loops[1], &j = loops[2];
  EXPECT_EQ(i.kind, loop::ForKind::Parallel);
  EXPECT_EQ(j.kind, loop::ForKind::Vectorized);
  EXPECT_EQ(i.runs, 1);
  EXPECT_EQ(k.runs, 8);
  EXPECT_EQ(j.runs, 32);
  EXPECT_EQ(j.depth, 2u);
  EXPECT_EQ(j.float_ops, 2);
  EXPECT_EQ(i.float_ops, 2 * 4 * 16);
  // The whole of B for every i, in steps of one along j and of a row along k.
  EXPECT_EQ(touch(i, "B").touched_bytes, 4 * 16 * 4);
  EXPECT_EQ(touch(i, "B").accesses, 8 * 4 * 16);
  EXPECT_EQ(touch(i, "B").reuse, 8);
  EXPECT_EQ(touch(i, "B").stride, 0);
  EXPECT_EQ(touch(k, "B").stride, 16);
  EXPECT_EQ(touch(j, "B").stride, 1);
  EXPECT_EQ(touch(j, "A").touched_bytes, 4);
  EXPECT_EQ(touch(j, "A").reuse, 16);
  EXPECT_EQ(touch(k, "A").touched_bytes, 16);
  EXPECT_EQ(touch(k, "C").accesses, 2 * 4 * 16);
  EXPECT_EQ(touch(k, "C").touched_bytes, 16 * 4);
  EXPECT_TRUE(touch(k, "C").loads && touch(k, "C").stores);
  EXPECT_FALSE(touch(k, "A").stores);
}

TEST(Features, WindowsOverlap) {
  const auto loops = extract(loop::parse(R"(func f(in A: i32[10], out C: i32[8]) {
  for i in 0..8 { C[i] = 0i32
    for r in 0..3 { C[i] = C[i] + A[i + r] } } })"));
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(touch(loops[0], "A").accesses, 24);
  EXPECT_EQ(touch(loops[0], "A").touched_bytes, 10 * 4);
  EXPECT_EQ(touch(loops[1], "A").touched_bytes, 3 * 4);
  EXPECT_EQ(loops[1].int_ops, 1);
}

TEST(Features, DivisionsOfAVariableTouchTheDimension) {
  const auto loops = extract(loop::parse(R"(func f(in A: i32[6, 2], out C: i32[8]) {
  for i in 0..8 { C[i] = A[floor_div(i, 2), 1] } })"));
  EXPECT_EQ(touch(loops[0], "A").touched_bytes, 6 * 4);  // an upper bound: four of them
}

TEST(Features, RowsAreEquallyLong) {
  const auto loops = extract(loop::parse(kProduct));
  for (const LoopFeatures& loop : loops) EXPECT_EQ(to_row(loop).size(), 5u + kLoopKinds + 4u * 6u);
  EXPECT_NE(to_row(loops[0]), to_row(loops[1]));
}

}  // namespace
}  // namespace vdla::features
