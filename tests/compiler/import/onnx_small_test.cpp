// SPDX-License-Identifier: Apache-2.0
// Layout, clutter, fusion and refusals of the ONNX importer on models of a few nodes.
#include <gmock/gmock.h>

#include <cmath>

#include "compiler/import/import.h"
#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::import;
using testing::OnnxModel;
using testing::ops;
using ::testing::ThrowsMessage;

std::vector<double> ramp(std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<double>(i % 100) - 50);
  return values;
}

/// x[1,3,6,5] -> Conv 4 of 3x2, unfinished: the caller adds what follows "conv".
OnnxModel conv_model() {
  OnnxModel m;
  m.input("x", {1, 3, 6, 5});
  const std::string w = m.weights("w", {4, 3, 3, 2}, ramp(72), {0.1, 0.2, 0.3, 0.4});
  m.constant("b", onnx::TensorProto::FLOAT, {4}, {1, -1, 0.5, 0});
  auto& conv = m.node("Conv", {m.qdq("x", 0.5, -3), w, "b"}, "conv");
  OnnxModel::ints(conv, "pads", {1, 0, 1, 1});
  OnnxModel::ints(conv, "strides", {2, 1});
  return m;
}

TEST(OnnxSmall, ConvolutionBecomesNhwcWithChannelMultipliers) {
  OnnxModel m = conv_model();
  m.output(m.qdq("conv", 0.25, 7));
  const graph::Graph g = import(m);
  EXPECT_THAT(ops(g), ElementsAre("conv2d"));
  EXPECT_THAT(g.inputs[0].perm, ElementsAre(0, 2, 3, 1));
  EXPECT_EQ(g.inputs[0].model_shape, (graph::Shape{1, 3, 6, 5}));
  EXPECT_EQ(g.tensor(g.inputs[0].tensor).shape, (graph::Shape{1, 6, 5, 3}));
  const auto& op = std::get<graph::Conv2d>(g.nodes[0].op);
  EXPECT_EQ(op.stride, (graph::Hw{2, 1}));
  EXPECT_EQ(op.pads, (graph::Pads{1, 1, 0, 1}));
  EXPECT_EQ(op.input_zero_point, -3);
  EXPECT_EQ(op.out.zero_point, 7);
  EXPECT_EQ(op.out.min, -128);
  ASSERT_EQ(op.out.multiplier.size(), 4u);
  // Element (o=1, i=2, y=0, x=1) of OIHW is (1, 0, 1, 2) of OHWI.
  const auto w = g.tensor(g.nodes[0].inputs[1]).values<std::int8_t>();
  EXPECT_EQ(w[((1 * 3 + 0) * 2 + 1) * 3 + 2], ramp(72)[((1 * 3 + 2) * 3 + 0) * 2 + 1]);
  // 1 / (0.5 * 0.1), -1 / (0.5 * 0.2), 0.5 / (0.5 * 0.3)
  EXPECT_THAT(g.tensor(g.nodes[0].inputs[2]).values<std::int32_t>(), ElementsAre(20, -10, 3, 0));
  EXPECT_THAT(g.outputs[0].perm, ElementsAre(0, 2, 3, 1));
}

TEST(OnnxSmall, ReluAndClipBecomeTheClamp) {
  OnnxModel m = conv_model();
  m.node("Relu", {"conv"}, "relu");
  m.constant("high", onnx::TensorProto::FLOAT, {}, {6});
  m.node("Clip", {"relu", "", "high"}, "clip");
  m.output(m.qdq("clip", 0.25, 7));
  const graph::Graph g = import(m);
  EXPECT_THAT(ops(g), ElementsAre("conv2d"));
  EXPECT_EQ(std::get<graph::Conv2d>(g.nodes[0].op).out.min, 7);
  EXPECT_EQ(std::get<graph::Conv2d>(g.nodes[0].op).out.max, 31);
}

