// SPDX-License-Identifier: Apache-2.0
// Intrinsics as text: what a declaration becomes, and what each wrong line is told.
#include "compiler/tensorize/parse.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "compiler/expr/print.h"
#include "isa/spec/operations.h"
#include "support/error.h"
#include "tests/compiler/how_to_page.h"

namespace vdla::tensorize {
namespace {

using ::testing::HasSubstr;

isa::Geometry geometry() {
  isa::Geometry g;
  g.block_in = g.block_out = 4;
  return g;
}

constexpr const char* kHsum = R"(# A weighted sum of an entry, into the accumulators.
intrinsic lanesum
attribute weight: i32 in -8..8
func lanesum(inout dst: i32[N] @acc, in a: i8[K] @inp) {
  for n in 0..N {
    for k in 0..K {
      dst[n] = dst[n] + i32(a[k]) * weight
    }
  }
}
lowering vector
op = hsum
dst_buffer = acc
a_buffer = inp
b_kind = imm
imm = weight
)";

TEST(Parse, AnAccumulatingStepWithAReduceLoop) {
  const intrinsics::Intrinsic parsed = parse_intrinsic(kHsum, "lanesum.intrinsic", geometry());
  EXPECT_EQ(parsed.name, "lanesum");
  EXPECT_EQ(parsed.variant, "lanesum acc <- inp");
  EXPECT_EQ(parsed.device_rule().opcode, isa::Opcode::Vector);
  EXPECT_EQ(parsed.accumulates, expr::Reducer::Sum);
  ASSERT_EQ(parsed.behaviour.axes.size(), 1u);
  EXPECT_EQ(parsed.behaviour.axes[0].extent(), 4);
  ASSERT_EQ(parsed.behaviour.reduce_axes().size(), 1u);
  EXPECT_EQ(expr::to_string(parsed.behaviour.reduction()->sources[0]), "i32(a[k]) * weight");
  ASSERT_EQ(parsed.device_rule().fields.size(), 5u);
  EXPECT_EQ(parsed.device_rule().fields[0].value->as<expr::IntImm>()->value,
            static_cast<int>(isa::VectorOp::Hsum));
  EXPECT_EQ(parsed.device_rule().fields[4].value->as<expr::VarRef>()->var, parsed.attributes[0].variable);
}

TEST(Parse, TheExampleOfTheKitIsRead) {
  const intrinsics::Intrinsic parsed = parse_intrinsic(
      testing::read_source("examples/own_intrinsic/amplify.intrinsic"), "amplify.intrinsic", geometry());
  EXPECT_EQ(parsed.variant, "amplify out <- inp");
  EXPECT_FALSE(parsed.accumulates);
  EXPECT_EQ(expr::to_string(parsed.behaviour.body), "i8(min(max(i32(a[n]) * gain, -128i32), 127i32))");
}

/// The text with `from` replaced is refused with this message.
void refuses(const std::string& from, const std::string& to, const std::string& message) {
  std::string text = kHsum;
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    parse_intrinsic(text, "f", geometry());
    ADD_FAILURE() << "accepted: " << to;
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr(message)) << to;
  }
}

TEST(Parse, WrongLinesAreNamed) {
  refuses("intrinsic lanesum", "intrinsec lanesum", "f: line 2: 'intrinsec lanesum', needs 'intrinsic NAME'");
  refuses("-8..8", "8..-8", "f: line 3: the range 8..-8 of 'weight' is empty");
  refuses("weight: i32", "weight: f32", "f: line 3: 'f32' is no integer type");
  refuses("* weight\n", "* wait\n", "f: line 7, column 37: ");
  refuses("dst[n] = dst[n] +", "dst[n] = dst[n] -", "the output is combined by '-', needs +, max or min");
  refuses("dst[n] = dst[n] +", "dst[n] = 0i32 +", "needs a store that accumulates");
  refuses("@inp", "@lnp", "parameter 'a' is in 'lnp', needs a buffer");
  refuses("in a: i8[K] @inp", "in a: i32[K] @inp", "parameter 'a' is i32, buffer inp holds i8");
  refuses("dst: i32[N]", "dst: i32[8]",
          "the store needs one loop over each dimension of the output as index");
  refuses("lowering vector", "lowering matrix", "f: line 11: lowering to 'matrix', needs vector or gemm");
  refuses("b_kind = imm", "dst_base = 3",
          "f: line 15: 'dst_base' is no field that a lowering to vector sets");
  refuses("op = hsum", "op = hmul", "f: line 12: 'hmul' of field op is no attribute, no number and no name");
}

}  // namespace
}  // namespace vdla::tensorize
