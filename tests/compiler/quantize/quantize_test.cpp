// SPDX-License-Identifier: Apache-2.0
// The quantiser on networks of a few nodes: ranges, rewrites that change nothing, the QDQ file and its
// refusals. The interpreter runs the float network.
#include "compiler/quantize/quantize.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "compiler/import/import.h"
#include "compiler/pipeline/reference.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "compiler/quantize/rewrite.h"
#include "compiler/quantize/statistics.h"
#include "support/float16.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::quantize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using vdla::testing::OnnxModel;
constexpr int kFloat = onnx::TensorProto::FLOAT;

std::vector<double> random_values(std::size_t n, unsigned seed, double spread = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, spread);
  std::vector<double> result(n);
  for (double& v : result) v = normal(random);
  return result;
}

graph::Bytes random_floats(std::size_t n, unsigned seed) {
  graph::Bytes bytes;
  for (const double v : random_values(n, seed)) {
    const float f = static_cast<float>(v);
    const auto* at = reinterpret_cast<const std::byte*>(&f);
    bytes.insert(bytes.end(), at, at + sizeof f);
  }
  return bytes;
}

/// Values of input x.
Sample sample(std::size_t n, unsigned seed) { return {{"x", random_floats(n, seed)}}; }

/// Outputs are float32.
Run interpret(const graph::Bytes& model) {
  const graph::Graph g = pipeline::run_passes(import::import_onnx(model, "small.onnx"));
  std::vector<std::string> names;
  for (const graph::Port& port : g.inputs) names.push_back(g.tensor(port.tensor).name);
  auto reference = std::make_shared<pipeline::Reference>(g);
  return [reference, names](const Sample& sample) {
    std::vector<graph::Bytes> inputs;
    for (const std::string& name : names) inputs.push_back(sample.at(name));
    std::vector<std::vector<float>> result;
    for (const graph::Bytes& bytes : reference->run(inputs)) {
      result.emplace_back(bytes.size() / sizeof(float));
      std::memcpy(result.back().data(), bytes.data(), bytes.size());
    }
    return result;
  };
}

/// x[1,3,8,8] -> Conv -> BatchNormalization -> Relu -> depthwise Conv -> Conv -> y[1,2,8,8]; channels of the
/// first convolution differ by factors of up to 64.
OnnxModel uneven(const std::string& beta = "beta") {
  OnnxModel m;
  m.opset(13);
  m.input("x", {1, 3, 8, 8});
  auto w1 = random_values(4 * 3 * 9, 1, 0.3);
  for (std::size_t i = 0; i < w1.size(); ++i) w1[i] *= std::pow(4, static_cast<double>(i / 27));
  m.constant("w1", kFloat, {4, 3, 3, 3}, w1);
  m.constant("gamma", kFloat, {4}, {1, 0.5, 2, 1});
  m.constant(beta, kFloat, {4}, {0.1, -0.2, 0.3, 0});
  m.constant("mean", kFloat, {4}, {0.2, 0.1, -0.3, 0.5});
  m.constant("variance", kFloat, {4}, {1, 2, 0.5, 1});
  m.constant("w2", kFloat, {4, 1, 3, 3}, random_values(36, 2, 0.2));
  m.constant("w3", kFloat, {2, 4, 1, 1}, random_values(8, 3, 0.2));
  m.constant("b3", kFloat, {2}, {0.5, -0.5});
  OnnxModel::ints(m.node("Conv", {"x", "w1"}, "c1"), "pads", {1, 1, 1, 1});
  m.node("BatchNormalization", {"c1", "gamma", beta, "mean", "variance"}, "n1");
  m.node("Relu", {"n1"}, "r1");
  auto& depthwise = m.node("Conv", {"r1", "w2"}, "c2");
  OnnxModel::ints(depthwise, "pads", {1, 1, 1, 1});
  OnnxModel::integer(depthwise, "group", 4);
  m.node("Conv", {"c2", "w3", "b3"}, "y");
  m.output("y");
  return m;
}

std::vector<Sample> samples() {
  std::vector<Sample> result;
  for (unsigned i = 0; i < 4; ++i) result.push_back(sample(192, 100 + i));
  return result;
}

