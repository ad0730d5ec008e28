// SPDX-License-Identifier: Apache-2.0
// The verifier of quantisation: what each operator may state of its operands and its result.
#include "compiler/graph/verify_quantization.h"

#include <gmock/gmock.h>

#include "compiler/graph/text/text.h"

namespace vdla::graph {
namespace {

using ::testing::HasSubstr;

/// Two images "x" and "y" of scale 0.5 and zero point 3, weights, and what is given.
std::optional<std::string> fault(const std::string& nodes) {
  return quantization_fault(
      parse("graph \"g\"\n"
            "input %x \"x\": int8[1, 4, 4, 2] scale 0.5 zero 3\n"
            "input %y \"y\": int8[1, 4, 4, 2] scale 0.25 zero 3\n"
            "input %f \"f\": float32[4]\n"
            "const %w \"w\": int8[2, 1, 1, 2] scale [0.5, 0.25] zero [0, 0] axis 0 = splat 1\n" +
            nodes + "\noutput %n\n"));
}

void expect_fault(const std::string& nodes, const std::string& said) {
  const auto found = fault(nodes);
  ASSERT_TRUE(found) << nodes;
  EXPECT_THAT(*found, HasSubstr(said));
}
void expect_none(const std::string& nodes) { EXPECT_EQ(fault(nodes).value_or(""), ""); }

TEST(VerifyQuantization, ReadsTheZeroPointsOfItsOperands) {
  expect_none("%n = requantize(%x) {input_zero_point = 3}");
  expect_fault("%n = requantize(%x) {input_zero_point = 4}",
               "node 'n' (requantize) reads 'x' with zero point 4, the tensor states scale 0.5 zero point 3");
  expect_fault("%n = conv2d(%x, %w)", "reads 'x' with zero point 0");
  expect_fault("%n = conv2d(%x, %w) {input_zero_point = 3, weight_zero_point = 1}",
               "reads 'w' with zero point 1");
  expect_fault("%n = mul(%x, %y) {a_zero_point = 3, b_zero_point = 2}", "reads 'y' with zero point 2");
  expect_fault("%n = im2col(%x) {kernel = [2, 2], pads = [1, 0, 0, 0]}", "reads 'x' with zero point 0");
}

TEST(VerifyQuantization, MultipliesByTheScalesOfItsTensors) {
  const std::string zeros = "{input_zero_point = 3, out = {zero_point = 1, multiplier = ";
  expect_none("%n scale 0.5 zero 1 = requantize(%x) " + zeros + "[[1073741824, 1]]}}");
  expect_fault("%n scale 0.25 zero 1 = requantize(%x) " + zeros + "[[1073741824, 1]]}}",
               "multiplies by 1, the scales of its tensors give 2");
  expect_none("%n scale 0.25 zero 1 = conv2d(%x, %w) " + zeros + "[[1073741824, 1], [1073741824, 0]]}}");
  expect_fault("%n scale 0.25 zero 1 = conv2d(%x, %w) " + zeros + "[[1073741824, 1], [1073741824, 1]]}}",
               "multiplies by 1, the scales of its tensors give 0.5");
  expect_fault("%n scale 0.5 zero 2 = requantize(%x) " + zeros + "[[1073741824, 1]]}}",
               "writes 'n' with zero point 1, the tensor states scale 0.5 zero point 2");
  expect_fault("%n scale 4 zero 0 = mean(%x) {axes = [1, 2], input_zero_point = 3}",
               "the scales of its tensors give");
}

TEST(VerifyQuantization, AFactorThatSumsDoNotNeedIsAsLargeAsTheLargest) {
  expect_none(
      "%n scale 0.0001 zero 0 = requantize(%x) {input_zero_point = 3, out = {multiplier = [[1073741824, "
      "9]]}}");
}

TEST(VerifyQuantization, SumsScaleBothOperands) {
  const std::string sum = " = add(%x, %y) {a_zero_point = 3, b_zero_point = 3, a = [1073741824, 0], b = ";
  const std::string out = ", out = {multiplier = [[1073741824, -18]]}}";
  expect_none("%n scale 0.5 zero 0" + sum + "[1073741824, -1]" + out);
  expect_fault("%n scale 0.5 zero 0" + sum + "[1073741824, 0]" + out, "the scales of its tensors give 0.5");
  expect_fault("%n scale 1 zero 0" + sum + "[1073741824, -1]" + out, "the scales of its tensors give 0.5");
}

TEST(VerifyQuantization, OperatorsThatMoveElementsKeepTheScale) {
  for (const char* op :
       {"max_pool2d(%x) {kernel = [2, 2]}", "avg_pool2d(%x) {kernel = [2, 2]}",
        "transpose(%x) {perm = [0, 2, 1, 3]}", "pad(%x) {before = [0, 1, 1, 0], after = [0, 0, 0, 0]}",
        "concat(%x, %x) {axis = 3}", "maximum(%x, %x)", "minimum(%x, %x)",
        "im2col(%x) {kernel = [2, 2], pad_value = 3}"}) {
    expect_none(std::string("%n scale 0.5 zero 3 = ") + op);
    expect_none(std::string("%n = ") + op);
    expect_fault(std::string("%n scale 0.5 zero 2 = ") + op,
                 "with scale 0.5 zero point 3 as scale 0.5 zero point 2");
    expect_fault(std::string("%n scale 0.25 zero 3 = ") + op, "as scale 0.25 zero point 3");
  }
  expect_fault("%n scale 0.5 zero 3 = maximum(%x, %y)",
               "gives 'y' with scale 0.25 zero point 3 as scale 0.5");
  expect_fault("%n scale 0.5 zero 3 = concat(%x, %y) {axis = 3}", "gives 'y'");
}

TEST(VerifyQuantization, AReshapeMayGiveValuesAnotherScale) {
  expect_none("%n scale 8 zero 1 = reshape(%x) {shape = [32]}");
}

TEST(VerifyQuantization, QuantizeAndDequantizeGoByTheirAttributes) {
  expect_none("%n scale 0.5 zero 3 = quantize(%f) {scale = 0.5, zero_point = 3}");
  expect_fault("%n scale 0.25 zero 3 = quantize(%f) {scale = 0.5, zero_point = 3}",
               "writes 'n' with scale 0.5, the tensor states scale 0.25 zero point 3");
  expect_none("%n = dequantize(%x) {scale = 0.5, zero_point = 3}");
  expect_fault("%n = dequantize(%x) {scale = 1, zero_point = 3}",
               "reads 'x' with scale 1, the tensor states scale 0.5");
  expect_fault("%n = dequantize(%x) {scale = 0.5, zero_point = 0}", "reads 'x' with zero point 0");
  expect_fault("%n scale 0.5 zero 3 = dequantize(%x) {scale = 0.5, zero_point = 3}",
               "writes float32 with scale 0.5 zero point 3, which only int8, int16 and int32 have");
}

// A place kept the scale of the values that it was found among.
TEST(VerifyQuantization, APlaceHasNoScale) {
  expect_none("%n = locate(%x) {axis = 3}");
  expect_fault("%n scale 0.5 zero 3 = locate(%x) {axis = 3}", "writes int64 with scale 0.5 zero point 3");
}

TEST(VerifyQuantization, SoftmaxHasItsOwnScale) {
  expect_none("%n scale 0.00390625 zero -128 = softmax(%x)");
  expect_fault("%n scale 0.5 zero -128 = softmax(%x)", "with scale 0.00390625");
}

TEST(VerifyQuantization, ChannelsKeepTheirScalesUnderATranspose) {
  expect_none("%n scale [0.5, 0.25] zero [0, 0] axis 3 = transpose(%w) {perm = [3, 1, 2, 0]}");
  expect_fault("%n scale [0.5, 0.25] zero [0, 0] axis 0 = transpose(%w) {perm = [3, 1, 2, 0]}",
               "gives channels other scales");
}

}  // namespace
}  // namespace vdla::graph
