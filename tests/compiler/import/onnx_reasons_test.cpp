// SPDX-License-Identifier: Apache-2.0
// A quantised operator that stays in floats says which rule declined it, and why.
#include <gmock/gmock.h>

#include <algorithm>

#include "compiler/pipeline/compile.h"
#include "isa/variants/variants.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using testing::import;
using ::testing::IsEmpty;
using testing::OnnxModel;

/// Sentences of the graph's nodes, each once.
std::vector<std::string> reasons(const OnnxModel& m) {
  std::vector<std::string> result;
  for (const graph::Node& node : import(m).nodes)
    if (!node.in_floats.empty() && std::ranges::count(result, node.in_floats) == 0)
      result.push_back(node.in_floats);
  return result;
}

/// Softmax of x [2,3,4] along `axis`, in steps of `scale` behind it.
OnnxModel softmax(int axis, double scale) {
  OnnxModel m;
  m.input("x", {2, 3, 4});
  OnnxModel::integer(m.node("Softmax", {m.qdq("x", 0.1, 0)}, "y"), "axis", axis);
  m.output(m.qdq("y", scale, -128));
  return m;
}

TEST(OnnxReasons, ALayerOfIntegersHasNone) { EXPECT_THAT(reasons(softmax(2, 1.0 / 256)), IsEmpty()); }

TEST(OnnxReasons, AnAxisIsNamed) {
  EXPECT_THAT(
      reasons(softmax(1, 1.0 / 256)),
      ElementsAre("Softmax 'y_node' stays in floats: it is along axis 1 of 3 dimensions, needs the last"));
}

TEST(OnnxReasons, AScaleThatComesLaterIsNamed) {
  EXPECT_THAT(reasons(softmax(2, 0.001)),
              ElementsAre("Softmax 'y_node' stays in floats: it has an output in steps of 0.001, needs "
                          "0.00217014 at least"));
}

TEST(OnnxReasons, AClampAfterADeclinedLayerFollowsIt) {
  OnnxModel m;
  m.input("x", {4});
  m.node("Softmax", {m.qdq("x", 0.1, 0)}, "s");
  m.node("Relu", {"s"}, "y");
  m.output(m.qdq("y", 0.001, 0));
  EXPECT_THAT(reasons(m),
              ElementsAre("Softmax 's_node' stays in floats: it has an output in steps of 0.001, needs "
                          "0.00217014 at least",
                          "Relu 'y_node' stays in floats: it follows Softmax 's_node', which stays in "
                          "floats"));
}

TEST(OnnxReasons, AnOperatorWithoutARuleIsNamedAndItsNeighboursNameIt) {
  OnnxModel m;
  m.input("x", {4});
  m.node("Tanh", {m.qdq("x", 0.1, 0)}, "before");
  m.node("LogSoftmax", {"before"}, "s");
  m.node("Relu", {"s"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(
      reasons(m),
      ElementsAre(
          "Tanh 'before_node' stays in floats: it gives its result to LogSoftmax 's_node', which reads "
          "floats",
          "LogSoftmax 's_node' stays in floats: it has no integer form",
          "Relu 'y_node' stays in floats: it reads 's', which stays in floats"));
}

TEST(OnnxReasons, AnOperatorOfAFunctionSaysWhatTheFunctionIs) {
  OnnxModel m;
  m.opset(18);
  m.input("x", {4});
  OnnxModel::ints(m.node("MeanVarianceNormalization", {m.qdq("x", 0.1, 0)}, "y"), "axes", {0});
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(reasons(m),
              ElementsAre("MeanVarianceNormalization 'y_node' stays in floats: it has no integer form"));
}

/// The sentence on a third input was made where there is none, too, and ended the import.
TEST(OnnxReasons, ADropoutWithoutAThirdInputIsAnIntegerLayer) {
  OnnxModel m;
  m.input("x", {4});
  m.constant("ratio", onnx::TensorProto::FLOAT, {}, {0.25});
  m.node("Dropout", {m.qdq("x", 0.1, 0), "ratio"}, "y");
  m.output(m.qdq("y", 0.2, 0));
  EXPECT_THAT(reasons(m), IsEmpty());
}

TEST(OnnxReasons, WeightsWithoutAScaleAreNamed) {
  OnnxModel m;
  m.input("x", {2, 2});
  m.constant("w", onnx::TensorProto::FLOAT, {2, 2}, {1, 2, 3, 4});
  m.node("MatMul", {m.qdq("x", 0.1, 0), "w"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(reasons(m),
              ElementsAre("MatMul 'y_node' stays in floats: it has input 1 ('w'), which is float32 "
                          "without a scale, needs a QuantizeLinear before"));
}

TEST(OnnxReasons, ABorderOfSixteenBitsIsNamed) {
  OnnxModel m;
  m.opset(21);
  m.input("x", {4});
  m.output(m.qdq("x", 0.1, 0, onnx::TensorProto::INT16));
  EXPECT_THAT(
      reasons(m),
      ElementsAre("QuantizeLinear 'x_q_node' stays in floats: it is between float32 and int16, needs int8 "
                  "or uint8",
                  "DequantizeLinear 'x_dq_node' stays in floats: it is between float32 and int16, needs "
                  "int8 or uint8"));
}

TEST(OnnxReasons, ACompileGivesThemAsReasons) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("paper");
  options.machine_code = false;
  const graph::Graph g = import(softmax(1, 1.0 / 256));
  const std::string why =
      "Softmax 'y_node' stays in floats: it is along axis 1 of 3 dimensions, needs the last";
  for (const bool use_device : {true, false}) {
    options.use_device = use_device;
    std::string found;
    for (const pipeline::NodeReport& n : pipeline::compile(g, options).nodes)
      if (n.name == "y_node") found = n.reason;
    EXPECT_THAT(found, ::testing::StartsWith((use_device ? "" : "the target is the CPU; ") + why));
  }
}

}  // namespace
}  // namespace vdla::import
