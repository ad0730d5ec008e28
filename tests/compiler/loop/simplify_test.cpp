// SPDX-License-Identifier: Apache-2.0
// The statement simplifier on text, and the expression simplifier against evaluation.
#include "compiler/loop/simplify.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/expr/dsl.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"

namespace vdla::loop {
namespace {

using namespace vdla::expr;

std::string simplified(const std::string& body) {
  std::string text = to_string(simplify(parse("func f(out B: i64[64]) {" + body + "}")));
  std::string head = "func f(out B: i64[64]) {\n";
  return text.substr(head.size(), text.size() - head.size() - 2);
}

TEST(Simplify, LoopsOfOneAndOfNoIterationGo) {
  EXPECT_EQ(simplified("for i in 5..6 { B[i] = i }"), "  B[5] = 5\n");
  EXPECT_EQ(simplified("for i in 5..5 { B[i] = i }"), "");
  EXPECT_EQ(simplified("for i in 0..9 { for j in 0..0 { B[i] = i } }"), "");
}

TEST(Simplify, OneBlockStaysAroundTheMemoryOfItsThreads) {
  const std::string block =
      "  for b in 0..1 block.x {\n    alloc s: i64[4] @shared\n    for t in 0..4 thread.x {\n      s[t] = "
      "t\n    }\n"
      "    B[0] = s[3]\n  }\n";
  EXPECT_EQ(simplified("for c in 0..1 block.y { " + block + " }"), block);
  EXPECT_EQ(simplified("for b in 0..1 block.x { alloc s: i64[1] s[0] = 2 B[0] = s[0] }"),
            "  alloc s: i64[1]\n  s[0] = 2\n  B[0] = s[0]\n");
}

TEST(Simplify, GuardsThatTheRangesDecideGo) {
  EXPECT_EQ(simplified("for i in 0..4 { for j in 0..8 { if i * 8 + j < 32 { B[i * 8 + j] = 1 } } }"),
            "  for i in 0..4 {\n    for j in 0..8 {\n      B[i * 8 + j] = 1\n    }\n  }\n");
  EXPECT_EQ(simplified("for i in 0..4 { if i >= 4 { B[i] = 1 } }"), "");
  EXPECT_EQ(simplified("for i in 0..8 { if i < 4 { B[i] = select(i < 6, i, 0) } }"),
            "  for i in 0..8 {\n    if i < 4 {\n      B[i] = i\n    }\n  }\n");
}

TEST(Simplify, ConditionsMoveOutOfLoopsThatTheyDoNotNeed) {
  EXPECT_EQ(simplified("for i in 0..8 { for j in 0..8 { if i < 4 & j < 5 & i + j < 6 { B[i + j] = 1 } } }"),
            "  for i in 0..8 {\n    if i < 4 {\n      for j in 0..8 {\n        if j < 5 & i + j < 6 {\n"
            "          B[i + j] = 1\n        }\n      }\n    }\n  }\n");
}

TEST(Simplify, BoundsThatReadMemoryAreReadOnce) {
  // B[B[1]] after the store is not what it was before.
  EXPECT_EQ(simplified("for i in B[0] extent 1 { B[0] = 3 B[1] = i }"),
            "  for i in B[0] extent 1 {\n    B[0] = 3\n    B[1] = i\n  }\n");
}

TEST(Simplify, ConditionsThatDivideLeaveLoops) {
  EXPECT_EQ(
      simplified("for j in 0..4 { for i in 0 extent j { if floor_div(12, j) > 5 { B[i] = 1 } } }"),
      "  for j in 0..4 {\n    if floor_div(12, j) > 5 {\n      for i in 0 extent j {\n        B[i] = 1\n"
      "      }\n    }\n  }\n");
  EXPECT_EQ(
      simplified("for j in 1..4 { for i in 0 extent j { if floor_div(12, j) > 5 { B[i] = 1 } } }"),
      "  for j in 1..4 {\n    if floor_div(12, j) >= 6 {\n      for i in 0 extent j {\n        B[i] = 1\n"
      "      }\n    }\n  }\n");
}

class SimplifyIndex : public testing::Test {
 protected:
  std::string text(const Value& e) { return to_string(expr::simplify(e.expr(), ranges)); }

