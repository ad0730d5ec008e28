// SPDX-License-Identifier: Apache-2.0
// Lowering shown as text: tiled nests have clean affine indices and no guards where the tiles divide.
#include "compiler/lower/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/expr/dsl.h"
#include "compiler/loop/print.h"

namespace vdla::lower {
namespace {

using namespace vdla::expr;
using schedule::Schedule;

struct Matmul {
  Tensor a = placeholder("A", {64, 48}, DType::I8), b = placeholder("B", {48, 32}, DType::I8);
  IterVar k = reduce_axis(48, "k");
  Tensor c = compute(
      "C", {64, 32},
      [this](Value i, Value j) { return sum(cast(DType::I32, a(i, k)) * cast(DType::I32, b(k, j)), {k}); },
      {"i", "j"});
  Schedule s{{c}};

  std::string text() const { return loop::to_string(lower(s, {a, b, c}, "matmul")); }
};

TEST(Lower, DefaultScheduleIsOneLoopPerAxis) {
  EXPECT_EQ(Matmul().text(), R"(func matmul(in A: i8[64, 48], in B: i8[48, 32], out C: i32[64, 32]) {
  for i in 0..64 {
    for j in 0..32 {
      C[i, j] = 0i32
      for k in 0..48 {
        C[i, j] = C[i, j] + i32(A[i, k]) * i32(B[k, j])
      }
    }
  }
}
)");
}

TEST(Lower, TiledMatmulHasCleanIndicesAndExactTiles) {
  Matmul m;
  Schedule& s = m.s;
  Tensor acc = s.cache_write(m.c, "acc");
  auto [io, jo, ii, ji] = s[m.c].tile(s[m.c].axis(0), s[m.c].axis(1), 16, 16);
  s[acc].compute_at(s[m.c], jo);
  auto [ko, ki] = s[acc].split(m.k, 8);
  s[acc].reorder({ko, s[acc].axis(0), s[acc].axis(1), ki});
  Tensor tile_a = s.cache_read(m.a, "inp", {acc});
  s[tile_a].compute_at(s[acc], ko);
  s[acc].tensorize(s[acc].axis(0), "gemm");
  EXPECT_EQ(m.text(), R"(func matmul(in A: i8[64, 48], in B: i8[48, 32], out C: i32[64, 32]) {
  for i.o in 0..4 {
    for j.o in 0..2 {
      alloc C.acc: i32[16, 16] @acc
      for k.o in 0..6 {
        alloc A.inp: i8[16, 8] @inp
        for ax0 in 0..16 {
          for ax1 in 0..8 {
            A.inp[ax0, ax1] = A[i.o * 16 + ax0, k.o * 8 + ax1]
          }
        }
        tensorize gemm {
          for i in 0..16 {
            for j in 0..16 {
              for k.i in 0..8 {
                C.acc[i, j] = select(k.o == 0 & k.i == 0, 0i32, C.acc[i, j]) + i32(A.inp[i, k.i]) * i32(B[k.o * 8 + k.i, j.o * 16 + j])
              }
            }
          }
        }
      }
      for i.i in 0..16 {
        for j.i in 0..16 {
          C[i.o * 16 + i.i, j.o * 16 + j.i] = C.acc[i.i, j.i]
        }
      }
    }
  }
}
)");
}

}  // namespace
}  // namespace vdla::lower
