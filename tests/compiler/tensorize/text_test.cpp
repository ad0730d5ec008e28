// SPDX-License-Identifier: Apache-2.0
// Tensorization as text: a marked nest and the call that it becomes, on a machine with 4 x 4 entries.
#include <gtest/gtest.h>

#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/tensorize/table.h"
#include "compiler/tensorize/tensorize.h"

namespace vdla::tensorize {
namespace {

std::vector<Intrinsic> table() {
  isa::Geometry g;
  g.block_in = g.block_out = 4;
  return device_intrinsics(g);
}

std::string tensorized(const std::string& text) {
  return loop::to_string(tensorize(loop::parse(text), table()));
}

TEST(Text, GemmKeepsTheOuterPartOfTheReset) {
  EXPECT_EQ(tensorized(R"(func f() {
  alloc acc: i32[8, 4] @acc
  alloc inp: i8[10, 3, 4] @inp
  alloc wgt: i8[3, 3, 4, 4] @wgt
  for y in 0..8 {
    for ky in 0..3 {
      for cb in 0..3 {
        tensorize gemm {
          for n in 0..4 {
            for k in 0..4 {
              acc[y, n] = select(ky == 0 & cb == 0 & k == 0, 0i32, acc[y, n]) + i32(inp[y + ky, cb, k]) * i32(wgt[ky, cb, n, k])
            }
          }
        }
      }
    }
  }
}
)"),
            R"(func f() {
  alloc acc: i32[8, 4] @acc
  alloc inp: i8[10, 3, 4] @inp
  alloc wgt: i8[3, 3, 4, 4] @wgt
  for y in 0..8 {
    for ky in 0..3 {
      for cb in 0..3 {
        intrinsic gemm(out acc[y, 0] {4:1}, in inp[ky + y, cb, 0] {4:1}, in wgt[ky, cb, 0, 0] {4:4, 4:1}) reset(ky == 0 & cb == 0)
      }
    }
  }
}
)");
}

TEST(Text, ProductsAndLoopsMayBeTheOtherWayRound) {
  EXPECT_EQ(tensorized(R"(func f() {
  alloc acc: i32[4] @acc
  alloc inp: i8[4] @inp
  alloc wgt: i8[4, 4] @wgt
  tensorize gemm {
    for k in 0..4 {
      for one in 0..1 {
        for n in 0..4 {
          acc[n] = i32(wgt[n, k]) * i32(inp[k]) + select(k == 0, 0i32, acc[n])
        }
      }
    }
  }
}
)"),
            R"(func f() {
  alloc acc: i32[4] @acc
  alloc inp: i8[4] @inp
  alloc wgt: i8[4, 4] @wgt
  intrinsic gemm(out acc[0] {4:1}, in inp[0] {4:1}, in wgt[0, 0] {4:4, 4:1}) reset(true)
}
)");
}

TEST(Text, AttributesAreBoundAndMissingZeroPointsAreZero) {
  EXPECT_EQ(tensorized(R"(func f() {
  alloc acc: i32[8, 4] @acc
  alloc o: i8[8, 4] @out
  for y in 0..8 {
    tensorize add {
      for n in 0..4 {
        o[y, n] = i8(min(max(acc[y, n] - 7i32, -100i32), 90i32))
      }
    }
    tensorize max {
      for n in 0..4 {
        acc[y, n] = max(select(y == 0, -2147483648i32, acc[y, n]), i32(o[0, n]))
      }
    }
    tensorize mac {
      for n in 0..4 {
        acc[y, n] = acc[y, n] + (i32(o[0, n]) + 3i32) * 5i32
      }
    }
  }
}
)"),
            R"(func f() {
  alloc acc: i32[8, 4] @acc
  alloc o: i8[8, 4] @out
  for y in 0..8 {
    intrinsic add(out o[y, 0] {4:1}, in acc[y, 0] {4:1}) attrs(imm = -7i32, out_zero = 0i32, clamp_min = -100i32, clamp_max = 90i32)
    intrinsic max(out acc[y, 0] {4:1}, in o[0, 0] {4:1}) attrs(a_offset = 0i32) reset(y == 0)
    intrinsic mac(out acc[y, 0] {4:1}, in o[0, 0] {4:1}) attrs(a_offset = 3i32, imm = 5i32) reset(false)
  }
}
)");
}

TEST(Text, ABufferThatWaitsToBeDoubledStillDoes) {
  const std::string made = tensorized(R"(func f(in X: i8[4]) {
  alloc a: i8[4] @inp double
  tensorize load {
    for n in 0..4 {
      a[n] = X[n]
    }
  }
}
)");
  EXPECT_EQ(made,
            "func f(in X: i8[4]) {\n  alloc a: i8[4] @inp double\n  intrinsic load(out a[0] {4:1}, in X[0] "
            "{4:1})\n}\n");
}

TEST(Text, CopiesCarryPaddingAndGuards) {
  EXPECT_EQ(tensorized(R"(func f(in X: i8[7, 7, 4], out Y: i8[7, 4]) {
  for yo in 0..2 {
    alloc t: i8[6, 9, 4] @inp
    tensorize load {
      for y in 0..6 {
        for x in 0..9 {
          for k in 0..4 {
            t[y, x, k] = select(yo * 4 + y >= 1 & x >= 1 & x < 8, X[yo * 4 + y - 1, x - 1, k], 3i8)
          }
        }
      }
    }
    alloc o: i8[4, 4] @out
    tensorize store {
      for y in 0..4 {
        if yo * 4 + y < 7 {
          for n in 0..4 {
            Y[yo * 4 + y, n] = o[y, n]
          }
        }
      }
    }
  }
}
)"),
            R"(func f(in X: i8[7, 7, 4], out Y: i8[7, 4]) {
  for yo in 0..2 {
    alloc t: i8[6, 9, 4] @inp
    intrinsic load(out t[0, 0, 0] {6:36, 9:4, 4:1}, in X[yo * 4 - 1, -1, 0] {6:28, 9:4, 4:1}) attrs(pad = 3i8, bound0 = yo * 4 - 1, bound0.0 = 1, bound1 = -1, bound1.1 = 1, bound2 = 7, bound2.1 = -1)
    alloc o: i8[4, 4] @out
    intrinsic store(out Y[yo * 4, 0] {4:4, 4:1}, in o[0, 0] {4:4, 4:1}) attrs(guard0 = 6 - yo * 4, guard0.0 = -1)
  }
}
)");
}

}  // namespace
}  // namespace vdla::tensorize
