// SPDX-License-Identifier: Apache-2.0
// Float models: operators become compositions of a few, shapes that the model computes are known, and
// refusals say what is missing.
#include <gmock/gmock.h>

#include <set>

#include "compiler/graph/text/text.h"
#include "compiler/import/import.h"
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

TEST(OnnxTensor, FloatConvolutionWithBiasAndRelu) {
  OnnxModel m;
  m.input("x", {1, 3, 6, 5});
  m.constant("w", onnx::TensorProto::FLOAT, {4, 3, 3, 3}, std::vector<double>(108, 0.5));
  m.constant("b", onnx::TensorProto::FLOAT, {4}, {1, -1, 0.5, 0});
  OnnxModel::ints(m.node("Conv", {"x", "w", "b"}, "conv"), "pads", {1, 1, 1, 1});
  m.node("Relu", {"conv"}, "y");
  m.output("y");
  const graph::Graph g = import(m);
  EXPECT_THAT(ops(g), ElementsAre("convolve", "map", "map"));
  EXPECT_EQ(g.tensor(g.outputs[0].tensor).shape, (graph::Shape{1, 4, 6, 5}));
  EXPECT_EQ(g.tensor(g.outputs[0].tensor).name, "y");
  EXPECT_EQ(macs(g, g.nodes[0]), 108 * 30);
}

TEST(OnnxTensor, ShapesThatTheModelComputesAreConstants) {
  OnnxModel m;
  m.input("x", {2, 3, 4});
  m.constant("one", onnx::TensorProto::INT64, {1}, {1});
  m.constant("minus", onnx::TensorProto::INT64, {1}, {-1});
  m.node("Shape", {"x"}, "shape");
  m.node("Gather", {"shape", "one"}, "middle");
  OnnxModel::integer(m.node("Concat", {"middle", "minus"}, "wanted"), "axis", 0);
  m.node("Reshape", {"x", "wanted"}, "y");
  m.output("y");
  const graph::Graph g = import(m);
  EXPECT_THAT(ops(g), ElementsAre("reshape"));
  EXPECT_EQ(g.tensor(g.outputs[0].tensor).shape, (graph::Shape{3, 8}));
}

TEST(OnnxTensor, AnInputThatSaysAShapeMustBeBound) {
  OnnxModel m;
  m.input("x", {2, 3});
  m.input("shape", {1}, onnx::TensorProto::INT64);
  m.node("Reshape", {"x", "shape"}, "y");
  m.output("y");
  try {
    import(m);
    FAIL() << "imported a shape that nobody knows";
  } catch (const NeedsConstant& e) {
    EXPECT_THAT(e.inputs, ElementsAre("shape"));
    EXPECT_THAT(e.what(), HasSubstr("Reshape at node 'y_node' needs its shape (input 1) to be known when the "
                                    "model is compiled"));
  }
  const std::vector<std::int64_t> six = {6};
  ImportOptions options;
  options.bound["shape"] = {graph::DataType::Int64, {1}, graph::to_bytes(six)};
  EXPECT_EQ(import(m, options).inputs.size(), 1u);
}

TEST(OnnxTensor, ABindOfNoInputIsRefused) {
  OnnxModel m;
  m.input("x", {2, 3});
  m.node("Relu", {"x"}, "y");
  m.output("y");
  ImportOptions options;
  options.bound["shap"] = {graph::DataType::Int64, {1}, graph::to_bytes(std::vector<std::int64_t>{6})};
  EXPECT_THAT(
      [&] { import(m, options); },
      ThrowsMessage<UserError>(HasSubstr("has no input 'shap' that could be bound, its inputs are: x")));
}

TEST(OnnxTensor, DecimalsBindAFloatInput) {
  OnnxModel m;
  m.input("x", {1, 1, 2, 2});
  m.input("scales", {4});
  m.node("Resize", {"x", "", "scales"}, "y");
  m.output("y");
  m.opset(13);
  ImportOptions options;
  options.bound["scales"] = {
      graph::DataType::Float64, {4}, graph::to_bytes(std::vector<double>{1, 1, 1.5, 2})};
  EXPECT_EQ(import(m, options).outputs[0].model_shape, (graph::Shape{1, 1, 3, 4}));
}

TEST(OnnxTensor, EqualConstantsAreOne) {
  OnnxModel m;
  m.input("x", {4, 1, 2});
  m.constant("w", onnx::TensorProto::FLOAT, {1, 3, 2}, {1, 2, 3, 4, 5, 6});
  m.constant("r", onnx::TensorProto::FLOAT, {1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  m.node("RNN", {"x", "w", "r"}, "y");
  m.output("y");
  m.opset(14);
  const graph::Graph g = import(m);
  std::set<graph::TensorId> state_weights;
  for (const graph::Node& n : g.nodes)
    if (const auto* op = std::get_if<graph::MatMul>(&n.op); op && g.tensor(n.inputs[1]).shape[1] == 3)
      state_weights.insert(n.inputs[1]);
  EXPECT_EQ(state_weights.size(), 1u) << "each step has a copy of the weights";
}

/// The node suite's functions come with a version; this is the one of ONNX 1.12.
TEST(OnnxTensor, AnOperatorThatOnnxDefinesByOthersIsReplacedByThose) {
  OnnxModel m;
  m.opset(17);
  m.input("x", {2, 3, 4, 5});
  m.node("MeanVarianceNormalization", {"x"}, "y");
  m.output("y");
  const graph::Graph g = import(m);
  EXPECT_GT(g.nodes.size(), 3u);
  EXPECT_THAT(graph::print(g), HasSubstr("\"y_node/"));
}

TEST(OnnxTensor, RefusalsNameNodeOperatorAndWhatIsNeeded) {
  const auto refused = [](const std::string& op, const std::string& message) {
    OnnxModel m;
    m.opset(17);
    m.input("x", {2, 3});
    m.node(op, {"x"}, "y");
    m.output("y");
    EXPECT_THAT([&] { import(m); }, ThrowsMessage<UserError>(HasSubstr(message)));
  };
  refused("Vonc",
          "ONNX model 'small.onnx': Vonc at node 'y_node' is not supported: 'Vonc' is no operator of ONNX");
  refused("SplitToSequence", "is out of scope: sequences");
  refused("Add", "Add at node 'y_node' has 1 input, Add of operator set 17 needs 2");
}

TEST(OnnxTensor, TypesThatDoNotFitAreRefused) {
  OnnxModel m;
  m.input("x", {2});
  m.constant("n", onnx::TensorProto::INT64, {2}, {1, 2});
  m.node("Add", {"x", "n"}, "y");
  m.output("y");
  EXPECT_THAT([&] { import(m); },
              ThrowsMessage<UserError>(HasSubstr("has inputs of float32 and int64, needs one type")));
}

}  // namespace
}  // namespace vdla::import