TEST(OnnxSmall, GuardBitsUseTheRoomOfTheAccumulator) {
  OnnxModel m = conv_model();
  m.output(m.qdq("conv", 20, 0));
  const graph::Graph g = import(m);
  const auto w = g.tensor(g.nodes[0].inputs[1]).values<std::int8_t>();
  const auto bias = g.tensor(g.nodes[0].inputs[2]).values<std::int32_t>();
  for (std::size_t o = 0; o < 4; ++o) {
    const graph::Multiplier& m4 = std::get<graph::Conv2d>(g.nodes[0].op).out.multiplier[o];
    double bound = std::abs(bias[o]);
    for (std::size_t i = 0; i < 18; ++i) bound += std::abs(w[o * 18 + i]) * 130.0;
    EXPECT_LT(std::ldexp(bound, m4.left()), 2147483648.0);
    EXPECT_GE(std::ldexp(bound, m4.left() + 1), 2147483648.0) << "no bit of room is left";
    EXPECT_LE(m4.right(), 31);
  }
}

TEST(OnnxSmall, Uint8ActivationsMoveTheirZeroPoint) {
  OnnxModel m;
  m.input("x", {2, 3});
  m.node("Relu", {m.qdq("x", 0.5, 130, onnx::TensorProto::UINT8)}, "relu");
  m.output(m.qdq("relu", 0.5, 0, onnx::TensorProto::UINT8));
  const graph::Graph g = import(m);
  EXPECT_THAT(ops(g), ElementsAre("requantize"));
  EXPECT_EQ(std::get<graph::Requantize>(g.nodes[0].op).input_zero_point, 2);
  EXPECT_EQ(std::get<graph::Requantize>(g.nodes[0].op).out.min, -128);
}

TEST(OnnxSmall, TransposesOfTheInputGoIntoThePort) {
  OnnxModel m;
  m.input("image", {1, 6, 5, 3});
  OnnxModel::ints(m.node("Transpose", {"image"}, "x"), "perm", {0, 3, 1, 2});
  OnnxModel::ints(m.node("MaxPool", {m.qdq("x", 0.5, 0)}, "pool"), "kernel_shape", {1, 1});
  m.node("GlobalAveragePool", {"pool"}, "mean");
  m.output(m.qdq("mean", 0.5, 0));
  const graph::Graph g = import(m);
  EXPECT_THAT(ops(g), ElementsAre("max_pool2d", "avg_pool2d"));
  EXPECT_TRUE(g.inputs[0].perm.empty());
  EXPECT_EQ(g.tensor(g.inputs[0].tensor).shape, (graph::Shape{1, 6, 5, 3}));
}

TEST(OnnxSmall, MatMulWithAddBecomesADenseLayer) {
  OnnxModel m;
  m.input("x", {0, 4});
  const std::string w = m.weights("w", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {0.5, 0.25}, 1);
  m.node("MatMul", {m.qdq("x", 1, 0), w}, "product");
  m.constant("b", onnx::TensorProto::FLOAT, {2}, {4, 4});
  m.node("Add", {"product", "b"}, "sum");
  m.output(m.qdq("sum", 1, 0));
  const graph::Graph g = import(m);
  EXPECT_THAT(ops(g), ElementsAre("fully_connected"));
  EXPECT_THAT(g.tensor(g.nodes[0].inputs[1]).values<std::int8_t>(), ElementsAre(1, 3, 5, 7, 2, 4, 6, 8));
  EXPECT_THAT(g.tensor(g.nodes[0].inputs[2]).values<std::int32_t>(), ElementsAre(8, 16));
  EXPECT_EQ(g.inputs[0].model_shape, (graph::Shape{1, 4})) << "a free batch is 1";
}

