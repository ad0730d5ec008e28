// SPDX-License-Identifier: Apache-2.0
// The verifier's rules, one by one.
#include "compiler/loop/verify.h"

#include <gmock/gmock.h>

#include "compiler/expr/dsl.h"
#include "compiler/loop/parse.h"
#include "tests/compiler/user_error.h"

namespace vdla::loop {
namespace {

using namespace vdla::expr;

std::string error_of(const Func& func) {
  return user_error([&] { verify(func); });
}
std::string error_in_text(const std::string& body) {
  return error_of(parse("func f(in A: i32[4], out B: i32[4]) {" + body + "}"));
}

TEST(Verify, AcceptsWhatIsLegal) {
  EXPECT_EQ(error_in_text(
                "for i in 0..4 { alloc t: i32[1] t[0] = A[i] B[i] = t[0] } for i in 0..4 { B[i] = 1i32 }"),
            "no error");
}

TEST(Verify, RulesThatTextCanBreak) {
  EXPECT_EQ(error_in_text("A[0] = 1i32"),
            "function 'f', at 'A[0] = 1i32': parameter 'A' of direction in is written");
}

TEST(Verify, IndicesThatCannotBeRight) {
  EXPECT_EQ(error_in_text("for i in 0..4 { B[i + 4] = 1i32 }"),
            "function 'f', at 'B[i + 4] = 1i32': index 'i + 4' of 'B' is never in [0, 4)");
  EXPECT_EQ(error_in_text("for i in 0..8 { if i < 4 { B[i] = 1i32 } }"), "no error");
}

TEST(Verify, AnIndexThatSomeIterationTakesOutsideIsFoundBeforeUnrolling) {
  EXPECT_EQ(error_in_text("for i in 0..8 unrolled { B[i] = 1i32 }"),
            "function 'f', at 'B[i] = 1i32': index 'i' of 'B' goes from 0 to 7, needs [0, 4)");
  EXPECT_EQ(error_in_text("for i in 0..2 { for j in 0..3 { B[i * 2 + j - 1] = 1i32 } }"),
            "function 'f', at 'B[i * 2 + j - 1] = 1i32': index 'i * 2 + j - 1' of 'B' goes from -1 to 3, "
            "needs [0, 4)");
  // Ranges of both together say more than each alone: here j - i is in 0..4.
  EXPECT_EQ(error_in_text("for i in 0..4 { for j in i extent 4 { B[j - i] = 1i32 } }"), "no error");
}

TEST(Verify, AnIndexThatPassesMakeLinearIsLookedAtBeforeThem) {
  // Simplify makes 1 - i * 3 of it, and was told that it breaks its function.
  EXPECT_EQ(
      error_in_text("for i in 0..4 { B[i * !2 + 1] = 1i32 }"),
      "function 'f', at 'B[i * !2 + 1] = 1i32': index 'i * !2 + 1' of 'B' goes from -8 to 1, needs [0, 4)");
  EXPECT_EQ(error_in_text("for i in 0..4 { B[i * (5 ^ 4)] = 1i32 }"), "no error");
  EXPECT_EQ(
      error_in_text("for i in 0..4 { B[i * max(i - i, 2)] = 1i32 }"),
      "function 'f', at 'B[i * max(i - i, 2)] = 1i32': index 'i * max(i - i, 2)' of 'B' goes from 0 to 6, "
      "needs [0, 4)");
  // Still unknown: a remainder takes no value that its bounds do not hold, but need not take them all.
  EXPECT_EQ(error_in_text("for i in 0..4 { B[floor_mod(i * 7, 8)] = 1i32 }"), "no error");
}

TEST(Verify, AnIndexOfFlippedBitsHasBounds) {
  // Partition-loops made C[-1] of it, and was told that it breaks its function.
  EXPECT_EQ(error_in_text("for i in 0..4 { if i >= 1 { B[i] = 1i32 } else { B[!i] = 1i32 } }"),
            "function 'f', at 'B[!i] = 1i32': index '!i' of 'B' is never in [0, 4)");
  EXPECT_EQ(error_in_text("for i in 0..4 { B[!i + 4] = 1i32 }"), "no error");
  EXPECT_EQ(error_in_text("for i in 0..4 { B[(i | 4) + 0] = 1i32 }"),
            "function 'f', at 'B[(i | 4) + 0] = 1i32': index '(i | 4) + 0' of 'B' is never in [0, 4)");
  EXPECT_EQ(error_in_text("for i in 0..4 { B[i ^ 3] = 1i32 }"), "no error");
}

TEST(Verify, BuffersAndVariablesHaveTheirPlace) {
  BufferPtr b = make_buffer("B", DType::I32, {4}), t = make_buffer("t", DType::I32, {4});
  VarPtr i = make_var("i");
  ExprPtr zero = int_imm(0), one = int_imm(1, DType::I32);
  auto func = [&](const StmtPtr& body) { return Func{"f", {{b, Direction::Out}}, body}; };
  EXPECT_EQ(error_of(func(store(t, {zero}, one))),
            "function 'f', at 't[0] = 1i32': buffer 't' is neither a parameter nor allocated around this");
  EXPECT_EQ(error_of(func(store(b, {zero}, load(t, {zero})))),
            "function 'f', at 'B[0] = t[0]': buffer 't' is neither a parameter nor allocated around this");
  EXPECT_EQ(error_of(func(seq({make_for(i, 4, nop()), store(b, {var_ref(i)}, one)}))),
            "function 'f', at 'B[i] = 1i32': variable 'i' is used outside of its loop");
  EXPECT_EQ(error_of(func(make_for(i, 4, make_for(make_var("i"), 4, nop())))),
            "function 'f', at 'for i in 0..4 {': the name 'i' is already in use here");
  EXPECT_EQ(error_of(func(allocate(make_buffer("B", DType::I8, {1}), nop()))),
            "function 'f', at 'alloc B: i8[1]': the name 'B' is already in use here");
  EXPECT_EQ(
      error_of(func(make_for(i, 4, make_for(make_var("j"), zero, var_ref(i), ForKind::Vectorized, nop())))),
      "function 'f', at 'for j in 0 extent i vectorized {': a vectorized loop needs a constant extent");
}

TEST(Verify, TensorExpressionsAreGone) {
  BufferPtr b = make_buffer("B", DType::I32, {4});
  Tensor a = placeholder("A", {4}, DType::I32);
  StmtPtr body = store(b, {int_imm(0)}, read(a, {int_imm(0)}));
  EXPECT_EQ(error_of(Func{"f", {{b, Direction::Out}}, body}),
            "function 'f', at 'B[0] = A[0]': tensor 'A' is read; lower it first");
}

/// An index without bounds anywhere made faults of passes the caller's.
TEST(Verify, AFaultOfAPassIsTheCallersOnlyInABufferThatHadAnIndexWithoutBounds) {
  const auto outcome = [](const std::string& before, const std::string& after) -> std::string {
    const std::string head = "func f(in c: i64[1], out x: f32[4], out x.1: f32[4], out y: f32[4]) {";
    try {
      verify_result("pass 'p'", parse(head + before + "}"), parse(head + after + "}"));
    } catch (const InternalError& error) {
      return "the kit: " + std::string(error.what());
    } catch (const UserError& error) {
      return "the caller: " + std::string(error.what());
    }
    return "no error";
  };
  const std::string fault = "function 'f', at 'x[8] = 1f32': index '8' of 'x' is never in [0, 4)";
  EXPECT_EQ(outcome("x[c[0]] = 1f32", "x[8] = 1f32"),
            "the caller: pass 'p' finds an index outside of its buffer: " + fault);
  EXPECT_EQ(outcome("y[c[0]] = 1f32", "x[8] = 1f32"), "the kit: pass 'p' breaks its function: " + fault);
  EXPECT_THAT(outcome("x[c[0]] = 1f32", "x.1[8] = 1f32"), ::testing::StartsWith("the caller: "));
}

}  // namespace
}  // namespace vdla::loop