void expect_same_function(const graph::Bytes& a, const graph::Bytes& b) {
  const Run run_a = interpret(a), run_b = interpret(b);
  for (const Sample& s : samples()) {
    const auto have = run_b(s)[0], want = run_a(s)[0];
    ASSERT_EQ(have.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(have[i], want[i], 1e-4 * (1 + std::abs(want[i])));
  }
}

/// Root mean square of the differences between the outputs of two models, and their mean by channel of two.
struct Difference {
  double rms = 0, mean[2] = {0, 0};
};
Difference difference(const graph::Bytes& a, const graph::Bytes& b) {
  const Run run_a = interpret(a);
  auto reference = pipeline::Reference(pipeline::run_passes(import::import_onnx(b, "b.onnx")));
  const graph::Graph g = import::import_onnx(b, "b.onnx");
  const auto& in = g.tensor(g.inputs[0].tensor).quantization;
  const auto& out = g.tensor(g.outputs[0].tensor).quantization;
  Difference d;
  std::size_t count = 0;
  for (const Sample& s : samples()) {
    // NCHW floats to the stored NHWC int8.
    graph::Bytes stored(192);
    for (std::size_t i = 0; i < 192; ++i) {
      float v;
      std::memcpy(&v, s.at("x").data() + 4 * i, 4);
      const double q = std::clamp(std::nearbyint(v / in.scale[0]) + in.zero_point[0], -128.0, 127.0);
      stored[i % 64 * 3 + i / 64] = static_cast<std::byte>(static_cast<std::int8_t>(q));
    }
    const auto want = run_a(s)[0];
    const auto have = reference.run({stored})[0];
    for (std::size_t i = 0; i < want.size(); ++i) {
      const auto q = static_cast<std::int8_t>(have[i % 64 * 2 + i / 64]);
      const double e = out.scale[0] * (q - out.zero_point[0]) - want[i];
      d.rms += e * e;
      d.mean[i / 64] += e;
      ++count;
    }
  }
  d.rms = std::sqrt(d.rms / static_cast<double>(count));
  for (double& m : d.mean) m /= static_cast<double>(count) / 2;
  return d;
}

Statistics statistics_of(const std::vector<float>& values) {
  Statistics s;
  s.add_range(values, 1, values.size());
  s.add_histogram(values);
  return s;
}

TEST(Statistics, TheRangeHoldsEverythingAndZeroExactly) {
  const Scale s = statistics_of({1.0f, 2.0f, 5.1f}).scale({});
  EXPECT_EQ(s.zero_point, -128);
  EXPECT_NEAR(s.high(), 5.1, 1e-6);
  const Scale both = statistics_of({-1.0f, 3.0f}).scale({});
  EXPECT_LE(both.low(), -1 + both.scale / 2);
  EXPECT_GE(both.high(), 3 - both.scale / 2);
  EXPECT_NEAR(both.scale, 4.0 / 255, 1e-6);
}

TEST(Statistics, PercentileAndDivergenceCutAFarOutlierAndMinMaxDoesNot) {
  std::vector<float> values;
  for (const double v : random_values(20000, 5)) values.push_back(static_cast<float>(v));
  values.push_back(40);
  const Statistics s = statistics_of(values);
  EXPECT_NEAR(s.scale({}).high(), 40, 0.2);
  const Scale percentile = s.scale({.method = RangeMethod::Percentile, .percentile = 99.9});
  EXPECT_LT(percentile.high(), 5);
  EXPECT_GT(percentile.high(), 2.5);
  const Scale kl = s.scale({.method = RangeMethod::Kl});
  EXPECT_LT(kl.high(), 10);
  EXPECT_GT(kl.high(), 2);
  EXPECT_GT(s.cut_off(percentile), 0.0001);
  EXPECT_EQ(s.cut_off(s.scale({})), 0);
}

TEST(Statistics, SignalToNoiseOfAUniformTensorIsThatOfItsBits) {
  std::vector<float> values;
  for (int i = 0; i < 100000; ++i) values.push_back(static_cast<float>(i) / 100000 - 0.5f);
  const Statistics s = statistics_of(values);
  EXPECT_NEAR(s.snr_db(s.scale({})), 20 * std::log10(255.0), 0.1);
}

TEST(Rewrite, BatchNormsBehindConvolutionsVanishAndTheFunctionStays) {
  const graph::Bytes before = uneven().bytes();
  Network network(before, "small.onnx");
  EXPECT_EQ(fold_batch_norms(network), 1);
  for (const auto& node : network.graph().node()) EXPECT_NE(node.op_type(), "BatchNormalization");
  expect_same_function(before, network.bytes());
}

/// The bias that a convolution got stood beside a constant of the same name.
TEST(Rewrite, ANameThatTheModelHasIsNotGivenAgain) {
  const graph::Bytes before = uneven("c1/bias").bytes();
  Network network(before, "small.onnx");
  EXPECT_EQ(fold_batch_norms(network), 1);
  expect_same_function(before, network.bytes());
  const Result r = quantize(before, "small.onnx", samples(), interpret, {});
  EXPECT_LT(difference(before, r.model).rms, 4 * r.activations.back().scale);
}

TEST(Rewrite, EqualisedWeightsHaveEqualRangesAndTheFunctionStays) {
  const graph::Bytes before = uneven().bytes();
  Network network(before, "small.onnx");
  fold_batch_norms(network);
  EXPECT_EQ(equalise(network), 2);
  const Weights w1 = network.weights("w1"), w2 = network.weights("w2"), w3 = network.weights("w3");
  const auto largest = [](const Weights& w, std::size_t channel, std::size_t stride, std::size_t run) {
    float result = 0;
    for (std::size_t i = 0; i < w.values.size(); ++i)
      if (i / run % stride == channel) result = std::max(result, std::abs(w.values[i]));
    return result;
  };
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(largest(w1, c, 4, 27), largest(w2, c, 4, 9), 0.02 * largest(w2, c, 4, 9)) << c;
    EXPECT_NEAR(largest(w2, c, 4, 9), largest(w3, c, 4, 1), 0.02 * largest(w3, c, 4, 1)) << c;
  }
  expect_same_function(before, network.bytes());
}