TEST(OnnxSmall, MatMulOfTwoActivationsBecomesABatchMatMul) {
  OnnxModel m;
  m.input("x", {2, 3, 2});
  m.input("y", {1, 2, 2});
  m.node("MatMul", {m.qdq("x", 0.5, 1), m.qdq("y", 0.5, -1)}, "product");
  m.output(m.qdq("product", 0.25, 3));
  const graph::Graph g = import(m);
  EXPECT_THAT(ops(g), ElementsAre("batch_matmul"));
  const auto bytes = [](const std::vector<std::int8_t>& values) { return *graph::to_bytes(values); };
  // (x - 1) times (y + 1), plus 3.
  const auto out =
      pipeline::Reference(g).run({bytes({1, 2, 3, 4, 5, 6, 1, 1, 2, 1, 0, 3}), bytes({0, 1, 2, -3})});
  EXPECT_EQ(out.at(0), bytes({6, 1, 14, 1, 22, 1, 3, 3, 4, 5, 8, -3}));
}

/// A product of two activations times `factor`.
graph::Graph product_times(const OnnxModel& empty, float factor) {
  OnnxModel m = empty;
  m.input("x", {1, 2});
  m.input("y", {2, 1});
  m.node("MatMul", {m.qdq("x", 0.5, 0), m.qdq("y", 0.5, 0)}, "product");
  m.constant("factor", onnx::TensorProto::FLOAT, {}, {factor});
  m.node("Mul", {"product", "factor"}, "scaled");
  m.output(m.qdq("scaled", 0.25, 3));
  return import(m);
}

// Scores of an attention are divided by the root of their terms.
TEST(OnnxSmall, APositiveNumberJoinsAProductOfTwoActivations) {
  const graph::Graph g = product_times({}, 0.5);
  EXPECT_THAT(ops(g), ElementsAre("batch_matmul"));
  const auto bytes = [](const std::vector<std::int8_t>& values) { return *graph::to_bytes(values); };
  EXPECT_EQ(pipeline::Reference(g).run({bytes({3, 4}), bytes({5, 6})}).at(0), bytes({3 + 39 / 2 + 1}));
  EXPECT_THAT(ops(product_times({}, -0.5)), ::testing::Contains("matmul")) << "in floats";
}

TEST(OnnxSmall, ClutterFolds) {
  OnnxModel m;
  m.input("x", {1, 2, 3, 1});
  const std::string x = m.qdq("x", 1, 0);
  m.node("Identity", {x}, "same");
  m.node("Shape", {"same"}, "shape");
  OnnxModel::integer(m.node("Cast", {"shape"}, "shape32"), "to", onnx::TensorProto::INT32);
  OnnxModel::integer(m.node("Cast", {"shape32"}, "shape64"), "to", onnx::TensorProto::INT64);
  m.node("Reshape", {"same", "shape64"}, "reshaped");
  m.constant("axes", onnx::TensorProto::INT64, {2}, {0, 3});
  m.node("Squeeze", {"reshaped", "axes"}, "squeezed");
  m.constant("two", onnx::TensorProto::INT64, {1}, {2});
  auto& fill = m.node("ConstantOfShape", {"two"}, "fill");
  auto& value = *fill.add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(onnx::TensorProto::INT64);
  value.mutable_t()->add_dims(1);
  value.mutable_t()->add_int64_data(-1);
  m.constant("six", onnx::TensorProto::INT64, {1}, {6});
  OnnxModel::integer(m.node("Concat", {"six"}, "flat_shape"), "axis", 0);
  m.node("Reshape", {"squeezed", "flat_shape"}, "flat");
  m.node("Relu", {"flat"}, "relu");
  m.output(m.qdq("relu", 1, 0));
  const graph::Graph g = import(m);
  EXPECT_EQ(ops(g).back(), "requantize");
  EXPECT_EQ(g.tensor(g.outputs[0].tensor).shape, graph::Shape{6});
}