  VarPtr i = make_var("i"), j = make_var("j"), f = make_var("f");
  Value x{i}, y{j}, z{f};
  Ranges ranges = {{i, {0, 3}}, {j, {0, 7}}, {f, {0, 31}}};
};

TEST_F(SimplifyIndex, SumsAreCanonical) {
  EXPECT_EQ(text(y + x * 8 - 1 + 3), "i * 8 + j + 2");
  EXPECT_EQ(text((x + y) * 2 - x - x), "j * 2");
  EXPECT_EQ(text(Value(3) - x), "3 - i");
}

TEST_F(SimplifyIndex, SplitsAndFusesCancel) {
  EXPECT_EQ(text(floor_div(x * 8 + y, 8)), "i");
  EXPECT_EQ(text(floor_mod(x * 8 + y, 8)), "j");
  EXPECT_EQ(text(floor_div(z, 8) * 8 + floor_mod(z, 8)), "f");
  EXPECT_EQ(text(floor_div(x * 8 + y, 16)), "floor_div(i, 2)");
  EXPECT_EQ(text(floor_mod(x * 8 + y, 16)), "floor_mod(i, 2) * 8 + j");
  EXPECT_EQ(text(floor_div(floor_div(z, 2), 4)), "floor_div(f, 8)");
}

TEST_F(SimplifyIndex, RangesDecide) {
  EXPECT_EQ(text(minimum(x, y + 4)), "i");
  EXPECT_EQ(text(maximum(x * 2, 7)), "7");
  EXPECT_EQ(text(select(x * 2 < 7 && y >= 0, x, y)), "i");
  EXPECT_EQ(text(x * 4 + 2 < y * 4), "i - j < 0");
  EXPECT_EQ(text(x * 4 <= 9), "i < 3");
}

TEST_F(SimplifyIndex, DifferencesThatWrapDecideNothing) {
  Value lowest(int_imm(INT64_MIN)), highest(int_imm(INT64_MAX));
  EXPECT_EQ(text(maximum(x, lowest)), "i");
  EXPECT_EQ(text(minimum(x, lowest)), to_string(lowest));
  EXPECT_EQ(text(x > lowest), "true");
  EXPECT_EQ(text(x - 1 < lowest), "false");
  // Nothing is known of a[i]: it plus one may be less than it.
  Value element(load(make_buffer("A", DType::I64, {4}), {x}));
  EXPECT_EQ(text(maximum(element + 1, element)), "max(A[i] + 1, A[i])");
  EXPECT_EQ(text(element + 1 > element), "A[i] + 1 > A[i]");
  // What such a comparison says about a variable is left alone, too.
  EXPECT_EQ(text(select(x - 1 >= lowest, x, y)), "i");
  ranges[i] = {INT64_MIN, INT64_MAX};
  EXPECT_EQ(text(select(x > highest - 1, minimum(x, highest), y)), "select(i > 9223372036854775806, i, j)");
}

TEST_F(SimplifyIndex, LiteralsInTheUpperHalfOfU64AreNotNegative) {
  Value element(load(make_buffer("A", DType::U8, {4}), {x})), wide = cast(DType::U64, element);
  EXPECT_EQ(text(wide < Value(int_imm(-1, DType::U64))), "u64(A[i]) < 18446744073709551615u64");
  EXPECT_EQ(text(minimum(wide, Value(int_imm(-1, DType::U64)))), "min(u64(A[i]), 18446744073709551615u64)");
  EXPECT_EQ(text(wide < Value(int_imm(256, DType::U64))), "true");
}

TEST_F(SimplifyIndex, BoundsOfNestedExpressionsTakeNoExponentialTime) {
  // Each level doubled the work, once by its two forms and once by its shared operand.
  Value deep(load(make_buffer("A", DType::I64, {4}), {x})), wide = x;
  for (int level = 0; level < 60; ++level) deep = maximum(deep + 1, 3);
  for (int level = 0; level < 60; ++level) wide = minimum(maximum(wide, y), wide);
  EXPECT_FALSE(bounds(deep.expr(), ranges));
  EXPECT_EQ(bounds(wide.expr(), ranges), (Interval{0, 3}));
  EXPECT_NE(expr::simplify(deep.expr(), ranges), nullptr);
}

/// Random index expressions over i, j, f.
class RandomExpr {
 public:
  RandomExpr(unsigned seed, std::vector<ExprPtr> leaves) : engine_(seed), leaves_(std::move(leaves)) {}

  Value index(int depth) {
    if (depth == 0 || below(5) == 0) {
      return below(3) ? Value(leaves_[below(leaves_.size())]) : Value(int_imm(below(20) - 8));
    }
    Value a = index(depth - 1);
    switch (below(9)) {
      case 0:
      case 1:
        return a + index(depth - 1);
      case 2:
        return a - index(depth - 1);
      case 3:
        return a * (below(9) - 3);
      case 4:
        return floor_div(a, 1 + below(9));
      case 5:
        return floor_mod(a, 1 + below(9));
      case 6:
        return minimum(a, index(depth - 1));
      case 7:
        return maximum(a, index(depth - 1));
      default:
        return select(condition(depth - 1), a, index(depth - 1));
    }
  }

 private:
  int below(std::size_t n) { return static_cast<int>(engine_() % n); }
  Value condition(int depth) {
    Value a = index(depth), b = index(depth);
    switch (below(8)) {
      case 0:
        return a < b;
      case 1:
        return a <= b;
      case 2:
        return a > b;
      case 3:
        return a >= b;
      case 4:
        return a == b;
      case 5:
        return a != b;
      case 6:
        return depth > 0 ? condition(depth - 1) && condition(depth - 1) : a < b;
      default:
        return depth > 0 ? !condition(depth - 1) || condition(depth - 1) : a >= b;
    }
  }

  std::mt19937 engine_;
  std::vector<ExprPtr> leaves_;
};

TEST_F(SimplifyIndex, RandomExpressionsKeepTheirValue) {
  BufferPtr b = make_buffer("b", DType::I64, {4, 8, 32});
  auto evaluate = [&](const ExprPtr& e) {
    StmtPtr body = store(b, {x, y, z}, e);
    Func func{"f", {{b, Direction::Out}}, make_for(i, 4, make_for(j, 8, make_for(f, 32, body)))};
    std::vector<std::int64_t> out(4 * 8 * 32);
    Interpreter(func).run(std::vector{std::as_writable_bytes(std::span(out))});
    return out;
  };
  for (unsigned seed = 0; seed < 3000; ++seed) {
    ExprPtr e = RandomExpr(seed, {x, y, z}).index(4);
    ExprPtr simple = expr::simplify(e, ranges);
    ASSERT_EQ(evaluate(e), evaluate(simple))
        << "seed " << seed << ": " << to_string(e) << "  ->  " << to_string(simple);
  }
}

}  // namespace
}  // namespace vdla::loop
