// SPDX-License-Identifier: Apache-2.0
// Elements of 8 bits or less that ONNX packs, and weights of few bits in blocks.
#include <algorithm>
#include <limits>

#include "tests/compiler/import/onnx_builder.h"
#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OnnxModel;
using testing::refused;
using ::testing::ThrowsMessage;
using testing::values_in_set;

constexpr int kUint4 = 21, kInt4 = 22;

/// y = 0.5 * (w - z) of three elements.
graph::Graph dequantised(int type, const std::vector<double>& bytes, const std::string& reader = "") {
  OnnxModel m;
  m.opset(21);
  m.constant("w", type, {3}, bytes);
  m.constant("s", onnx::TensorProto::FLOAT, {}, {0.5});
  m.constant("z", type, {}, {1});
  m.node("DequantizeLinear", {"w", "s", "z"}, "y");
  if (!reader.empty()) m.node(reader, {"w"}, "other");
  m.output("y");
  return testing::import(m);
}

std::vector<float> values(const graph::Graph& g) {
  const auto all = g.tensor(g.outputs.at(0).tensor).values<float>();
  return {all.begin(), all.end()};
}

TEST(OnnxInt4, TwoElementsLieInAByte) {
  EXPECT_THAT(values(dequantised(kInt4, {0x9F, 0x07})), ElementsAre(-1, -4, 3));
  EXPECT_THAT(values(dequantised(kUint4, {0x9F, 0x07})), ElementsAre(7, 4, 3));
}

TEST(OnnxInt4, OtherReadersAndSizesAreRefused) {
  EXPECT_THAT(
      [] { dequantised(kInt4, {0x9F, 0x07}, "Neg"); },
      ThrowsMessage<UserError>(HasSubstr("reads or gives int4, which operators convert or move alone")));
  EXPECT_THAT([] { dequantised(kInt4, {0x9F}); },
              ThrowsMessage<UserError>(HasSubstr("constant 'w' has 1 bytes, its shape needs 2")));
}

/// x as elements of a narrow type and back.
std::string through(const std::string& elements, const std::string& attributes,
                    const std::string& nodes = "") {
  return "g (float[" + std::to_string(1 + std::ranges::count(elements, ',')) + "] x = {" + elements +
         "}) => (float y) { n = Cast <" + attributes + "> (x) " + nodes + " y = Cast <to = 1> (" +
         (nodes.empty() ? "n" : "m") + ") }";
}

/// Three bits of a fraction, numbers up to 448, the smallest one 2^-9.
TEST(OnnxNarrow, FloatsGoToTheNearestOrTheEvenOne) {
  EXPECT_THAT(values_in_set(19, through("1, 1.0625, 1.1875, 0.001, 0.0009", "to = 17")),
              ElementsAre(1, 1, 1.25, 0.001953125, 0));
  EXPECT_THAT(values_in_set(19, through("1, 1.125, -1.375, 50000", "to = 19")),
              ElementsAre(1, 1, -1.5, 49152));
  EXPECT_THAT(values_in_set(23, through("0.24, 0.25, 2.5, 7, -100", "to = 23")), ElementsAre(0, 0, 2, 6, -6));
  EXPECT_THAT(values_in_set(24, through("1, 1.5, 3", "to = 24, round_mode = \"up\"")), ElementsAre(1, 2, 4));
  EXPECT_THAT(values_in_set(24, through("1, 1.9, 3", "to = 24, round_mode = \"down\"")),
              ElementsAre(1, 1, 2));
}

TEST(OnnxNarrow, LargeFloatsSaturateUnlessTheNodeSaysOtherwise) {
  EXPECT_THAT(values_in_set(19, through("464, 465, -1e9", "to = 17")), ElementsAre(448, 448, -448));
  EXPECT_THAT(values_in_set(19, through("464, 465, -1e9", "to = 17, saturate = 0")),
              ElementsAre(448, ::testing::IsNan(), ::testing::IsNan()));
  EXPECT_THAT(values_in_set(19, through("1e9", "to = 19, saturate = 0")),
              ElementsAre(std::numeric_limits<float>::infinity()));
  EXPECT_THAT(values_in_set(19, through("1e9", "to = 20, saturate = 0")), ElementsAre(::testing::IsNan()));
}

