// SPDX-License-Identifier: Apache-2.0
// Numbers that were once wrong without a word, and sizes that once took the stack or the square of their
// time.
#include <gmock/gmock.h>
#include <onnx/defs/parser.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "compiler/graph/fuse.h"
#include "compiler/import/import.h"
#include "support/error.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::import;
using ::testing::IsNan;
using testing::OnnxModel;
using ::testing::ThrowsMessage;

graph::Graph graph_of(const std::string& text) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(18);
  const auto status = onnx::OnnxParser::Parse(*model.mutable_graph(), text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  const std::string file = model.SerializeAsString();
  return import_onnx(std::as_bytes(std::span(file)), "text.onnx");
}

/// The only output of a graph of constants.
std::vector<float> values_of(const std::string& text) {
  const graph::Graph g = graph_of(text);
  const auto values = g.tensor(g.outputs.at(0).tensor).values<float>();
  return {values.begin(), values.end()};
}

TEST(OnnxNumbers, SignKeepsNotANumber) {
  EXPECT_THAT(values_of("g (float[4] x = {4, -1, 0, 9}) => (float[4] y) { q = Sqrt (x) y = Sign (q) }"),
              ElementsAre(1, IsNan(), 0, 1));
}

TEST(OnnxNumbers, HardSigmoidKeepsNotANumber) {
  EXPECT_THAT(
      values_of("g (float[4] x = {0, -1, 100, 1}) => (float[4] y) { q = Sqrt (x) y = HardSigmoid (q) }"),
      ElementsAre(0.5F, IsNan(), 1, 0.7F));
}

TEST(OnnxNumbers, MaxAndMinOfManyInputsKeepNotANumber) {
  for (const std::string op : {"Max", "Min"})
    EXPECT_THAT(
        values_of("g (float[2] x = {-1, 4}, float[2] a = {3, 3}) => (float[2] y) { q = Sqrt (x) y = " + op +
                  " (a, q, a) }"),
        ElementsAre(IsNan(), op == "Max" ? 3 : 2));
}

/// x[1,4,3,3] in int8, reshaped by its own shape from `start` to `end` and one -1.
graph::Shape reshaped_by_part(std::int64_t start, std::int64_t end) {
  OnnxModel m;
  m.opset(15);
  m.input("x", {1, 4, 3, 3});
  const std::string x = m.qdq("x", 0.5, 0);
  auto& shape = m.node("Shape", {x}, "shape");
  OnnxModel::integer(shape, "start", start);
  OnnxModel::integer(shape, "end", end);
  m.constant("rest", onnx::TensorProto::INT64, {1}, {-1});
  OnnxModel::integer(m.node("Concat", {"shape", "rest"}, "wanted"), "axis", 0);
  m.node("Reshape", {x, "wanted"}, "y");
  m.output(m.qdq("y", 0.5, 0));
  return import(m).outputs.at(0).model_shape;
}

TEST(OnnxNumbers, ShapeTakesStartAndEndInQuantisedNetworks) {
  EXPECT_EQ(reshaped_by_part(0, 1), (graph::Shape{1, 36}));
  EXPECT_EQ(reshaped_by_part(0, -2), (graph::Shape{1, 4, 9}));
  EXPECT_EQ(reshaped_by_part(-3, 2), (graph::Shape{4, 9}));
  EXPECT_EQ(reshaped_by_part(3, 1), (graph::Shape{36}));
}

TEST(OnnxNumbers, AConstantIndexOutsideOfItsDimensionIsRefused) {
  const auto gather = [](const std::string& op, const std::string& index) {
    graph_of("g (float[2,3] x, int64" + index + ") => (float y) { y = " + op + " (x, i) }");
  };
  EXPECT_THAT([&] { gather("Gather", "[1] i = {2}"); },
              ThrowsMessage<UserError>(HasSubstr("has index 2 into dimension 0 of extent 2, needs -2 to 1")));
  EXPECT_THAT(
      [&] { gather("Gather <axis = 1>", "[1] i = {-4}"); },
      ThrowsMessage<UserError>(HasSubstr("has index -4 into dimension 1 of extent 3, needs -3 to 2")));
  EXPECT_THAT([&] { gather("GatherElements <axis = 1>", "[1,1] i = {3}"); },
              ThrowsMessage<UserError>(HasSubstr("has index 3 into dimension 1")));
  EXPECT_THAT([&] { gather("GatherND", "[1,2] i = {1, 3}"); },
              ThrowsMessage<UserError>(HasSubstr("has index 3 into dimension 1")));
  EXPECT_THAT(
      [&] {
        graph_of(
            "g (float[2,3] x, int64[1,1] i = {5}, float[1,3] u) => (float[2,3] y) { y = ScatterND (x, i, u) "
            "}");
      },
      ThrowsMessage<UserError>(HasSubstr("has index 5 into dimension 0 of extent 2")));
  EXPECT_NO_THROW(gather("Gather", "[2] i = {-2, 1}"));
}

