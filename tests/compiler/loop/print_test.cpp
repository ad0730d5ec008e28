// SPDX-License-Identifier: Apache-2.0
// Loop IR text as the printer writes it.
#include "compiler/loop/print.h"

#include <gtest/gtest.h>

#include "compiler/expr/dsl.h"

namespace vdla::loop {
namespace {

using namespace vdla::expr;

TEST(Print, EveryStatement) {
  BufferPtr a = make_buffer("A", DType::I8, {8, 4});
  BufferPtr b = make_buffer("B", DType::I8, {8, 4}, kGlobalScope, {8, 1});
  BufferPtr t = make_buffer("t", DType::I8, {4}, "out");
  VarPtr i = make_var("i"), j = make_var("j");
  StmtPtr copy = store(t, {var_ref(j)}, load(a, {var_ref(i), var_ref(j)}));
  IntrinsicCall move{"copy",
                     {{b, {var_ref(i), int_imm(0)}, {4}, {1}}},
                     {{t, {int_imm(0)}, {4}, {1}}},
                     {{"low", int_imm(-128, DType::I32)}},
                     Value(i) == 0};
  StmtPtr body = allocate(t, seq({make_for(j, 4, copy, ForKind::Vectorized), intrinsic_call(move)}));
  body = if_then_else(Value(i) < 7, seq({body, store(b, {int_imm(0), int_imm(0)}, int_imm(1, DType::I8))}),
                      nop());
  Func func{"f", {{a, Direction::In}, {b, Direction::Out}}, make_for(i, 8, body, ForKind::Parallel)};
  EXPECT_EQ(to_string(func), R"(func f(in A: i8[8, 4], out B: i8[8, 4] strides [8, 1]) {
  for i in 0..8 parallel {
    if i < 7 {
      {
        alloc t: i8[4] @out
        for j in 0..4 vectorized {
          t[j] = A[i, j]
        }
        intrinsic copy(out B[i, 0] {4:1}, in t[0] {4:1}) attrs(low = -128i32) reset(i == 0)
      }
      B[0, 0] = 1i8
    } else {
    }
  }
}
)");
}

}  // namespace
}  // namespace vdla::loop
