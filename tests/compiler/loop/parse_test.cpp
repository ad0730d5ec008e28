// SPDX-License-Identifier: Apache-2.0
// Loop IR text: print(parse(text)) is the text, and what the parser says about text that is none.
#include "compiler/loop/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/loop/print.h"
#include "tests/compiler/user_error.h"

namespace vdla::loop {
namespace {

constexpr const char* kEverything =
    R"(func every.thing(in A: i8[8, 4], inout B: f32[8, 4] strides [8, 1] @out, out C: u64[1]) {
  for i in 0..8 parallel {
    alloc t: i32[4] @acc
    for j in -2..2 vectorized {
      t[j + 2] = i32(A[i, j + 2]) * -3i32 - (1i32 - 2i32) - 3i32
    }
    for k in i extent min(i, 8 - i) {
      if k < 4 & !(i == 3 | k >= 2) {
        B[i, k] = select(k == 0, -inf_f32, pow(B[i, k], 0.25f32) / 1e+20f32)
      } else {
        {
          alloc u: bool[1]
          u[0] = true ^ i < 3 != false
        }
        C[0] = 18446744073709551615u64 >> 3u64
      }
    }
    tensorize gemm {
      for l in 0..4 unrolled {
        t[floor_mod(l, 4)] = srdh_mul(t[l], 7i32) << (rem(t[l], 3i32) & 1i32)
      }
    }
    intrinsic move(out B[i, 0] {4:1}, in t[0] {2:0, 4:1}) attrs(low = -128i32, row = i * 2) reset(i == 0)
  }
}
)";

std::string error_of(const std::string& text) {
  return user_error([&] { parse(text); });
}

std::string error_in_body(const std::string& body) {
  return error_of("func f(in A: i8[4], out B: i32[4]) {\n" + body + "\n}");
}

std::string list_of(std::size_t count, const std::string& one) {
  std::string list = one;
  for (std::size_t i = 1; i < count; ++i) list += ", " + one;
  return list;
}

TEST(Parse, BuffersAndRegionsOfMoreDimensionsThanAnArrayHasAreRefused) {
  EXPECT_EQ(error_of("func f(in A: i8[" + list_of(64, "1") + "], out B: i8[1]) { B[0] = 1i8 }"), "no error");
  EXPECT_THAT(error_of("func f(in A: i8[" + list_of(65, "1") + "], out B: i8[1]) { B[0] = 1i8 }"),
              testing::HasSubstr("buffer 'A' has 65 dimensions, needs at most 64"));
  EXPECT_THAT(error_in_body("intrinsic move(out B[0] {" + list_of(65, "1:0") + "}, in A[0] {1:0})"),
              testing::HasSubstr("region of 'B' has 65 dimensions, needs at most 64"));
}

TEST(Parse, RoundTrip) { EXPECT_EQ(to_string(parse(kEverything)), kEverything); }

TEST(Parse, EveryFloatTypeComesBack) {
  const char* text = R"(func f(in A: f16[4], in B: bf16[4], inout C: f64[4], out D: f16[4]) {
  for i in 0..4 {
    C[i] = f64(A[i]) * 0.1f64 + f64(B[i]) - max(C[i], -inf_f64)
    D[i] = select(B[i] == 1.5bf16, f16(B[i] + inf_bf16) + 65504f16, fmod(nan_f16, atanh(A[i])))
  }
}
)";
  EXPECT_EQ(to_string(parse(text)), text);
}

TEST(Parse, CommentsAndWhiteSpaceDoNotMatter) {
  Func func = parse("func f (out B:i32[4]){ # a comment\n for i in 0..4{B[i]=1i32}}");
  EXPECT_EQ(to_string(func), "func f(out B: i32[4]) {\n  for i in 0..4 {\n    B[i] = 1i32\n  }\n}\n");
}

TEST(Parse, ErrorsNameThePlace) {
  EXPECT_EQ(error_of("func f(B: i32[4]) {}"), "line 1, column 8: expected in, out or inout, got 'B'");
  EXPECT_EQ(error_of("func f(in B: i33[4]) {}"), "line 1, column 14: 'i33' is no type");
  EXPECT_EQ(error_of("func f(in B: i32[0]) {}"),
            "line 1, column 11: buffer 'B' needs positive extents, got 0 in dimension 0");
  EXPECT_EQ(error_of("func f() {\n  $\n}"), "line 2, column 3: unexpected character '$'");
  EXPECT_EQ(error_of("func f() {"), "line 1, column 11: expected '}', got 'end of text'");
  EXPECT_EQ(error_in_body("  B[0] = C[0]"), "line 2, column 10: no buffer 'C' is in scope here");
  EXPECT_EQ(error_in_body("  B[i] = 0i32"), "line 2, column 5: no variable 'i' is in scope here");
  EXPECT_EQ(error_in_body("  B[0] = A[0]"), "line 2, column 3: store of i8 to 'B' of type i32; cast it");
  EXPECT_EQ(error_in_body("  B[0] = 1i32 + A[0]"),
            "line 3, column 1: '+' needs operands of one type, got i32 and i8; cast one of them");
  EXPECT_EQ(error_in_body("  B[0, 1] = 1i32"),
            "line 2, column 3: buffer 'B' has 1 dimensions, got 2 indices");
  EXPECT_EQ(error_in_body("  B[0] = sum(1)"), "line 3, column 1: no function 'sum'");
  EXPECT_EQ(error_in_body("  B[0] = 300i8"), "line 2, column 10: '300i8' is no value of type i8");
  EXPECT_EQ(error_in_body("  for i in 0..A[0] { }"), "line 2, column 15: expected an integer, got 'A'");
  EXPECT_EQ(error_in_body("  alloc A: i8[1]"), "line 2, column 9: buffer 'A' is already in scope");
}

std::string repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Parse, DeepTextIsRefusedInsteadOfOverflowingTheStack) {
  const std::string deep = "nested more than 500 deep";
  for (const int times : {600, 100000}) {
    EXPECT_THAT(error_in_body("B[0] = " + repeat("(", times) + "1i32" + repeat(")", times)),
                testing::AllOf(testing::StartsWith("line 2, "), testing::HasSubstr(deep)));
    EXPECT_THAT(error_in_body("B[0] = 1i32" + repeat(" + 1i32", times)), testing::HasSubstr(deep));
    EXPECT_THAT(error_in_body("if " + repeat("!", times) + "true { }"), testing::HasSubstr(deep));
    EXPECT_THAT(error_in_body(repeat("{", times)), testing::HasSubstr(deep));
  }
  std::string loops;
  for (int i = 0; i < 20000; ++i) loops += "for i" + std::to_string(i) + " in 0..2 {\n";
  EXPECT_THAT(error_in_body(loops),
              testing::AllOf(testing::StartsWith("line 501, "), testing::HasSubstr(deep)));
  // Sums of sums are as high as all of them together.
  std::string sum = "1i32";
  for (int i = 0; i < 3; ++i) sum = "(" + sum + ")" + repeat(" + 1i32", 200);
  EXPECT_THAT(error_in_body("B[0] = " + sum), testing::HasSubstr(deep));
  EXPECT_EQ(error_in_body("B[0] = 1i32" + repeat(" + 1i32", 400)), "no error");
}

TEST(Parse, AnyPrefixOfATextIsRefused) {
  std::string text = kEverything;
  for (std::size_t n = 0; n + 2 < text.size(); ++n) {
    EXPECT_THAT(error_of(text.substr(0, n)), testing::StartsWith("line ")) << n;
  }
}

}  // namespace
}  // namespace vdla::loop