TEST(Quantize, TheFileIsANetworkOfIntegersNearTheFloatOne) {
  const graph::Bytes model = uneven().bytes();
  const auto inputs = samples();
  const Result r = quantize(model, "small.onnx", inputs, interpret, {});
  EXPECT_EQ(r.folded_batch_norms, 1);
  EXPECT_THAT(r.left_in_float, ::testing::IsEmpty());
  const graph::Graph g = import::import_onnx(r.model, "quantised.onnx");
  EXPECT_THAT(vdla::testing::ops(g), ElementsAre("conv2d", "depthwise_conv2d", "conv2d"));
  EXPECT_EQ(g.nodes[0].inputs.size(), 3u);  // the folded bias
  ASSERT_EQ(r.weights.size(), 3u);
  for (const WeightReport& w : r.weights) {
    EXPECT_GT(w.snr_db, 30) << w.node;
    EXPECT_LE(w.worst.front().second, w.worst.back().second);
  }
  ASSERT_EQ(r.activations.size(), 4u);
  const double step = r.activations.back().scale;
  EXPECT_LT(difference(model, r.model).rms, 4 * step);
}

TEST(Quantize, BiasCorrectionTakesTheMeanErrorAway) {
  // Weights half a step off everywhere, on inputs with a mean: without correction the output shifts.
  OnnxModel m;
  m.opset(13);
  m.input("x", {1, 3, 8, 8});
  m.constant("b0", kFloat, {3}, {3, 3, 3});
  std::vector<double> unit(9);
  for (std::size_t i = 0; i < 3; ++i) unit[4 * i] = 1;
  m.constant("w0", kFloat, {3, 3, 1, 1}, unit);
  std::vector<double> w(2 * 27, 0.4 / 127);
  w[0] = w[27] = 1;
  m.constant("w", kFloat, {2, 3, 3, 3}, w);
  m.node("Conv", {"x", "w0", "b0"}, "lifted");
  OnnxModel::ints(m.node("Conv", {"lifted", "w"}, "y"), "pads", {1, 1, 1, 1});
  m.output("y");
  const graph::Bytes model = m.bytes();
  const auto inputs = samples();
  const Result with = quantize(model, "m.onnx", inputs, interpret, {});
  const Result without = quantize(model, "m.onnx", inputs, interpret, {.correct_bias = false});
  const Difference a = difference(model, with.model), b = difference(model, without.model);
  for (int c = 0; c < 2; ++c) {
    EXPECT_GT(std::abs(b.mean[c]), 0.1);
    EXPECT_LT(std::abs(a.mean[c]), std::abs(b.mean[c]) / 3);
  }
  EXPECT_GT(with.weights.back().largest_correction, 0.1);
  EXPECT_EQ(without.weights.back().largest_correction, 0);
}

