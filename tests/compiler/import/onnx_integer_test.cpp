// SPDX-License-Identifier: Apache-2.0
// Operators between DequantizeLinear and QuantizeLinear that become integer operators of what they mean in
// floats. The same model with a constant as its input is computed in floats while it is imported: each of its
// numbers is what the integer graph has to give.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/evaluate/evaluate.h"
#include "compiler/import/integer/permute.h"
#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using graph::Shape;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::graph_in_set;
using ::testing::IsEmpty;
using ::testing::Pointwise;

constexpr float kScale = 0.05F;
constexpr int kZero = 3;

/// The value `x` of that shape holds all steps of int8, first the most negative one.
struct Case {
  std::string nodes;  ///< from "d" to "r"
  Shape shape = {256};
  float scale = kScale;  ///< behind "r"
  int zero = kZero;
  std::string type = "int8";  ///< between which scales
};

std::vector<std::int8_t> steps(const Shape& shape) {
  std::vector<std::int8_t> result(static_cast<std::size_t>(graph::element_count(shape)));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::int8_t>(i * 7 + 128);
  return result;
}

std::string text_of(const Case& c, const std::string& values) {
  const int moved = c.type == "uint8" ? 128 : 0;
  return fmt::format(
      "g (float[{0}] x{1}) => (float y) <float xs = {{{2}}}, {6} xz = {{{3}}}, float ys = {{{4}}}, {6} yz = "
      "{{{5}}}> {{ q = QuantizeLinear (x, xs, xz) d = DequantizeLinear (q, xs, xz) {7} p = QuantizeLinear "
      "(r, ys, yz) y = DequantizeLinear (p, ys, yz) }}",
      fmt::join(c.shape, ","), values, kScale, kZero + moved, c.scale, c.zero + moved, c.type, c.nodes);
}

/// The whole model on reals: int8 steps of its output.
std::vector<int> in_floats(const Case& c) {
  std::vector<float> reals;
  for (const int step : steps(c.shape)) reals.push_back(kScale * static_cast<float>(step - kZero));
  const graph::Graph g = graph_in_set(18, text_of(c, fmt::format(" = {{{:.9g}}}", fmt::join(reals, ", "))));
  std::vector<int> result;
  for (const float y : g.tensor(g.outputs.at(0).tensor).values<float>())
    result.push_back(static_cast<int>(std::lround(y / c.scale)) + c.zero);
  return result;
}

struct Ran {
  std::vector<int> steps;
  std::vector<std::string> ops;      ///< of the graph's nodes
  std::vector<std::string> reasons;  ///< of nodes in floats
};

/// The graph of integers, node by node.
Ran in_integers(const Case& c) {
  graph::Graph g = graph_in_set(18, text_of(c, ""));
  const graph::Port in = g.inputs.at(0), out = g.outputs.at(0);
  g.tensor(in.tensor).data = graph::to_bytes(integer::permute(steps(c.shape), c.shape, in.perm));
  Ran ran;
  for (const graph::Node& node : g.nodes) {
    ran.ops.emplace_back(name_of(node.op));
    if (!node.in_floats.empty()) ran.reasons.push_back(node.in_floats);
    g.tensor(node.output).data = evaluate::evaluate(g, node);
  }
  EXPECT_EQ(g.tensor(out.tensor).type, graph::DataType::Int8);
  std::vector<int> back(out.perm.size());
  for (std::size_t i = 0; i < back.size(); ++i)
    back[static_cast<std::size_t>(out.perm[i])] = static_cast<int>(i);
  const auto stored = g.tensor(out.tensor).values<std::int8_t>();
  for (const std::int8_t step : integer::permute(std::vector<std::int8_t>(stored.begin(), stored.end()),
                                                 g.tensor(out.tensor).shape, back))
    ran.steps.push_back(step);
  return ran;
}

MATCHER_P(Near, most, "") { return std::abs(std::get<0>(arg) - std::get<1>(arg)) <= most; }

/// What the integer graph gives is what floats give; returns its operators.
std::vector<std::string> expect_equal(const Case& c) {
  const Ran ran = in_integers(c);
  EXPECT_THAT(ran.reasons, IsEmpty()) << c.nodes;
  EXPECT_EQ(ran.steps, in_floats(c)) << c.nodes;
  return ran.ops;
}

/// One table, whatever the function.
void expect_table(const std::string& nodes) {
  for (const std::string type : {"int8", "uint8"})
    EXPECT_THAT(expect_equal({.nodes = nodes, .type = type}), ElementsAre("lut")) << nodes;
}