TEST(OnnxNarrow, IntegersKeepTheirLowestBits) {
  EXPECT_THAT(values_in_set(21, through("7, -3, 9", "to = 22")), ElementsAre(7, -3, -7));
  EXPECT_THAT(values_in_set(21, through("7, -3, 17", "to = 21")), ElementsAre(7, 13, 1));
  EXPECT_THAT(values_in_set(25, through("1, 2, 5", "to = 26")), ElementsAre(1, -2, 1));
}

TEST(OnnxNarrow, QuantizeLinearLimitsThem) {
  const auto text = [](const std::string& attributes) {
    return "g (float[3] x = {3, -3, 40}, float s = {0.5}) => (float y) { q = QuantizeLinear <" + attributes +
           "> (x, s) y = DequantizeLinear (q, s) }";
  };
  EXPECT_THAT(values_in_set(21, text("output_dtype = 22")), ElementsAre(3, -3, 3.5));
  EXPECT_THAT(values_in_set(21, text("output_dtype = 21")), ElementsAre(3, 0, 7.5));
  EXPECT_THAT(values_in_set(21, text("output_dtype = 17")), ElementsAre(3, -3, 40));
}

TEST(OnnxNarrow, OperatorsMoveThemAndRefuseToCompute) {
  EXPECT_THAT(values_in_set(19, through("1, 2", "to = 17", "m = Concat <axis = 0> (n, n)")),
              ElementsAre(1, 2, 1, 2));
  refused(19, through("1, 2", "to = 17", "m = Add (n, n)"),
          "reads or gives float8e4m3fn, which operators convert or move alone; needs a Cast before it");
}

/// Sixteen weights of 4 bits in each of two rows, all 9 and all 6: 1 and -2 steps of 0.5 and 2.
std::string blocks(const std::string& attributes, const std::string& inputs, const std::string& more = "") {
  std::string nine, six;
  for (int i = 0; i < 8; ++i) {
    nine += "153, ";
    six += i == 0 ? "102" : ", 102";
  }
  return "g (float[1] q) => (float[1, 2] y) <float[1, 3] x = {1, 2, 3}, uint8[2, 1, 8] b = {" + nine + six +
         "}, float[2] s = {0.5, 2}" + more + "> { y = com.microsoft.MatMulNBits <K = 3, N = 2, " +
         attributes + "> (" + inputs + ") }";
}

TEST(OnnxBlocks, AProductHasAScaleForEachBlock) {
  EXPECT_THAT(values_in_set(17, blocks("block_size = 16", "x, b, s")), ElementsAre(3, -24));
  EXPECT_THAT(values_in_set(17, blocks("block_size = 16", "x, b, s, z", ", uint8[2] z = {9, 5}")),
              ElementsAre(0, 12));
  EXPECT_THAT(values_in_set(17, blocks("block_size = 16", "x, b, s, z", ", float[2] z = {8.5, 6}")),
              ElementsAre(1.5, 0));
  EXPECT_THAT(values_in_set(17, blocks("block_size = 16", "x, b, s, , , c", ", float[2] c = {1, 2}")),
              ElementsAre(4, -22));
}

TEST(OnnxBlocks, OtherFormsAreRefused) {
  refused(17, blocks("block_size = 16, bits = 3", "x, b, s"), "has weights of 3 bits, needs 2, 4 or 8");
  refused(17, blocks("block_size = 24", "x, b, s"), "has blocks of 24, needs a power of two");
  refused(17, blocks("block_size = 32", "x, b, s"), "has weights (input 1) of uint8 16, needs uint8 32");
  refused(17, blocks("block_size = 16", "x, b, t", ", float[3] t = {1, 2, 3}"),
          "has scales (input 2) of float32 3, needs float32 2");
  refused(17, blocks("block_size = 16", "w, b, s", ", float[1, 4] w = {1, 2, 3, 4}"),
          "has data of 1x4 for weights of 2x3, whose depths differ");
}

}  // namespace
}  // namespace vdla::import