/// x [4,4] -> MatMul -> Add of a constant of that shape -> y.
OnnxModel product_plus(const std::vector<std::int64_t>& shape, const std::vector<double>& constant) {
  OnnxModel m;
  m.input("x", {4, 4});
  m.constant("w", kFloat, {4, 4}, random_values(16, 11));
  m.constant("c", kFloat, shape, constant);
  m.node("MatMul", {"x", "w"}, "p");
  m.node("Add", {"p", "c"}, "y");
  m.output("y");
  return m;
}

Result quantised(const OnnxModel& m, std::size_t elements) {
  const std::vector<Sample> some = {sample(elements, 1), sample(elements, 2)};
  return quantize(m.bytes(), "small.onnx", some, interpret, {});
}

std::vector<std::string> ops_of(const Result& r) {
  return vdla::testing::ops(import::import_onnx(r.model, "quantised.onnx"));
}

// The constant was taken for the bias of the columns, and no message said so.
TEST(Quantize, AConstantOfOneNumberForEachRowIsNoBias) {
  EXPECT_THAT(ops_of(quantised(product_plus({4}, {1, 2, 3, 4}), 16)), ElementsAre("fully_connected"));
  EXPECT_THAT(ops_of(quantised(product_plus({4, 1}, {1, 2, 3, 4}), 16)),
              ElementsAre("fully_connected", "add"));
}

// The extents of a shape were calibrated as values.
TEST(Quantize, WhatIsComputedFromShapesHasNoScale) {
  OnnxModel m = product_plus({4}, {1, 2, 3, 4});
  m.node("Shape", {"y"}, "extents");
  m.constant("first", onnx::TensorProto::INT64, {1}, {0});
  m.constant("rest", onnx::TensorProto::INT64, {1}, {-1});
  m.node("Gather", {"extents", "first"}, "batch");
  OnnxModel::integer(m.node("Concat", {"batch", "rest"}, "wanted"), "axis", 0);
  m.node("Reshape", {"y", "wanted"}, "z");
  m.output("z");
  const Result r = quantised(m, 16);
  ASSERT_FALSE(r.activations.empty());
  for (const auto& a : r.activations) EXPECT_THAT(a.tensor, ::testing::AnyOf("x", "y", "z"));
}

/// Quantises a layer whose second channel has weights of this magnitude and this bias; expects its float
/// results.
void expect_near_floats(double magnitude, double bias) {
  OnnxModel m;
  m.input("x", {1, 3, 8, 8});
  std::vector<double> w = random_values(2 * 3, 13);
  for (std::size_t i = 3; i < 6; ++i) w[i] = magnitude;
  m.constant("w", kFloat, {2, 3, 1, 1}, w);
  m.constant("b", kFloat, {2}, {0.5, bias});
  m.node("Conv", {"x", "w", "b"}, "y");
  m.output("y");
  const Result r = quantize(m.bytes(), "small.onnx", samples(), interpret, {});
  EXPECT_THAT(ops_of(r), ElementsAre("conv2d"));
  EXPECT_LT(difference(m.bytes(), r.model).rms, 2 * r.activations.back().scale);
}

// A channel of zeros had a scale of one, or of its rounding noise, in whose steps the bias passed int32.
TEST(Quantize, ADeadChannelKeepsItsBias) { expect_near_floats(1e-30, 2); }

// The step of a product was no float any more, which no reader of the file takes.
TEST(Quantize, AChannelOfTheLeastNumbersIsZero) { expect_near_floats(1e-43, 0); }

