// SPDX-License-Identifier: Apache-2.0
// Reports of quantised networks against their float ones, and networks with some layers in float.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "compiler/import/import.h"
#include "compiler/quantize/quantize.h"
#include "kit/module.h"
#include "runtime/session/session.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::quantize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using vdla::testing::OnnxModel;
constexpr int kFloat = onnx::TensorProto::FLOAT;

std::vector<double> normal_values(std::size_t n, unsigned seed, double spread = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, spread);
  std::vector<double> result(n);
  for (double& v : result) v = normal(random);
  return result;
}

/// The CPU runs float and quantised networks.
Run on_cpu(const graph::Bytes& model) {
  runtime::Module module = kit::compile_for_cpu(import::import_onnx(model, "net.onnx"));
  std::vector<std::string> names;
  for (const runtime::Port& port : module.inputs) names.push_back(port.name);
  auto session = std::make_shared<runtime::Session>(std::move(module), nullptr, runtime::SessionOptions{});
  return [session, names](const Sample& sample) {
    std::vector<graph::Bytes> inputs;
    for (const std::string& name : names) inputs.push_back(sample.at(name));
    std::vector<std::vector<float>> result;
    for (const graph::Bytes& bytes : session->run_model(inputs).outputs) {
      result.emplace_back(bytes.size() / sizeof(float));
      std::memcpy(result.back().data(), bytes.data(), bytes.size());
    }
    return result;
  };
}

std::vector<Sample> samples(std::size_t elements) {
  std::vector<Sample> result;
  for (unsigned i = 0; i < 4; ++i) {
    std::vector<float> values;
    for (const double v : normal_values(elements, 50 + i)) values.push_back(static_cast<float>(v));
    result.push_back({{"x", *graph::to_bytes(values)}});
  }
  return result;
}

/// x[1,8] -> three dense layers with Relu behind the first two. What the second gives has one feature of
/// `outlier` times the size of the others, which the third takes back.
graph::Bytes three_layers(double outlier) {
  OnnxModel m;
  m.input("x", {1, 8});
  m.constant("w1", kFloat, {8, 8}, normal_values(64, 1, 0.4));
  m.constant("b1", kFloat, {8}, normal_values(8, 4, 0.1));
  auto w2 = normal_values(64, 2, 0.4), w3 = normal_values(64, 3, 0.4);
  for (std::size_t i = 0; i < 8; ++i) {
    w2[i * 8] *= outlier;
    w3[i] /= outlier;
  }
  m.constant("w2", kFloat, {8, 8}, w2);
  m.constant("b2", kFloat, {8}, {outlier, 1, 1, 1, 1, 1, 1, 1});
  m.constant("w3", kFloat, {8, 8}, w3);
  m.node("Gemm", {"x", "w1", "b1"}, "one");
  m.node("Relu", {"one"}, "r1");
  m.node("Gemm", {"r1", "w2", "b2"}, "two");
  m.node("Relu", {"two"}, "r2");
  m.node("Gemm", {"r2", "w3"}, "y");
  m.output("y");
  return m.bytes();
}

double snr_db(const graph::Bytes& model, const graph::Bytes& quantised) {
  const Run want = on_cpu(model), have = on_cpu(quantised);
  double signal = 0, noise = 0;
  for (const Sample& sample : samples(8)) {
    const auto a = want(sample).at(0), b = have(sample).at(0);
    for (std::size_t i = 0; i < a.size(); ++i) {
      signal += std::pow(a[i], 2);
      noise += std::pow(double{a[i]} - b[i], 2);
    }
  }
  return 10 * std::log10(signal / noise);
}

std::vector<std::string> in_float(const Result& result) {
  std::vector<std::string> names;
  for (const LayerReport& layer : result.network.value().layers)
    if (layer.in_float) names.push_back(layer.node);
  return names;
}

TEST(Mixed, TheReportIsOfTheNetworkThatIsWritten) {
  const graph::Bytes model = three_layers(1);
  const Result result = quantize(model, "net.onnx", samples(8), on_cpu, {.measure = true});
  const NetworkReport& report = result.network.value();
  EXPECT_NEAR(report.snr_db, snr_db(model, result.model), 0.1);
  EXPECT_GT(report.snr_db, 25);
  EXPECT_EQ(report.int8_db, report.snr_db);
  EXPECT_EQ(report.agreeing, 4u);
  ASSERT_EQ(report.layers.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(report.layers, {}, &LayerReport::alone_db));
  for (const LayerReport& layer : report.layers) {
    EXPECT_GT(layer.alone_db, 25) << layer.node;
    EXPECT_LT(layer.alone_db, 70) << layer.node;
  }
}