TEST(OnnxIntegers, AFunctionOfOneNumberIsATable) {
  for (const std::string op : {"Abs",
                               "Atan",
                               "Ceil",
                               "Cos",
                               "Elu <alpha = 0.5>",
                               "Erf",
                               "Exp",
                               "Floor",
                               "HardSigmoid <alpha = 0.3>",
                               "HardSwish",
                               "LeakyRelu <alpha = -0.25>",
                               "Log",
                               "Mish",
                               "Neg",
                               "Reciprocal",
                               "Round",
                               "Selu",
                               "Sigmoid",
                               "Sign",
                               "Sin",
                               "Softplus",
                               "Softsign",
                               "Sqrt",
                               "Tanh",
                               "ThresholdedRelu <alpha = 0.7>"})
    expect_table("r = " + op + " (d)");
}

TEST(OnnxIntegers, AnOperatorWithSingleNumbersIsATable) {
  for (const std::string op : {"Add (d, n)", "Sub (d, n)", "Sub (n, d)", "Mul (d, n)", "Div (d, n)",
                               "Div (n, d)", "Pow (d, n)", "PRelu (d, n)", "Max (d, n)", "Min (n, d)"})
    expect_table("n = Constant <value = float {-1.3}> () r = " + op);
}

/// x * Relu6(x + 3) / 6 in four nodes, and x * sigmoid(x) in two: as networks are exported.
TEST(OnnxIntegers, FunctionsOfFunctionsOfOneTensorAreOneTable) {
  expect_table(
      "three = Constant <value = float {3}> () six = Constant <value = float {6}> () "
      "zero = Constant <value = float {0}> () a = Add (d, three) b = Clip (a, zero, six) m = Mul (d, b) "
      "r = Div (m, six)");
  expect_table("s = Sigmoid (d) r = Mul (d, s)");
  expect_table("s = Tanh (d) r = Relu (s)");
}

TEST(OnnxIntegers, AnOperatorThatMovesElementsKeepsTheirScale) {
  const Shape image = {2, 8, 4, 6};
  for (const std::string op :
       {"r = DepthToSpace <blocksize = 2> (d)", "r = DepthToSpace <blocksize = 2, mode = \"CRD\"> (d)",
        "r = SpaceToDepth <blocksize = 2> (d)",
        "i = Constant <value_ints = [3, 0, -1]> () r = Gather <axis = 1> (d, i)",
        "n = Constant <value_ints = [1, 2, 1, 2]> () r = Tile (d, n)",
        "n = Constant <value_ints = [3, 1, 1, 1, 1]> () r = Expand (d, n)",
        "n = Constant <value_ints = [0, 0, 1, 2, 0, 1, 2, 1]> () r = Pad <mode = \"edge\"> (d, n)",
        "n = Constant <value_ints = [0, 0, 1, 2, 0, 1, 2, 1]> () r = Pad <mode = \"reflect\"> (d, n)",
        "n = Constant <value_ints = [2, 8, 7, 9]> () r = Resize <mode = \"nearest\", "
        "coordinate_transformation_mode = \"align_corners\"> (d, , , n)",
        "n = Constant <value_floats = [1.0, 1.0, 2.0, 2.0]> () r = Resize <mode = \"nearest\", "
        "coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (d, , n)",
        "r = ReduceMax (d)", "n = Constant <value_ints = [2, 3]> () r = ReduceMin (d, n)"})
    for (const std::string type : {"int8", "uint8"})
      EXPECT_THAT(expect_equal({.nodes = op, .shape = image, .type = type}), Each(::testing::Ne("map")))
          << op;
}

TEST(OnnxIntegers, EveryOutputOfASplitIsOfIntegers) {
  for (const std::string part : {"a", "b", "c"})
    expect_equal({.nodes = "a, b, c = Split <axis = 1, num_outputs = 3> (d) r = Identity (" + part + ")",
                  .shape = {2, 9, 4, 3}});
  expect_equal({.nodes = "k = Constant <value_ints = [2]> () r, i = TopK (d, k)", .shape = {5, 12}});
  expect_equal({.nodes = "r, i = MaxPool <kernel_shape = [2, 2]> (d) ", .shape = {1, 3, 6, 5}});
}

/// Holds results of the integer graph to a step of those in floats; returns its operators.
std::vector<std::string> expect_near(const Case& c) {
  const Ran ran = in_integers(c);
  EXPECT_THAT(ran.reasons, IsEmpty()) << c.nodes;
  EXPECT_THAT(ran.steps, Pointwise(Near(1), in_floats(c))) << c.nodes;
  return ran.ops;
}
void expect_near(const Case& c, const std::vector<std::string>& ops) {
  EXPECT_EQ(expect_near(c), ops) << c.nodes;
}