TEST(Quantize, EachInputHasItsOwnScale) {
  OnnxModel m;
  m.input("a", {1, 4});
  m.input("b", {4, 4});
  m.node("MatMul", {"a", "b"}, "y");
  m.output("y");
  graph::Bytes larger = random_floats(16, 3);
  for (std::size_t i = 0; i < 16; ++i) {
    float v;
    std::memcpy(&v, larger.data() + 4 * i, 4);
    v *= 10;
    std::memcpy(larger.data() + 4 * i, &v, 4);
  }
  const std::vector<Sample> some = {{{"a", random_floats(4, 1)}, {"b", larger}}};
  const Result r = quantize(m.bytes(), "small.onnx", some, interpret, {});
  ASSERT_EQ(r.activations.size(), 3u);
  EXPECT_GT(r.activations[1].scale, 4 * r.activations[0].scale);
  EXPECT_THAT(ops_of(r), ElementsAre("batch_matmul"));
}

TEST(Quantize, AnInputOfIntegersKeepsItsType) {
  OnnxModel m;
  m.input("x", {4, 4});
  m.input("places", {2}, onnx::TensorProto::INT64);
  m.constant("w", kFloat, {4, 4}, random_values(16, 11));
  m.node("Gather", {"x", "places"}, "g");
  m.node("MatMul", {"g", "w"}, "y");
  m.output("y");
  graph::Bytes places(16);
  places[0] = std::byte{3};
  const std::vector<Sample> some = {{{"x", random_floats(16, 1)}, {"places", places}}};
  const Result r = quantize(m.bytes(), "small.onnx", some, interpret, {});
  const graph::Graph g = import::import_onnx(r.model, "quantised.onnx");
  ASSERT_EQ(g.inputs.size(), 2u);
  EXPECT_EQ(g.inputs[1].model_type, graph::DataType::Int64);
  for (const auto& a : r.activations) EXPECT_THAT(a.tensor, ::testing::AnyOf("x", "g", "y"));
}

/// Whether one of the tensors with a scale has that name.
bool has_scale(const Result& r, const std::string& tensor) {
  return std::ranges::any_of(r.activations, [&](const auto& a) { return a.tensor == tensor; });
}

// The second outputs were calibrated as values.
TEST(Quantize, PlacesAndMasksAreNoActivations) {
  for (const char* op : {"MaxPool", "TopK", "Dropout"}) {
    OnnxModel m;
    m.input("x", {1, 1, 4, 4});
    m.constant("k", onnx::TensorProto::INT64, {1}, {2});
    auto& n = m.node(
        op, std::string(op) == "TopK" ? std::vector<std::string>{"x", "k"} : std::vector<std::string>{"x"},
        "v");
    n.add_output("second");
    if (std::string(op) == "MaxPool") OnnxModel::ints(n, "kernel_shape", {2, 2});
    OnnxModel::integer(m.node("Cast", {"second"}, "numbers"), "to", kFloat);
    OnnxModel::ints(m.node("Transpose", {"second"}, "turned"), "perm", {0, 1, 3, 2});
    m.node("Relu", {"v"}, "y");
    m.output("y");
    m.output("numbers");
    m.output("turned", std::string(op) == "Dropout" ? onnx::TensorProto::BOOL : onnx::TensorProto::INT64);
    const Result r = quantised(m, 16);
    SCOPED_TRACE(op);
    EXPECT_TRUE(has_scale(r, "y"));
    for (const char* other : {"second", "turned"}) EXPECT_FALSE(has_scale(r, other)) << other;
  }
}

TEST(Quantize, WhatDynamicQuantizeLinearMakesIsNoActivation) {
  OnnxModel m;
  m.input("x", {4, 4});
  auto& n = m.node("DynamicQuantizeLinear", {"x"}, "q");
  n.add_output("scale");
  n.add_output("zero");
  OnnxModel::integer(m.node("Cast", {"q"}, "c"), "to", kFloat);
  m.node("Mul", {"c", "scale"}, "p");
  m.node("Relu", {"x"}, "y");
  m.output("p");
  m.output("y");
  const Result r = quantised(m, 16);
  EXPECT_TRUE(has_scale(r, "y"));
  for (const char* other : {"q", "scale", "zero", "p"}) EXPECT_FALSE(has_scale(r, other)) << other;
}

