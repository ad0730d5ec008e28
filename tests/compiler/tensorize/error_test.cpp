// SPDX-License-Identifier: Apache-2.0
// What the matcher says when it refuses: axis, intrinsic, operand or subexpression, expected and seen.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "compiler/intrinsics/table.h"
#include "compiler/loop/parse.h"
#include "compiler/tensorize/tensorize.h"
#include "support/error.h"

namespace vdla::tensorize {
namespace {

struct Refusal {
  const char* name;
  const char* intrinsic;
  const char* loops;  ///< inside the mark
  const char* store;
  const char* message;  ///< a part of it
};

class Refusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NameTheReason) {
  const Refusal& r = GetParam();
  std::string nest = std::string(r.store) + "\n";
  std::string text = r.loops;
  std::string open, close;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find(';', at);
    open += "for " + text.substr(at, end - at) + " {\n";
    close += "}\n";
    at = end + 1;
  }
  const std::string func = fmt::format(
      "func f(in X: i8[4, 4]) {{\nalloc acc: i32[8, 4] @acc\nalloc inp: i8[8, 8] @inp\nalloc wgt: i8[8, 4, "
      "4] @wgt\nalloc o: i8[8, 4] @out\n"
      "alloc par: i32[8, 4] @par\nfor y in 0..4 {{\ntensorize {} {{\n{}{}{}}}\n}}\n}}\n",
      r.intrinsic, open, nest, close);
  isa::Geometry g;
  g.block_in = g.block_out = 4;
  const auto table = intrinsics::device_intrinsics(g);
  try {
    (void)tensorize(loop::parse(func), table);
    FAIL() << "was accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(r.message), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Refusals,
    ::testing::Values(
        Refusal{"unknown", "fft", "n in 0..4;", "acc[y, n] = 0i32", "no intrinsic is named 'fft'"},
        Refusal{"extent", "gemm", "n in 0..4;k in 0..3;",
                "acc[y, n] = select(k == 0, 0i32, acc[y, n]) + i32(inp[y, k]) * i32(wgt[0, n, k])",
                "axis 'n' cannot be tensorized with 'gemm': (gemm) needs loops n:4, k:4 inside the "
                "tensorized axis, sees n:4, k:3"},
        Refusal{"scope", "gemm", "n in 0..4;k in 0..4;",
                "acc[y, n] = select(k == 0, 0i32, acc[y, n]) + i32(o[y, k]) * i32(wgt[0, n, k])",
                "operand 'inp' must be in scope 'inp', buffer 'o' is in 'out'"},
        Refusal{"stride", "gemm", "n in 0..4;k in 0..4;",
                "acc[y, n] = select(k == 0, 0i32, acc[y, n]) + i32(inp[k, y]) * i32(wgt[0, n, k])",
                "operand 'inp' needs stride 1 of 'inp' along loop 'k', sees 8"},
        Refusal{"reset", "gemm", "n in 0..4;k in 0..4;",
                "acc[y, n] = select(y == 0, 0i32, acc[y, n]) + i32(inp[y, k]) * i32(wgt[0, n, k])",
                "the reset 'y == 0' does not depend on the reduce loop 'k'"},
        Refusal{"no_update", "gemm", "n in 0..4;k in 0..4;", "acc[y, n] = i32(inp[y, k]) * i32(wgt[0, n, k])",
                "the store to 'acc' does not read its old value"},
        Refusal{"operator", "gemm", "n in 0..4;k in 0..4;",
                "acc[y, n] = select(k == 0, 0i32, acc[y, n]) + max(i32(inp[y, k]), i32(wgt[0, n, k]))",
                "expected `i32(inp[k]) * i32(wgt[n, k])`, sees `max(i32(inp[y, k]), i32(wgt[0, n, k]))`"},
        Refusal{"no_clamp", "add", "n in 0..4;", "o[y, n] = i8(acc[y, n])", "sees `acc[y, n]`"},
        Refusal{"constant", "mac", "n in 0..4;", "acc[y, n] = acc[y, n] + i32(o[y, n]) * acc[0, n]", "sees"},
        Refusal{"range", "scale", "n in 0..4;",
                "acc[y, n] = round_shift_right(srdh_mul(acc[y, n] + par[0, n] + 40000i32 << (par[2, n] & "
                "31i32), par[1, n]), par[2, n] >> 8i32 & 31i32)",
                "attribute 'a_offset' would be 40000, needs -32768 to 32767"},
        Refusal{"rows", "scale", "n in 0..4;",
                "acc[y, n] = round_shift_right(srdh_mul(acc[y, n] + par[0, n] << (par[3, n] & 31i32), par[1, "
                "n]), par[3, n] >> 8i32 & 31i32)",
                "operand 'b' is not one block"},
        Refusal{"copy_value", "load", "n in 0..4;", "o[y, n] = X[y, n] + 1i8", "not a copy: `X[y, n] + 1i8`"},
        Refusal{"copy_of_a_constant_to_dram", "store", "n in 0..4;", "X[y, n] = 1i8",
                "a store reads an element of scope 'out', not a constant"},
        Refusal{"copy_scope", "load", "n in 0..4;", "acc[y, n] = i32(X[y, n])",
                "a load writes to scope 'inp', 'wgt', 'out' or 'par', 'acc' is in 'acc'"},
        Refusal{"copy_index", "load", "n in 0..4;", "o[y, n] = X[y, floor_mod(n, 2)]",
                "an index of 'X' is not linear in loop 'n'"},
        Refusal{"store_place", "store", "n in 0..4;", "o[y, n] = X[y, n]",
                "a store writes to DRAM, 'o' is in scope 'out'"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vdla::tensorize