TEST(Mixed, WithoutAnOptionThatAsksNothingIsMeasured) {
  int runs = 0;
  const Prepare counted = [&](const graph::Bytes& bytes) {
    ++runs;
    return on_cpu(bytes);
  };
  EXPECT_FALSE(quantize(three_layers(1), "net.onnx", samples(8), counted, {}).network.has_value());
  EXPECT_EQ(runs, 1);
}

TEST(Mixed, ATensorWithAnOutlierCostsTheLayerThatMakesItAndTheLayerThatReadsIt) {
  const Result result = quantize(three_layers(200), "net.onnx", samples(8), on_cpu, {.measure = true});
  const auto& layers = result.network.value().layers;
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[2].node, "one_node");
  EXPECT_NE(layers[0].node, layers[1].node);
  EXPECT_GT(layers[2].alone_db, layers[0].alone_db + 10);
}

TEST(Mixed, LayersThatStayInFloatAreTheCostliest) {
  const graph::Bytes model = three_layers(200);
  const Result result = quantize(model, "net.onnx", samples(8), on_cpu, {.keep_float = 2});
  EXPECT_THAT(in_float(result), ::testing::UnorderedElementsAre("two_node", "y_node"));
  const NetworkReport& report = result.network.value();
  EXPECT_GT(report.snr_db, report.int8_db + 10);
  EXPECT_NEAR(report.snr_db, snr_db(model, result.model), 0.1);
  // The clamp of a layer is in float with it: nothing is rounded between both.
  EXPECT_THAT(result.left_in_float,
              ElementsAre("Gemm at node 'two_node'", "Relu at node 'r2_node'", "Gemm at node 'y_node'"));
  ASSERT_EQ(result.weights.size(), 1u);
  EXPECT_EQ(result.weights[0].node, "one_node");
}

TEST(Mixed, ABudgetLeavesNoLayerInFloatThatItDoesNotNeed) {
  const graph::Bytes model = three_layers(200);
  const Result all = quantize(model, "net.onnx", samples(8), on_cpu, {.measure = true});
  const double budget = all.network.value().int8_db + 10;
  std::vector<std::string> told;
  const Result result =
      quantize(model, "net.onnx", samples(8), on_cpu,
               {.budget_db = budget, .progress = [&](const std::string& text) { told.push_back(text); }});
  EXPECT_GE(result.network.value().snr_db, budget);
  EXPECT_THAT(in_float(result), ::testing::UnorderedElementsAre("two_node", "y_node"));
  EXPECT_THAT(told, ::testing::Contains(HasSubstr("2 of 3 layers in float")));
  const Result loose = quantize(model, "net.onnx", samples(8), on_cpu, {.budget_db = 1});
  EXPECT_TRUE(in_float(loose).empty());
}