// A bias that is no constant was read as one.
TEST(Quantize, AConvWithAComputedBiasStaysInFloat) {
  OnnxModel m;
  m.input("x", {1, 3, 8, 8});
  m.constant("w", kFloat, {3, 3, 1, 1}, random_values(9, 13));
  m.constant("axes", onnx::TensorProto::INT64, {3}, {0, 2, 3});
  auto& mean = m.node("ReduceMean", {"x"}, "mean");
  OnnxModel::ints(mean, "axes", {0, 2, 3});
  OnnxModel::integer(mean, "keepdims", 0);
  m.node("Conv", {"x", "w", "mean"}, "y");
  m.output("y");
  const Result r = quantize(m.bytes(), "small.onnx", samples(), interpret, {});
  EXPECT_THAT(r.left_in_float, ElementsAre("Conv at node 'y_node'"));
  EXPECT_TRUE(has_scale(r, "mean"));
}

// The constant was joined to the product, whose result has fewer dimensions than the sum.
TEST(Quantize, AConstantOfMoreDimensionsIsNoBias) {
  EXPECT_THAT(ops_of(quantised(product_plus({1, 1, 4}, {1, 2, 3, 4}), 16)), ::testing::Contains("add"));
}

TEST(Quantize, ConstantsThatNodesComputeAreConstants) {
  OnnxModel m;
  m.input("x", {4, 4});
  auto& a = *m.node("Constant", {}, "three").add_attribute();
  a.set_name("value_float");
  a.set_type(onnx::AttributeProto::FLOAT);
  a.set_f(3);
  m.node("Mul", {"x", "three"}, "y");
  m.output("y");
  EXPECT_THAT(ops_of(quantised(m, 16)), ::testing::Contains("requantize"));
}

TEST(Quantize, AProductOfExtentsHasNoScale) {
  OnnxModel m = product_plus({4}, {1, 2, 3, 4});
  m.constant("one_row", onnx::TensorProto::INT64, {2}, {1, 2});
  m.constant("w2", kFloat, {2, 2}, {1, 2, 3, 4});
  m.constant("b2", kFloat, {2}, {1, 2});
  m.node("Shape", {"y"}, "extents");
  OnnxModel::integer(m.node("Cast", {"extents"}, "numbers"), "to", kFloat);
  m.node("Reshape", {"numbers", "one_row"}, "row");
  m.node("Gemm", {"row", "w2", "b2"}, "gemm");
  m.node("MatMul", {"row", "w2"}, "product");
  m.node("Add", {"product", "b2"}, "sum");
  for (const char* output : {"gemm", "sum"}) m.output(output);
  const Result r = quantised(m, 16);
  EXPECT_TRUE(has_scale(r, "y"));
  for (const char* other : {"row", "gemm", "product", "sum"}) EXPECT_FALSE(has_scale(r, other)) << other;
}

// A copy of the network was asked for an output without a name.
TEST(Quantize, AnOutputWithoutANameHasNoScale) {
  OnnxModel m;
  m.input("x", {4, 4});
  m.node("Softmax", {"x"}, "");
  m.node("Relu", {"x"}, "y");
  m.output("y");
  EXPECT_TRUE(has_scale(quantised(m, 16), "y"));
}

TEST(Quantize, ANetworkMayEndWithItsFirstOperator) {
  OnnxModel m;
  m.input("x", {4, 4});
  m.node("Softmax", {"x"}, "y");
  m.output("y");
  EXPECT_THAT(ops_of(quantised(m, 16)), ElementsAre("dequantize", "softmax_float"));
}