TEST(OnnxNumbers, AnOperatorOfFloatsRefusesIntegers) {
  EXPECT_THAT([] { graph_of("g (int8[1,5,5,5] x) => (int8[1,5,5,5] y) { y = LRN <size = 3> (x) }"); },
              ThrowsMessage<UserError>(
                  HasSubstr("has input 0 ('X') of int8, which ONNX does not have this operator for")));
  EXPECT_NO_THROW(graph_of("g (int8[4] x) => (int8[4] y) { y = Abs (x) }"));
}

/// The padding behind that ceil_mode adds for the last window is no padding of the model: it is never
/// counted.
TEST(OnnxNumbers, AnAverageDoesNotCountWhatCeilModeAdds) {
  const auto divisors = [](const std::string& more) {
    const graph::Graph g = graph_of(
        "g (float[1,1,1,5] x) => (float[1,1,1,3] y) { y = AveragePool <kernel_shape = [1, 3], strides = [1, "
        "2], "
        "ceil_mode = 1" +
        more + "> (x) }");
    const auto values = g.tensor(g.nodes.back().inputs[1]).values<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_THAT(divisors(", pads = [0, 1, 0, 0]"), ElementsAre(2, 3, 2));
  EXPECT_THAT(divisors(", pads = [0, 1, 0, 0], count_include_pad = 1"), ElementsAre(3, 3, 2));
}

/// x[1,depth] in int8 times `outputs` = 1 column of weights -128: Gemm to the output scale.
graph::Graph dense(std::int64_t depth, double output_scale) {
  OnnxModel m;
  m.input("x", {1, depth});
  const std::string w =
      m.weights("w", {depth, 1}, std::vector<double>(static_cast<std::size_t>(depth), -128), {1});
  m.node("MatMul", {m.qdq("x", 1, 0), w}, "y");
  m.output(m.qdq("y", output_scale, 0));
  return import(m);
}

TEST(OnnxNumbers, SumsThatCanPassInt32AreRefused) {
  EXPECT_NO_THROW(dense(131'000, std::exp2(23)));
  EXPECT_THAT(
      [] { dense(131'072, std::exp2(23)); },
      ThrowsMessage<UserError>(::testing::AllOf(HasSubstr("node 'y_node' has sums of up to 2147483648"),
                                                HasSubstr("that can pass the 2147483647"))));
}

/// They wrapped on the CPU: the operators on integers of networks of floats had no bound.
TEST(OnnxNumbers, SumsOfIntegerOperatorsThatCanPassInt32AreRefused) {
  const auto refused = [](const std::string& text, const std::string& sentence) {
    EXPECT_THAT([&] { graph_of(text); },
                ThrowsMessage<UserError>(
                    ::testing::AllOf(HasSubstr("has sums of up to " + sentence), HasSubstr("2147483647"))))
        << text;
  };
  const auto product = [](int depth, const std::string& more, const std::string& names) {
    const std::string k = std::to_string(depth);
    return "g (int8[1," + k + "] a, int8[" + k + ",1] b" + more +
           ") => (int32[1,1] y) { y = MatMulInteger (a, b" + names + ") }";
  };
  EXPECT_NO_THROW(graph_of(product(131'071, "", "")));
  refused(product(131'072, "", ""), "2147483648 (131072 products each)");
  refused(product(33'026, ", int8 z, int8 v", ", z, v"), "2147515650");  // zero points of the model's own
  EXPECT_NO_THROW(graph_of(product(33'025, ", int8 z, int8 v", ", z, v")));

  const auto convolution = [](int channels) {
    const std::string n = std::to_string(channels);
    return "g (uint8[1," + n + ",3,3] x, int8[2," + n +
           ",3,3] w) => (int32[1,2,1,1] y) { y = ConvInteger (x, w) }";
  };
  EXPECT_NO_THROW(graph_of(convolution(7'310)));
  refused(convolution(7'311), "2147679360 (65799 products each)");

  // Constant weights count as they are: 1 where the type could hold -128.
  const auto with_bias = [](std::int64_t bias, const std::string& more = "") {
    return "g (uint8[1,4,1,1] x, float s, uint8 z = {0}, float o = {1}" + more +
           ") => (uint8[1,1,1,1] y) {"
           " w = Constant <value = int8[1,4,1,1] {1, -1, 1, 0}> ()"
           " v = Constant <value = int8 {0}> ()" +
           (more.empty() ? " b = Constant <value = int32[1] {" + std::to_string(bias) + "}> ()" : "") +
           " y = QLinearConv (x, s, z, w, s, v, o, z, b) }";
  };
  EXPECT_NO_THROW(graph_of(with_bias(INT32_MAX - 3 * 255)));
  refused(with_bias(INT32_MAX - 3 * 255 + 1), "2147483648 (4 products each and a bias)");
  // A bias that the model computes is added in 64 bits.
  const graph::Graph g = graph_of(with_bias(0, ", int32[1] b"));
  EXPECT_TRUE(std::ranges::any_of(g.nodes, [&](const graph::Node& n) {
    return g.tensor(n.output).type == graph::DataType::Int64 && graph::name_of(n.op) == "map";
  }));
}

/// A sum of 1 is 2^20 steps of the output, a sum of 0 none: 256 steps say the same, and nothing wraps on the
/// way.
TEST(OnnxNumbers, LargeScalesSaturateInsteadOfWrapping) {
  const graph::Graph g = dense(32, std::exp2(-20));
  const auto& out = std::get<graph::FullyConnected>(g.nodes.at(0).op).out;
  EXPECT_EQ(out.multiplier.at(0), (graph::Multiplier{1 << 30, 9, 0}));
  EXPECT_THAT([] { dense(32'768, 0.125); },
              ThrowsMessage<UserError>(HasSubstr("which its scales multiply by up to 16")));
}

TEST(OnnxSizes, AConcatOfManyInputsIsJoinedInSteps) {
  OnnxModel m;
  m.input("x", {1, 4});
  auto& concat = m.node("Concat", std::vector<std::string>(20'000, "x"), "y");
  OnnxModel::integer(concat, "axis", 0);
  m.output("y");
  const graph::Graph g = import(m);
  EXPECT_EQ(g.outputs.at(0).model_shape, (graph::Shape{20'000, 4}));
  for (const graph::Node& node : g.nodes) EXPECT_LE(node.inputs.size(), 64u);
  EXPECT_EQ(g.nodes.size(), 313u + 5 + 1);
}

TEST(OnnxSizes, ASumOfManyInputsIsAddedInSteps) {
  OnnxModel m;
  m.input("x", {4});
  m.node("Sum", std::vector<std::string>(5'000, "x"), "y");
  m.output("y");
  for (const graph::Node& node : import(m).nodes) EXPECT_LE(node.inputs.size(), 64u);
}

/// A float extreme names its first operand several times: an expression of n inputs had 4 to the power of n
/// operands, and a Max of 20 inputs never compiled.
TEST(OnnxSizes, AMaximumOfManyInputsIsTakenInPairs) {
  for (const std::string op : {"Max", "Min"}) {
    OnnxModel m;
    std::vector<std::string> names;
    for (int i = 0; i < 500; ++i) {
      names.push_back("x" + std::to_string(i));
      m.input(names.back(), {4});
    }
    m.node(op, names, "y");
    m.output("y");
    const graph::Graph g = import(m);
    EXPECT_EQ(g.nodes.size(), names.size() - 1);
    for (const graph::Node& node : g.nodes) EXPECT_EQ(node.inputs.size(), 2u);
  }
}

/// LLVM's time and memory grow with the square of a function: a chain of thousands of nodes is not one.
TEST(OnnxSizes, AChainOfManyNodesBecomesFunctionsOfBoundedSize) {
  OnnxModel m;
  m.input("t0", {1, 4});
  for (int i = 0; i < 5'000; ++i) m.node("Relu", {"t" + std::to_string(i)}, "t" + std::to_string(i + 1));
  m.output("t5000");
  const graph::Graph g = import(m);
  const std::vector<graph::NodeId> root = graph::fuse(g, std::vector<bool>(g.nodes.size(), true));
  std::map<graph::NodeId, int> members;
  for (graph::NodeId r : root) ++members[r];
  EXPECT_GT(members.size(), 1u);
  for (const auto& [group, count] : members) EXPECT_LE(count, 48);
}

/// Each Reshape puts the whole offset into every index in front of it: a chain of them doubled the text of a
/// function with each.
TEST(OnnxSizes, AChainOfReshapesBecomesFunctionsOfBoundedIndices) {
  OnnxModel m;
  const std::vector<std::vector<std::int64_t>> shapes = {{6, 35, 12}, {15, 8, 21}, {9, 10, 28}};
  m.input("t0", shapes[0]);
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string from = "t" + std::to_string(i), moved = "m" + std::to_string(i);
    OnnxModel::ints(m.node("Transpose", {from}, moved), "perm", {2, 0, 1});
    const auto& to = shapes[(i + 1) % shapes.size()];
    m.constant("s" + std::to_string(i), onnx::TensorProto::INT64, {3}, {to.begin(), to.end()});
    m.node("Reshape", {moved, "s" + std::to_string(i)}, "t" + std::to_string(i + 1));
  }
  m.node("Relu", {"t40"}, "y");
  m.output("y");
  const graph::Graph g = import(m);
  const std::vector<graph::NodeId> root = graph::fuse(g, std::vector<bool>(g.nodes.size(), true));
  std::map<graph::NodeId, int> reshapes;
  for (std::size_t i = 0; i < root.size(); ++i)
    reshapes[root[i]] += std::holds_alternative<graph::Reshape>(g.nodes[i].op) ? 1 : 0;
  for (const auto& [group, count] : reshapes) EXPECT_LE(count, 3);
}

/// Of operators that pass what a QuantizeLinear asks to the one in front: they overflowed the stack.
TEST(OnnxSizes, AChainOfManyNodesWithoutScalesIsImported) {
  constexpr int kNodes = 100'000;
  OnnxModel m;
  m.input("x", {2, 3});
  m.scale("q", 0.1, 0);
  m.node("QuantizeLinear", {"x", "q_s", "q_z"}, "x_q");
  m.node("DequantizeLinear", {"x_q", "q_s", "q_z"}, "t0");
  for (int i = 0; i < kNodes; ++i) {
    const std::string from = "t" + std::to_string(i), to = "t" + std::to_string(i + 1);
    if (i % 2 == 0)
      m.node("Relu", {from}, to);
    else
      OnnxModel::ints(m.node("Transpose", {from}, to), "perm", {1, 0});
  }
  m.node("QuantizeLinear", {"t" + std::to_string(kNodes), "q_s", "q_z"}, "y_q");
  m.node("DequantizeLinear", {"y_q", "q_s", "q_z"}, "y");
  m.output("y");
  const graph::Graph g = import(m);
  ASSERT_EQ(g.outputs.size(), 1u);
  EXPECT_EQ(g.outputs[0].model_shape, (graph::Shape{2, 3}));
  EXPECT_EQ(g.tensor(g.outputs[0].tensor).sources.value().size(), std::size_t{kNodes} + 2);
}

/// Each of n taps along a chain held the names of all before it, which the others stand for.
TEST(OnnxSizes, TapsAlongAChainHoldTheirOwnNames) {
  constexpr int kNodes = 100;
  OnnxModel m;
  m.input("x", {2, 3});
  m.scale("q", 0.1, 0);
  m.node("QuantizeLinear", {"x", "q_s", "q_z"}, "x_q");
  m.node("DequantizeLinear", {"x_q", "q_s", "q_z"}, "t0");
  for (int i = 0; i < kNodes; ++i) {
    const std::string n = std::to_string(i), to = "t" + std::to_string(i + 1);
    m.node("Relu", {"t" + n}, to);
    m.node("QuantizeLinear", {to, "q_s", "q_z"}, "q" + n);
    m.node("DequantizeLinear", {"q" + n, "q_s", "q_z"}, "y" + n);
    m.output("y" + n);
  }
  for (const graph::Tensor& t : import(m).tensors) EXPECT_LE(t.sources.value().size(), 4u) << t.name;
}

/// The sum of 65,536 floats was one addition after the other, and the mean of 0.1 wrong in its fifth digit.
TEST(OnnxSums, TheMeanOfManyEqualNumbersIsTheNumber) {
  OnnxModel m;
  m.constant("v", onnx::TensorProto::FLOAT, {}, {0.1});
  m.constant("s", onnx::TensorProto::INT64, {4}, {1, 1, 256, 256});
  m.node("Expand", {"v", "s"}, "x");
  m.node("GlobalAveragePool", {"x"}, "y");
  m.output("y");
  const graph::Graph g = import(m);
  EXPECT_THAT(g.tensor(g.outputs.at(0).tensor).values<float>(),
              ElementsAre(::testing::FloatNear(0.1F, 5e-7F)));
}

}  // namespace
}  // namespace vdla::import