TEST(OnnxIntegers, ATensorTimesAPositiveNumberIsRequantised) {
  for (const std::string op : {"Mul (n, d)", "Div (d, n)"})
    expect_near({.nodes = "n = Constant <value = float {1.3}> () r = " + op}, {"requantize"});
}

TEST(OnnxIntegers, AnAffineFunctionOfAnImagesChannelsIsALayer) {
  const std::string k = "k = Constant <value = float[1,3,1,1] {1.3, -0.2, 2.0}> () ";
  for (const std::string op : {"Mul (d, k)", "Add (k, d)", "Sub (d, k)", "Sub (k, d)", "Div (d, k)"})
    expect_near({.nodes = k + "r = " + op, .shape = {2, 3, 8, 8}}, {"depthwise_conv2d"});
  expect_near({.nodes = k + "m = Mul (d, k) a = Add (m, k) r = Relu (a)", .shape = {2, 3, 8, 8}},
              {"depthwise_conv2d"});
  expect_near(
      {.nodes = "s = Constant <value = float[3] {1, -2, 0.5}> () b = Constant <value = float[3] {0.1, "
                "0.2, -1}> () v = Constant <value = float[3] {1, 2, 3}> () r = BatchNormalization (d, s, "
                "b, b, v)",
       .shape = {2, 3, 8, 8}},
      {"depthwise_conv2d"});
}

/// A chain of single numbers on an image is a table still, once an operator of several of its values asks.
TEST(OnnxIntegers, AFunctionOfAnImageIsATable) {
  expect_near({.nodes = "three = Constant <value = float {3}> () six = Constant <value = float {6}> () "
                        "zero = Constant <value = float {0}> () a = Add (d, three) b = Clip (a, zero, six) "
                        "m = Mul (d, b) r = Div (m, six)",
               .shape = {2, 3, 8, 8}},
              {"lut"});
}

TEST(OnnxIntegers, ADifferenceAndExtremesOfTwoTensorsAreIntegers) {
  const std::string other = "e = Slice (d, one, all, zero, minus) ";
  const std::string of_two =
      "one = Constant <value_ints = [-1]> () all = Constant <value_ints = [-1000]> () zero = Constant "
      "<value_ints = [0]> () minus = Constant <value_ints = [-1]> () " +
      other;
  expect_near({.nodes = of_two + "r = Sub (d, e)", .scale = 0.1F}, {"view", "lut", "add"});
  expect_near({.nodes = of_two + "r = Sub (d, e)", .shape = {2, 3, 8, 8}, .scale = 0.1F},
              {"view", "depthwise_conv2d", "add"});
  expect_near({.nodes = of_two + "r = Max (d, e)", .scale = 0.06F},
              {"view", "requantize", "requantize", "maximum"});
  expect_near({.nodes = of_two + "r = Min (d, e)"}, {"view", "minimum"});
}

/// Windows that the graph's integer operator lacks.
TEST(OnnxIntegers, TheLargestOfAnyWindowIsOfIntegers) {
  for (const std::string op : {"ceil_mode = 1, strides = [2, 2]", "dilations = [2, 2], pads = [1, 1, 1, 1]"})
    EXPECT_THAT(
        expect_equal({.nodes = "r = MaxPool <kernel_shape = [2, 2], " + op + "> (d)", .shape = {2, 3, 6, 7}}),
        Each(::testing::Ne("map")));
  expect_equal({.nodes = "r = MaxPool <kernel_shape = [2, 2, 3]> (d)", .shape = {1, 2, 4, 5, 6}});
}