TEST(Quantize, OperatorsThatMoveElementsKeepTheScaleOfTheirInput) {
  OnnxModel m;
  m.opset(13);
  m.input("x", {1, 3, 8, 8});
  m.constant("w", kFloat, {4, 3, 1, 1}, random_values(12, 7));
  m.constant("starts", onnx::TensorProto::INT64, {2}, {0, 0});
  m.constant("ends", onnx::TensorProto::INT64, {2}, {8, 8});
  m.constant("axes", onnx::TensorProto::INT64, {2}, {2, 3});
  m.constant("steps", onnx::TensorProto::INT64, {2}, {2, 2});
  m.node("Conv", {"x", "w"}, "c");
  m.node("Slice", {"c", "starts", "ends", "axes", "steps"}, "s");
  m.node("Flatten", {"s"}, "f");
  m.constant("dense", kFloat, {64, 5}, random_values(320, 8));
  m.node("MatMul", {"f", "dense"}, "p");
  m.constant("shift", kFloat, {5}, random_values(5, 9));
  m.node("Add", {"p", "shift"}, "y");
  m.output("y");
  const auto inputs = samples();
  const Result r = quantize(m.bytes(), "m.onnx", inputs, interpret, {});
  ASSERT_EQ(r.activations.size(), 5u);  // x, c, s, f, y
  for (const std::size_t i : {2u, 3u}) EXPECT_EQ(r.activations[i].scale, r.activations[1].scale);
  const graph::Graph g = import::import_onnx(r.model, "q.onnx");
  EXPECT_EQ(g.tensor(g.outputs[0].tensor).shape, (graph::Shape{1, 5}));
}