TEST(OnnxSmall, ASoftmaxAtTheEndIsFloat) {
  OnnxModel m;
  m.input("x", {1, 4});
  m.node("Softmax", {m.qdq("x", 0.1, 0)}, "p");
  m.output("p");
  EXPECT_THAT(ops(import(m)), ElementsAre("dequantize", "softmax_float"));
}

TEST(OnnxSmall, ASoftmaxInTheMiddleIsInt8) {
  OnnxModel m;
  m.input("x", {1, 4});
  m.node("Softmax", {m.qdq("x", 0.1, 0)}, "p");
  m.output(m.qdq("p", 1.0 / 256, -128));
  EXPECT_THAT(ops(import(m)), ElementsAre("softmax"));
}

TEST(OnnxSmall, ConcatScalesItsInputs) {
  OnnxModel m;
  m.input("a", {1, 2, 4, 4});
  m.input("b", {1, 3, 4, 4});
  OnnxModel::integer(m.node("Concat", {m.qdq("a", 0.5, 0), m.qdq("b", 0.25, 3)}, "c"), "axis", 1);
  m.output(m.qdq("c", 0.5, 0));
  const graph::Graph g = import(m);
  EXPECT_THAT(ops(g), ElementsAre("requantize", "concat"));
  EXPECT_EQ(std::get<graph::Concat>(g.nodes[1].op).axis, 3) << "channels are last";
}

TEST(OnnxSmall, RefusalsNameOperatorAndNode) {
  OnnxModel unknown;
  unknown.input("x", {1, 4});
  unknown.node("Frobnicate", {unknown.qdq("x", 1, 0)}, "y");
  unknown.output("y");
  EXPECT_THAT([&] { import(unknown); },
              ThrowsMessage<UserError>(HasSubstr(
                  "Frobnicate at node 'y_node' is not supported: 'Frobnicate' is no operator of ONNX")));

  OnnxModel order;
  order.input("x", {1, 4});
  order.node("Relu", {"later"}, "y");
  order.output("y");
  EXPECT_THAT([&] { import(order); },
              ThrowsMessage<UserError>(HasSubstr("'later' is read before any node writes it")));
}

TEST(OnnxSmall, WrongShapesAreRefused) {
  OnnxModel bad;
  bad.input("x", {1, 5, 6, 5});
  const std::string w = bad.weights("w", {4, 3, 3, 2}, ramp(72), {0.1});
  bad.node("Conv", {bad.qdq("x", 0.5, 0), w}, "conv");
  bad.output(bad.qdq("conv", 1, 0));
  EXPECT_THAT([&] { import(bad); },
              ThrowsMessage<UserError>(HasSubstr(
                  "node 'conv_node' (convolve): weights 4x3x3x2 and 1 groups do not fit 5 input channels")));

  OnnxModel reshape;
  reshape.input("x", {1, 4});
  reshape.constant("shape", onnx::TensorProto::INT64, {1}, {5});
  reshape.node("Reshape", {reshape.qdq("x", 1, 0), "shape"}, "y");
  reshape.output("y");
  EXPECT_THAT([&] { import(reshape); }, ThrowsMessage<UserError>(HasSubstr("cannot reshape 1x4 to 5")));

  OnnxModel free;
  free.input("x", {1, 0, 4});
  EXPECT_THAT(
      [&] {
        free.node("Relu", {"x"}, "y");
        import(free);
      },
      ThrowsMessage<UserError>(HasSubstr("input 'x' has no fixed extent in dimension 1")));
}

TEST(OnnxSmall, ATruncatedConstantIsRefused) {
  OnnxModel m;
  m.input("x", {1, 4});
  m.constant("w", onnx::TensorProto::FLOAT, {4}, {1, 2, 3});
  m.node("Relu", {"x"}, "y");
  m.output("y");
  EXPECT_THAT([&] { import(m); },
              ThrowsMessage<UserError>(
                  HasSubstr("constant 'w' has 12 bytes, its shape needs 16 (truncated or corrupt)")));
}

}  // namespace
}  // namespace vdla::import