TEST(OnnxIntegers, ATransposedConvolutionIsALayerOverSpreadPixels) {
  const std::vector<std::string> conv = {"view", "conv2d"}, depthwise = {"view", "depthwise_conv2d"},
                                 line = {"transpose", "reshape", "view", "conv2d", "reshape"};
  struct Transposed {
    std::string attributes;
    Shape shape, weights;
    std::vector<std::string> ops;
    std::int64_t groups = 1;
  };
  const std::vector<Transposed> cases = {
      {"strides = [2, 2]", {2, 3, 4, 5}, {3, 2, 3, 2}, conv},
      {"strides = [2, 3], pads = [1, 0, 2, 1], output_padding = [1, 2]", {1, 3, 4, 5}, {3, 2, 4, 3}, conv},
      {"strides = [2, 1], dilations = [2, 3], pads = [0, 2, 1, 0]", {1, 2, 5, 4}, {2, 4, 2, 3}, conv},
      {"strides = [2, 2], pads = [3, 3, 3, 3]", {1, 2, 6, 6}, {2, 2, 3, 3}, conv},
      {"strides = [3, 2], auto_pad = \"SAME_UPPER\"", {1, 2, 3, 4}, {2, 3, 4, 5}, conv},
      {"strides = [2, 2], output_shape = [9, 10]", {1, 2, 4, 5}, {2, 3, 3, 3}, conv},
      {"strides = [2, 2]", {1, 4, 3, 4}, {4, 3, 2, 3}, conv, 2},
      {"strides = [2, 2], pads = [1, 1, 1, 1]", {1, 3, 4, 4}, {3, 1, 4, 4}, depthwise, 3},
      {"strides = [2], pads = [1, 0]", {2, 3, 9}, {3, 4, 4}, line},
      {"strides = [1, 1]", {1, 2, 4, 4}, {2, 3, 1, 1}, {"conv2d"}}};
  for (const Transposed& t : cases)
    for (const bool per_channel : {false, true}) {
      std::vector<float> scales = {0.01F}, bias;
      for (std::int64_t o = 1; o < t.weights[1] && per_channel; ++o) scales.push_back(scales.back() + 0.004F);
      for (std::int64_t o = 0; o < t.weights[1] * t.groups; ++o)
        bias.push_back(1.5F - 0.75F * static_cast<float>(o));
      const std::string nodes = fmt::format(
          "wq = Constant <value = int8[{}] {{{}}}> () ws = Constant <value = float{} {{{}}}> () w = "
          "DequantizeLinear <axis = 1> (wq, ws) b = Constant <value = float[{}] {{{}}}> () r = "
          "ConvTranspose <group = {}, {}> (d, w, b)",
          fmt::join(t.weights, ","), fmt::join(steps(t.weights), ","),
          per_channel ? fmt::format("[{}]", scales.size()) : "", fmt::join(scales, ","), bias.size(),
          fmt::join(bias, ","), t.groups, t.attributes);
      expect_near({.nodes = nodes, .shape = t.shape, .scale = 0.4F}, t.ops);
    }
}

/// Networks that raise the resolution end so: the layer has the scale behind its moved pixels.
TEST(OnnxIntegers, PixelsOfALayersResultAreMovedAsIntegers) {
  const std::string k = "k = Constant <value = float[1,8,1,1] {1.3, -0.2, 2, 1, 0.5, -1, 0.7, 3}> () ";
  for (const std::string move :
       {"DepthToSpace <blocksize = 2>", "DepthToSpace <blocksize = 2, mode = \"CRD\">",
        "SpaceToDepth <blocksize = 2>"})
    expect_near({.nodes = k + "l = Mul (d, k) s = " + move + " (l) r = Relu (s)",
                 .shape = {2, 8, 4, 6},
                 .scale = 0.1F},
                {"depthwise_conv2d", "transpose", "reshape", "transpose", "reshape"});
}

TEST(OnnxIntegers, AMeanOfNeighboursIsOfIntegers) {
  for (const std::string coordinates :
       {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"})
    for (const std::string sizes : {"1,3,8,12", "1,3,7,9", "1,3,2,3", "1,3,4,11", "1,3,1,1"})
      for (const float scale : {kScale, 0.03F}) {
        const std::string nodes = fmt::format(
            "n = Constant <value = int64[4] {{{}}}> () r = Resize <mode = \"linear\", "
            "coordinate_transformation_mode = \"{}\"> (d, , , n)",
            sizes, coordinates);
        const std::vector<std::string> ops =
            expect_near({.nodes = nodes, .shape = {1, 3, 4, 6}, .scale = scale});
        EXPECT_THAT(ops, Each(AnyOf("transpose", "gather", "map", "bilinear", "requantize"))) << nodes;
        if (coordinates == "half_pixel" && sizes == "1,3,8,12" && scale == kScale)
          EXPECT_THAT(ops, ::testing::Contains("bilinear"));
      }
}

/// A uint8 tensor's place of the largest is that of int8.
TEST(OnnxIntegers, APlaceOfTheLargestIsFoundAmongIntegers) {
  const graph::Graph g = graph_in_set(
      18,
      "g (float[2,5] x) => (int64 y) <float s = {0.1}, uint8 z = {7}> { q = QuantizeLinear (x, s, z) d = "
      "DequantizeLinear (q, s, z) y = ArgMax <axis = 1, keepdims = 0> (d) }");
  for (const graph::Tensor& t : g.tensors) EXPECT_NE(t.type, graph::DataType::Float32) << t.name;
}

}  // namespace
}  // namespace vdla::import