TEST(Quantize, WhatCannotBeQuantisedIsRefused) {
  const auto inputs = samples();
  const auto error_of = [&](const graph::Bytes& model, std::span<const Sample> s, const Options& options) {
    try {
      quantize(model, "small.onnx", s, interpret, options);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const graph::Bytes good = uneven().bytes();
  EXPECT_THAT(error_of(good, {}, {}), HasSubstr("needs samples of its input, got none"));
  EXPECT_THAT(error_of(good, inputs, {.percentile = 30}),
              HasSubstr("a percentile of 30, needs one above 50"));
  const Result once = quantize(good, "small.onnx", inputs, interpret, {});
  EXPECT_THAT(error_of(once.model, inputs, {}), HasSubstr("the model is quantised already"));
  EXPECT_THAT(error_of(graph::Bytes(100), inputs, {}), HasSubstr("do not parse"));
  OnnxModel ceil;
  ceil.input("x", {1, 3, 8, 8});
  ceil.node("Ceil", {"x"}, "y");
  ceil.output("y");
  EXPECT_THAT(error_of(ceil.bytes(), inputs, {}),
              HasSubstr("has no operator with an integer form, only Ceil at node 'y_node'"));
  OnnxModel infinite;
  infinite.input("x", {1, 3, 8, 8});
  infinite.node("Conv", {"x", "w9"}, "z");
  infinite.constant("w9", kFloat, {2, 3, 1, 1}, {INFINITY, 1, 1, 1, 1, 1});
  infinite.output("z");
  EXPECT_THAT(
      error_of(infinite.bytes(), inputs, {}),
      HasSubstr("tensor 'z', which Conv at node 'z_node' makes, has values on the samples that are not"));
}

// A tensor of infinite values, as a mask or a pad before a maximum gives it, had the whole network refused.
TEST(Quantize, WhatMakesAndReadsInfiniteValuesStaysInFloat) {
  OnnxModel m = uneven();
  m.constant("pads", onnx::TensorProto::INT64, {8}, {0, 0, 1, 1, 0, 0, 1, 1});
  m.constant("lowest", kFloat, {}, {-INFINITY});
  m.constant("mask", kFloat, {1, 1, 5, 5}, [] {
    std::vector<double> mask(25);
    mask[3] = -INFINITY;
    return mask;
  }());
  m.constant("w4", kFloat, {2, 2, 1, 1}, random_values(4, 5));
  m.node("Pad", {"y", "pads", "lowest"}, "p");
  auto& pool = m.node("MaxPool", {"p"}, "q");
  OnnxModel::ints(pool, "kernel_shape", {2, 2});
  OnnxModel::ints(pool, "strides", {2, 2});
  m.node("Add", {"q", "mask"}, "a");
  m.node("Softmax", {"a"}, "s");
  m.node("Conv", {"s", "w4"}, "z");
  m.output("z");
  const Result r = quantize(m.bytes(), "small.onnx", samples(), interpret, {});
  EXPECT_THAT(r.left_in_float, ElementsAre("Pad at node 'p_node'", "MaxPool at node 'q_node'",
                                           "Add at node 'a_node'", "Softmax at node 's_node'"));
  EXPECT_EQ(std::ranges::count(ops_of(r), "conv2d"), 3);
}

/// Converts a network's constants.
void make_half(OnnxModel& m) {
  for (auto& t : *m.proto().mutable_graph()->mutable_initializer()) {
    onnx::TensorProto half;
    half.set_name(t.name());
    half.set_data_type(onnx::TensorProto::FLOAT16);
    *half.mutable_dims() = t.dims();
    for (const float v : t.float_data()) half.add_int32_data(half_bits(v));
    t = half;
  }
}

// A network of float16 was refused.
TEST(Quantize, ANetworkOfFloat16KeepsItsPortsAndComputesInInt8) {
  OnnxModel m;
  m.input("x", {1, 3, 8, 8}, onnx::TensorProto::FLOAT16);
  m.constant("w", kFloat, {4, 3, 1, 1}, random_values(12, 7));
  m.node("Conv", {"x", "w"}, "c");
  m.node("Relu", {"c"}, "y");
  m.output("y", onnx::TensorProto::FLOAT16);
  make_half(m);
  std::vector<Sample> some;
  for (const Sample& s : samples()) {
    graph::Bytes bytes;
    for (std::size_t i = 0; i < 192; ++i) {
      float v;
      std::memcpy(&v, s.at("x").data() + 4 * i, 4);
      const std::uint16_t half = half_bits(v);
      const auto* at = reinterpret_cast<const std::byte*>(&half);
      bytes.insert(bytes.end(), at, at + sizeof half);
    }
    some.push_back({{"x", bytes}});
  }
  const Result r = quantize(m.bytes(), "half.onnx", some, interpret, {});
  const graph::Graph g = import::import_onnx(r.model, "quantised.onnx");
  EXPECT_EQ(g.inputs[0].model_type, graph::DataType::Float16);
  EXPECT_EQ(g.outputs[0].model_type, graph::DataType::Float16);
  EXPECT_EQ(std::ranges::count(vdla::testing::ops(g), "conv2d"), 1);
  EXPECT_GT(r.weights.at(0).snr_db, 30);
}

// Products of two values, matrices as bias and factors had no integer form.
TEST(Quantize, AGemmWithoutAnIntegerFormIsSpread) {
  OnnxModel m;
  m.input("x", {4, 4});
  m.constant("w", kFloat, {4, 4}, random_values(16, 11));
  m.constant("c", kFloat, {4, 4}, random_values(16, 12));
  auto& first = m.node("Gemm", {"x", "w", "c"}, "g");
  OnnxModel::integer(first, "transA", 1);
  OnnxModel::integer(first, "transB", 1);
  for (const auto& [name, value] : {std::pair("alpha", 0.5f), std::pair("beta", 2.0f)}) {
    auto& a = *first.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::FLOAT);
    a.set_f(value);
  }
  OnnxModel::integer(m.node("Gemm", {"g", "x", "x"}, "y"), "transB", 1);
  m.output("y");
  const Result r = quantised(m, 16);
  EXPECT_THAT(r.left_in_float, ::testing::IsEmpty());
  const auto ops = ops_of(r);
  EXPECT_EQ(std::ranges::count(ops, "fully_connected"), 1);
  EXPECT_EQ(std::ranges::count(ops, "batch_matmul"), 1);
}

// A constant for each channel was a layer of its own, and rounded once more.
TEST(Quantize, AffineFunctionsOfChannelsJoinTheLayerBefore) {
  OnnxModel m;
  m.input("x", {1, 3, 8, 8});
  m.constant("w", kFloat, {4, 3, 1, 1}, random_values(12, 7));
  m.constant("factor", kFloat, {4, 1, 1}, {0.5, -2, 1, 4});
  m.constant("offset", kFloat, {1, 4, 1, 1}, {1, 2, -3, 4});
  m.constant("quarter", kFloat, {}, {4});
  m.node("Conv", {"x", "w"}, "c");
  m.node("Mul", {"c", "factor"}, "f");
  m.node("Sub", {"f", "offset"}, "s");
  m.node("Div", {"s", "quarter"}, "d");
  m.node("Relu", {"d"}, "y");
  m.output("y");
  const Result r = quantize(m.bytes(), "small.onnx", samples(), interpret, {});
  EXPECT_THAT(ops_of(r), ElementsAre("conv2d"));
  EXPECT_EQ(r.activations.size(), 2u);
}

}  // namespace
}  // namespace vdla::quantize
