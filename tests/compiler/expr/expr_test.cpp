// SPDX-License-Identifier: Apache-2.0
// Expression nodes: typing, printing, rewriting, and the language over them.
#include "compiler/expr/expr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/expr/dsl.h"
#include "compiler/expr/print.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "tests/compiler/user_error.h"

namespace vdla::expr {
namespace {

TEST(DType, NormalFormWraps) {
  EXPECT_EQ(wrap(DType::I8, 130), -126);
  EXPECT_EQ(wrap(DType::U8, -1), 255);
  EXPECT_EQ(wrap(DType::I32, std::int64_t{1} << 31), -(std::int64_t{1} << 31));
  EXPECT_EQ(wrap(DType::Bool, 256), 1);
  EXPECT_EQ(min_value(DType::I8), -128);
  EXPECT_EQ(max_value(DType::U16), 65535);
  EXPECT_EQ(max_value(DType::I64), INT64_MAX);
  for (DType t : {DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32, DType::I64}) {
    EXPECT_EQ(wrap(t, min_value(t)), min_value(t));
    EXPECT_EQ(wrap(t, max_value(t)), max_value(t));
    EXPECT_EQ(parse_dtype(name(t)), t);
  }
}

TEST(Expr, PrintsWithFewParentheses) {
  IterVar i("i", 8, IterKind::Spatial), j("j", 8, IterKind::Spatial);
  Value x(i), y(j);
  EXPECT_EQ(to_string((x + y) * 2 - (x - y)), "(i + j) * 2 - (i - j)");
  EXPECT_EQ(to_string(x - (y + 1) - 2), "i - (j + 1) - 2");
  EXPECT_EQ(to_string(floor_div(x, 4) * 4 + floor_mod(x, 4)), "floor_div(i, 4) * 4 + floor_mod(i, 4)");
  EXPECT_EQ(to_string(select(x < 3 && y >= 1, cast(DType::I8, x), -3)),
            "select(i < 3 & j >= 1, i8(i), -3i8)");
  EXPECT_EQ(to_string(cast(DType::F32, x) * 0.5), "f32(i) * 0.5f32");
  EXPECT_EQ(to_string(identity(Reducer::Max, DType::F32)), "-inf_f32");
  EXPECT_EQ(to_string(identity(Reducer::Min, DType::I8)), "127i8");
}

TEST(Expr, TypesAreChecked) {
  ExprPtr a = int_imm(1, DType::I8), b = int_imm(1, DType::I32);
  EXPECT_EQ(user_error([&] { binary(BinaryOp::Add, a, b); }),
            "'+' needs operands of one type, got i8 and i32; cast one of them");
  EXPECT_EQ(user_error([&] { (void)(Value(a) + 300); }), "number 300 does not fit i8");
  EXPECT_EQ(user_error([&] { binary(BinaryOp::Shl, float_imm(1), float_imm(1)); }),
            "'<<' is not defined for f32");
  EXPECT_EQ(user_error([&] { select(a, b, b); }), "the condition of select must be bool, got i8");
  EXPECT_EQ(user_error([&] { call(Function::Exp, {b}); }), "function 'exp' is not defined for i32");
  EXPECT_EQ(user_error([] { float_imm(0.5, DType::I32); }), "number 0.5 needs a float type, got i32");
  EXPECT_EQ(user_error([&] { call(Function::SrdhMul, {b}); }),
            "function 'srdh_mul' takes 2 arguments, got 1");
}

TEST(Expr, NotANumberEqualsItselfOnly) {
  ExprPtr nan = float_imm(std::nan(""));
  EXPECT_TRUE(equal(nan, float_imm(std::nan(""))));
  EXPECT_FALSE(equal(nan, float_imm(5)));
  EXPECT_EQ(compare(nan, float_imm(5)), -compare(float_imm(5), nan));
  EXPECT_FALSE(equal(float_imm(0.0), float_imm(-0.0)));
  // select(c, nan, 5) was folded to nan.
  ExprPtr chosen = select(var_ref(make_var("c", DType::Bool)), nan, float_imm(5));
  EXPECT_EQ(simplify(chosen, {}), chosen);
}

TEST(Tensor, ComputeKnowsShapeAxesAndInputs) {
  Tensor a = placeholder("A", {4, 6}, DType::I8), b = placeholder("B", {6, 5}, DType::I8);
  IterVar k = reduce_axis(6, "k");
  Tensor c = compute("C", {4, 5}, [&](Value i, Value j) {
    return sum(cast(DType::I32, a(i, k)) * cast(DType::I32, b(k, j)), {k});
  });
  EXPECT_THAT(c.shape(), testing::ElementsAre(4, 5));
  EXPECT_EQ(c.dtype(), DType::I32);
  EXPECT_EQ(to_string(c.compute().body), "sum(i32(A[ax0, k]) * i32(B[k, ax1]), [k])");
  EXPECT_EQ(inputs_of(c.compute().body), (std::vector<Tensor>{a, b}));
  EXPECT_EQ(c.compute().reduce_axes(), std::vector<IterVar>{k});
}

TEST(Tensor, RefusesIllegalComputes) {
  Tensor a = placeholder("A", {4, 6}, DType::F32);
  IterVar k = reduce_axis(6, "k");
  EXPECT_EQ(user_error([&] { a(Value(k)); }), "tensor 'A' has 2 dimensions, got 1 indices");
  EXPECT_EQ(user_error([&] { placeholder("A", {4, 0}, DType::F32); }),
            "tensor 'A' needs positive extents, got 0 in dimension 1");
  EXPECT_EQ(user_error([&] { compute("C", {4}, [&](Value i) { return a(i, k); }); }),
            "compute 'C' uses variable 'k', which is none of its axes");
  EXPECT_THAT(user_error([&] { compute("C", {4}, [&](Value i) { return sum(a(i, k), {k}) + 1; }); }),
              testing::HasSubstr("must be the outermost operation"));
  EXPECT_EQ(user_error([&] { compute("C", {4}, [&](Value i, Value j) { return a(i, j); }); }),
            "the function of compute takes 2 indices, the shape has 1");
}

TEST(Bounds, OfBitsHoldAllValues) {
  const VarPtr x = make_var("x"), y = make_var("y");
  for (std::int64_t low : {0, 1, 5, -3})
    for (std::int64_t high : {5, 7, 8, 12}) {
      const Ranges ranges{{x, {low, high}}, {y, {0, 9}}};
      for (const BinaryOp op : {BinaryOp::And, BinaryOp::Or, BinaryOp::Xor}) {
        const auto range = bounds(binary(op, var_ref(x), var_ref(y)), ranges);
        ASSERT_EQ(range.has_value(), low >= 0) << low << ", " << high;
        if (!range) continue;
        for (std::int64_t a = low; a <= high; ++a)
          for (std::int64_t b = 0; b <= 9; ++b) {
            const std::int64_t value = op == BinaryOp::And ? a & b : op == BinaryOp::Or ? a | b : a ^ b;
            EXPECT_TRUE(range->low <= value && value <= range->high) << a << ", " << b << ": " << value;
          }
      }
      EXPECT_EQ(bounds(logical_not(var_ref(x)), ranges), (Interval{~high, ~low}));
      EXPECT_EQ(bounds(binary(BinaryOp::Add, logical_not(var_ref(x)), var_ref(x)), ranges),
                (Interval{-1, -1}));
    }
  const Ranges both{{x, {0, 4}}, {y, {0, 9}}};
  EXPECT_EQ(bounds(binary(BinaryOp::Or, var_ref(x), var_ref(y)), both), (Interval{0, 15}));
  EXPECT_EQ(bounds(binary(BinaryOp::Xor, var_ref(x), var_ref(y)), both), (Interval{0, 15}));
}

TEST(Visit, RewriteKeepsThePointerWhereNothingChanges) {
  VarPtr x = make_var("x"), y = make_var("y");
  ExprPtr e = Value(x) * 2 + Value(y);
  EXPECT_EQ(substitute(e, {{make_var("x"), int_imm(1)}}), e);
  EXPECT_EQ(to_string(substitute(e, {{x, int_imm(3)}})), "3 * 2 + y");
  EXPECT_TRUE(uses(e, x));
  EXPECT_TRUE(equal(e, Value(x) * 2 + Value(y)));
  EXPECT_FALSE(equal(e, Value(y) * 2 + Value(x)));
}

}  // namespace
}  // namespace vdla::expr