TEST(Mixed, ABudgetOrANumberThatLeavesNothingToQuantiseIsRefused) {
  const auto refusal = [](const Options& options) {
    try {
      (void)quantize(three_layers(1), "net.onnx", samples(8), on_cpu, options);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal({.budget_db = 150}),
              ::testing::AllOf(HasSubstr("with 2 of its 3 layers in float"), HasSubstr("150.0 dB")));
  EXPECT_THAT(refusal({.keep_float = 3}),
              ::testing::AllOf(HasSubstr("has 3 layers"), HasSubstr("3 are to stay in float")));
}

TEST(Mixed, ALayerBehindOneThatMovesElementsReadsWhatWasThereBeforeRounding) {
  OnnxModel m;
  m.input("x", {1, 8});
  m.constant("w1", kFloat, {8, 8}, normal_values(64, 1, 0.4));
  m.constant("shape", onnx::TensorProto::INT64, {2}, {2, 4});
  m.constant("w2", kFloat, {4, 4}, normal_values(16, 2, 0.4));
  m.node("Gemm", {"x", "w1"}, "one");
  m.node("Reshape", {"one", "shape"}, "moved");
  m.node("Gemm", {"moved", "w2"}, "y");
  m.output("y");
  const Result result = quantize(m.bytes(), "net.onnx", samples(8), on_cpu, {.keep_float = 1});
  const NetworkReport& report = result.network.value();
  ASSERT_EQ(report.layers.size(), 2u);
  for (const LayerReport& layer : report.layers) EXPECT_LT(layer.alone_db, 60) << layer.node;
  EXPECT_EQ(in_float(result).size(), 1u);
}

TEST(Mixed, EachOutputOfAnOperatorGetsAScaleWhereALayerReadsIt) {
  OnnxModel m;
  m.input("x", {1, 8});
  m.constant("w1", kFloat, {4, 4}, normal_values(16, 1, 0.4));
  m.constant("w2", kFloat, {4, 4}, normal_values(16, 2, 0.4));
  OnnxModel::integer(m.node("Split", {"x"}, "first"), "axis", 1);
  m.proto().mutable_graph()->mutable_node(0)->add_output("second");
  m.node("Gemm", {"first", "w1"}, "a");
  m.node("Gemm", {"second", "w2"}, "b");
  m.node("Add", {"a", "b"}, "y");
  m.output("y");
  const Result result = quantize(m.bytes(), "net.onnx", samples(8), on_cpu, {.measure = true});
  EXPECT_THAT(result.left_in_float, ::testing::IsEmpty());
  std::vector<std::string> scaled;
  for (const ActivationReport& a : result.activations) scaled.push_back(a.tensor);
  EXPECT_THAT(scaled, ElementsAre("x", "first", "second", "a", "b", "y"));
  EXPECT_NEAR(result.network.value().snr_db, snr_db(m.bytes(), result.model), 0.1);
  EXPECT_GT(result.network.value().snr_db, 25);
  onnx::ModelProto written;
  ASSERT_TRUE(written.ParseFromArray(result.model.data(), static_cast<int>(result.model.size())));
  for (const auto& node : written.graph().node())
    if (node.op_type() == "QuantizeLinear")
      scaled.erase(std::ranges::find(scaled, node.output(0).substr(0, node.output(0).find('/'))));
  EXPECT_TRUE(scaled.empty()) << "no QuantizeLinear for " << scaled.front();
}

/// x[1,8] -> Gemm -> If, whose body adds a constant that nothing else reads -> Gemm -> y.
OnnxModel with_branches() {
  OnnxModel m;
  m.input("x", {1, 8});
  m.constant("w1", kFloat, {8, 8}, normal_values(64, 1, 0.4));
  m.constant("w2", kFloat, {8, 8}, normal_values(64, 2, 0.4));
  m.constant("k", kFloat, {8}, normal_values(8, 3));
  m.constant("yes", onnx::TensorProto::BOOL, {}, {1});
  m.node("Gemm", {"x", "w1"}, "one");
  m.node("Identity", {"one"}, "same");
  auto& branches = m.node("If", {"yes"}, "chosen");
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::AttributeProto& a = *branches.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::GRAPH);
    a.mutable_g()->set_name(name);
    onnx::NodeProto& add = *a.mutable_g()->add_node();
    add.set_op_type("Add");
    add.add_input("same");
    add.add_input("k");
    add.add_output(std::string(name) + "/sum");
    a.mutable_g()->add_output()->set_name(std::string(name) + "/sum");
  }
  m.node("Gemm", {"chosen", "w2"}, "y");
  m.output("y");
  return m;
}

TEST(Mixed, OperatorsWithBodiesStayInFloatAndKeepWhatTheirBodiesRead) {
  const graph::Bytes model = with_branches().bytes();
  const Result result = quantize(model, "net.onnx", samples(8), on_cpu, {.measure = true});
  EXPECT_THAT(result.left_in_float, ElementsAre("Identity at node 'same_node'", "If at node 'chosen_node'"));
  EXPECT_NEAR(result.network.value().snr_db, snr_db(model, result.model), 0.1);
  EXPECT_GT(result.network.value().snr_db, 25);
}

TEST(Mixed, ABodyOfAnOlderOperatorSetIsRefused) {
  OnnxModel m = with_branches();
  m.opset(11);
  try {
    (void)quantize(m.bytes(), "net.onnx", samples(8), on_cpu, {});
    ADD_FAILURE() << "lifted";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("If at node 'chosen_node' has a body of operator set 11"));
  }
}

}  // namespace
}  // namespace vdla::quantize
