// SPDX-License-Identifier: Apache-2.0
// Values between QuantizeLinear and DequantizeLinear keep the meaning that ONNX gives them. Each test is
// named for a network that was computed wrong, or refused, when such models had an importer of their own.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/import/import.h"
#include "compiler/pipeline/reference.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::import {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::import;
using testing::OnnxModel;
using ::testing::Pointwise;
using Reals = std::vector<double>;

/// Places of the model's elements, one for each element of a port's tensor.
std::vector<std::size_t> places(const graph::Port& port, const graph::Shape& stored) {
  std::vector<std::size_t> result;
  graph::Shape stride(port.model_shape.size(), 1);
  for (std::size_t d = stride.size(); d-- > 1;) stride[d - 1] = stride[d] * port.model_shape[d];
  for (std::int64_t i = 0; i < graph::element_count(stored); ++i) {
    std::int64_t rest = i, place = port.perm.empty() ? i : 0;
    for (std::size_t d = port.perm.size(); d-- > 0; rest /= stored[d])
      place += rest % stored[d] * stride[static_cast<std::size_t>(port.perm[d])];
    result.push_back(static_cast<std::size_t>(place));
  }
  return result;
}

graph::Bytes to_port(const graph::Graph& g, const graph::Port& port, const Reals& values) {
  const graph::Tensor& t = g.tensor(port.tensor);
  graph::Bytes bytes;
  for (const std::size_t place : places(port, t.shape)) {
    const double v = values.at(place);
    if (t.type == graph::DataType::Float32) {
      const auto f = static_cast<float>(v);
      const auto* raw = reinterpret_cast<const std::byte*>(&f);
      bytes.insert(bytes.end(), raw, raw + sizeof f);
      continue;
    }
    double q = port.model_type == graph::DataType::UInt8 ? v - 128 : v;
    if (port.model_type == graph::DataType::Float32)
      q = std::nearbyint(v / t.quantization.scale[0]) + t.quantization.zero_point[0];
    bytes.push_back(static_cast<std::byte>(static_cast<std::int8_t>(std::clamp(q, -128.0, 127.0))));
  }
  return bytes;
}

Reals from_port(const graph::Graph& g, const graph::Port& port, const graph::Bytes& bytes) {
  const graph::Tensor& t = g.tensor(port.tensor);
  const std::vector<std::size_t> to = places(port, t.shape);
  Reals result(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (t.type == graph::DataType::Float32) {
      float f = 0;
      std::memcpy(&f, bytes.data() + i * sizeof f, sizeof f);
      result[to[i]] = f;
      continue;
    }
    const double q = static_cast<std::int8_t>(bytes[i]);
    result[to[i]] = port.model_type == graph::DataType::Float32
                        ? t.quantization.scale[0] * (q - t.quantization.zero_point[0])
                        : q + (port.model_type == graph::DataType::UInt8 ? 128 : 0);
  }
  return result;
}

/// Outputs of a model in its own types for inputs in its own types.
std::vector<Reals> run(const OnnxModel& m, const std::vector<Reals>& inputs) {
  const graph::Graph g = import(m);
  EXPECT_EQ(g.inputs.size(), inputs.size());
  std::vector<graph::Bytes> in;
  for (std::size_t i = 0; i < inputs.size(); ++i) in.push_back(to_port(g, g.inputs.at(i), inputs[i]));
  const std::vector<graph::Bytes> out = pipeline::Reference(g).run(in);
  std::vector<Reals> result;
  for (std::size_t i = 0; i < out.size(); ++i) result.push_back(from_port(g, g.outputs.at(i), out[i]));
  return result;
}

/// Equal within one step of the output and rounding.
auto near(const Reals& want, double step) { return Pointwise(DoubleNear(1.001 * step), want); }

constexpr int kInt8 = onnx::TensorProto::INT8, kUInt8 = onnx::TensorProto::UINT8,
              kFloat = onnx::TensorProto::FLOAT, kInt32 = onnx::TensorProto::INT32,
              kInt64 = onnx::TensorProto::INT64;

/// x [2,2] times the unit matrix, unfinished: the caller adds what reads "product".
OnnxModel unit_product() {
  OnnxModel m;
  m.input("x", {2, 2});
  m.node("MatMul", {m.qdq("x", 0.1, 0), m.weights("w", {2, 2}, {10, 0, 0, 10}, {0.1})}, "product");
  return m;
}
const Reals kX = {1, 2, 3, 4};

TEST(OnnxBorders, AConstantOfOneNumberForEachRowIsNoBias) {
  OnnxModel m = unit_product();
  m.constant("c", kFloat, {2, 1}, {1, -2});
  m.node("Add", {"product", "c"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(run(m, {kX})[0], near({2, 3, 1, 2}, 0.1));
}

TEST(OnnxBorders, AConstantThatAddsDimensionsIsNoBias) {
  OnnxModel m = unit_product();
  m.constant("c", kFloat, {2, 1, 1}, {1, -2});
  m.node("Add", {"product", "c"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(run(m, {kX})[0], near({2, 3, 4, 5, -1, 0, 1, 2}, 0.1));
}

TEST(OnnxBorders, GemmAddsAColumnToEachColumn) {
  OnnxModel m;
  m.input("x", {2, 2});
  m.constant("c", kFloat, {2, 1}, {1, -2});
  m.node("Gemm", {m.qdq("x", 0.1, 0), m.weights("w", {2, 2}, {10, 0, 0, 10}, {0.1}), "c"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(run(m, {kX})[0], near({2, 3, 1, 2}, 0.1));
}

TEST(OnnxBorders, TheSecondReaderOfAProductHasNoBias) {
  OnnxModel m = unit_product();
  m.constant("c", kFloat, {2}, {1, -2});
  m.node("Add", {"product", "c"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  m.output(m.qdq("product", 0.1, 0));
  const auto outputs = run(m, {kX});
  EXPECT_THAT(outputs[0], near({2, 0, 4, 2}, 0.1));
  EXPECT_THAT(outputs[1], near(kX, 0.1));
}

TEST(OnnxBorders, SoftmaxBeforeVersion13CountsDimensionsFromAxis1AsOne) {
  OnnxModel m;
  m.opset(11);
  m.input("x", {1, 2, 2});
  m.node("Softmax", {m.qdq("x", 0.1, 0)}, "y");
  m.output(m.qdq("y", 1.0 / 256, -128));
  EXPECT_THAT(run(m, {{0, 0, 0, 0}})[0], near({0.25, 0.25, 0.25, 0.25}, 1.0 / 256));
}

TEST(OnnxBorders, AZeroPointThatIsNotThereIsZeroOfTheInputsType) {
  OnnxModel m;
  m.input("x", {2, 2});
  m.constant("s", kFloat, {}, {0.5});
  m.node("DequantizeLinear", {m.qdq("x", 0.5, 0).substr(0, 1) + "_q", "s"}, "d");
  m.node("Relu", {"d"}, "r");
  m.output(m.qdq("r", 0.5, 0));
  EXPECT_THAT(run(m, {kX})[0], near(kX, 0.5));
}

TEST(OnnxBorders, ConstantsOfTwoScalesAreJoinedAsReals) {
  OnnxModel m = unit_product();
  const auto part = [&](const std::string& name, double value, double scale) {
    m.constant(name, kInt32, {1}, {value});
    m.constant(name + "_s", kFloat, {}, {scale});
    m.node("DequantizeLinear", {name, name + "_s"}, name + "_d");
    return name + "_d";
  };
  OnnxModel::integer(m.node("Concat", {part("a", 10, 0.1), part("b", 4, -0.5 + 1)}, "c"), "axis", 0);
  m.node("Add", {"product", "c"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(run(m, {kX})[0], near({2, 4, 4, 6}, 0.1));
}

TEST(OnnxBorders, AnIntegerOutputIsOne) {
  for (const int type : {kInt8, kUInt8}) {
    const int zero = type == kInt8 ? 0 : 128;
    OnnxModel m = unit_product();
    m.qdq("product", 0.5, zero, type);
    m.output("product_q", static_cast<onnx::TensorProto::DataType>(type));
    const graph::Graph g = import(m);
    EXPECT_EQ(g.outputs[0].model_type, type == kInt8 ? graph::DataType::Int8 : graph::DataType::UInt8);
    EXPECT_THAT(run(m, {kX})[0], ElementsAre(zero + 2, zero + 4, zero + 6, zero + 8));
  }
}

TEST(OnnxBorders, AnInputWithTwoScalesIsOneInput) {
  OnnxModel m;
  m.input("x", {2, 2});
  m.scale("x", 0.1, 0);
  m.scale("z", 0.5, 0);
  for (const std::string by : {"x", "z"}) {
    m.node("QuantizeLinear", {"x", by + "_s", by + "_z"}, by + "_q");
    m.node("DequantizeLinear", {by + "_q", by + "_s", by + "_z"}, by + "_d");
  }
  m.node("Add", {"x_d", "z_d"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(run(m, {kX})[0], near({2, 4, 6, 8}, 0.1));
}

TEST(OnnxBorders, AnInputOfIntegersCanBeDequantised) {
  for (const auto type : {onnx::TensorProto::INT8, onnx::TensorProto::UINT8}) {
    OnnxModel m;
    m.input("x", {2, 2}, type);
    m.scale("x", 0.5, 1, type);
    m.node("DequantizeLinear", {"x", "x_s", "x_z"}, "d");
    m.node("MatMul", {"d", m.weights("w", {2, 2}, {10, 0, 0, 10}, {0.1})}, "product");
    m.output(m.qdq("product", 0.5, 0));
    EXPECT_THAT(run(m, {{1, 3, 5, 7}})[0], near({0, 1, 2, 3}, 0.5));
  }
}

TEST(OnnxBorders, ScalesOfBlocks) {
  OnnxModel m;
  m.opset(21);
  m.input("x", {1, 4});
  m.constant("s", kFloat, {1, 2}, {0.5, 0.1});
  m.constant("z", kInt8, {1, 2}, {0, 10});
  OnnxModel::integer(m.node("QuantizeLinear", {"x", "s", "z"}, "q"), "block_size", 2);
  OnnxModel::integer(m.node("DequantizeLinear", {"q", "s", "z"}, "d"), "block_size", 2);
  m.output("q", onnx::TensorProto::INT8);
  m.output("d");
  const auto outputs = run(m, {{1, 1.2, 1, 1.2}});
  EXPECT_THAT(outputs[0], ElementsAre(2, 2, 20, 22));
  EXPECT_THAT(outputs[1], near({1, 1, 1, 1.2}, 1e-6));
}

TEST(OnnxBorders, AClipOfIntegersClipsIntegers) {
  OnnxModel m;
  m.input("x", {2, 2});
  m.scale("x", 0.5, -3);
  m.node("QuantizeLinear", {"x", "x_s", "x_z"}, "q");
  m.constant("low", kInt8, {}, {0});
  m.constant("high", kInt8, {}, {3});
  m.node("Clip", {"q", "low", "high"}, "c");
  m.node("DequantizeLinear", {"c", "x_s", "x_z"}, "d");
  m.node("MatMul", {"d", m.weights("w", {2, 2}, {10, 0, 0, 10}, {0.1})}, "product");
  m.output(m.qdq("product", 0.5, 0));
  EXPECT_THAT(run(m, {{1, 2, 3, 4}})[0], near({1.5, 2, 3, 3}, 0.5));
}

TEST(OnnxBorders, WeightsMayMoveAfterTheirDequantizeLinear) {
  OnnxModel m;
  m.input("x", {2, 2});
  OnnxModel::ints(m.node("Transpose", {m.weights("w", {2, 2}, {10, 20, 0, 10}, {0.1, 0.2}, 0)}, "t"), "perm",
                  {1, 0});
  m.constant("shape", kInt64, {2}, {2, 2});
  m.node("Reshape", {"t", "shape"}, "r");
  m.node("MatMul", {m.qdq("x", 0.1, 0), "r"}, "product");
  m.output(m.qdq("product", 0.25, 0));
  EXPECT_THAT(testing::ops(import(m)), ElementsAre("fully_connected"));
  EXPECT_THAT(run(m, {kX})[0], near({5, 4, 11, 8}, 0.25));
}

TEST(OnnxBorders, OperatorsWithoutABorderBetweenThemAreComputedInFloats) {
  OnnxModel m = unit_product();
  m.node("Add", {"product", "x_dq"}, "sum");
  m.node("Sqrt", {"sum"}, "root");
  m.output(m.qdq("root", 0.1, 0));
  m.output("sum");
  const auto outputs = run(m, {{0.5, 2, 4.5, 8}});
  EXPECT_THAT(outputs[0], near({1, 2, 3, 4}, 0.1));
  EXPECT_THAT(outputs[1], near({1, 4, 9, 16}, 1e-5));
}

TEST(OnnxBorders, APadOfNegativeAmountsRemovesElements) {
  OnnxModel m;
  m.input("x", {2, 2});
  m.constant("pads", kInt64, {4}, {0, -1, 1, 0});
  m.node("Pad", {m.qdq("x", 0.1, 5), "pads"}, "y");
  m.output(m.qdq("y", 0.1, 5));
  EXPECT_THAT(run(m, {kX})[0], near({2, 4, 0}, 0.1));
}

TEST(OnnxBorders, LayersOfLinesAreIntegerLayers) {
  OnnxModel m;
  m.opset(13);
  m.input("x", {1, 2, 4});
  auto& conv =
      m.node("Conv", {m.qdq("x", 0.1, 0), m.weights("w", {1, 2, 2}, {10, 20, 0, 10}, {0.1})}, "conv");
  OnnxModel::ints(conv, "pads", {1, 0});
  OnnxModel::ints(m.node("MaxPool", {m.qdq("conv", 0.1, 0)}, "pool"), "kernel_shape", {2});
  m.node("GlobalAveragePool", {"pool"}, "mean");
  m.output(m.qdq("mean", 0.1, 0));
  EXPECT_THAT(testing::ops(import(m)), ::testing::Not(::testing::Contains("map")));
  // conv: x0[i-1] * 1 + x0[i] * 2 + x1[i] = 3, 6, 9, 12 for i = 0..3; pool 6, 9, 12
  EXPECT_THAT(run(m, {{1, 2, 2.5, 3, 1, 1, 2, 3.5}})[0], near({9}, 0.1));
}

// The scale of the first channel was taken for all.
TEST(OnnxBorders, AConstantWithAScaleForEachChannelIsNoOperand) {
  OnnxModel m;
  m.opset(13);
  m.input("x", {2, 2});
  m.node("Add", {m.qdq("x", 0.1, 0), m.weights("c", {2, 2}, {10, 10, 10, 10}, {0.1, 0.2})}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(run(m, {kX})[0], near({2, 3, 5, 6}, 0.1));
}

TEST(OnnxBorders, ASoftmaxInFineStepsIsComputedInFloats) {
  OnnxModel m;
  m.opset(13);
  m.input("x", {1, 64});
  m.node("Softmax", {m.qdq("x", 0.02, 0)}, "y");
  m.output(m.qdq("y", 0.0005, -128));
  Reals x(64, 0.0), want(64);
  for (std::size_t i = 0; i < 64; ++i) x[i] = 0.02 * static_cast<double>(i);
  double sum = 0;
  for (double v : x) sum += std::exp(v);
  for (std::size_t i = 0; i < 64; ++i) want[i] = std::exp(x[i]) / sum;
  EXPECT_THAT(run(m, {x})[0], near(want, 0.0005));
}

// The average was rounded in steps of the input first.
TEST(OnnxBorders, AnAverageInFinerStepsThanItsInput) {
  OnnxModel m;
  m.opset(13);
  m.input("x", {1, 1, 2, 2});
  auto& pool = m.node("AveragePool", {m.qdq("x", 1, 0)}, "y");
  OnnxModel::ints(pool, "kernel_shape", {2, 2});
  OnnxModel::ints(pool, "pads", {0, 0, 1, 1});
  m.output(m.qdq("y", 0.05, 0));
  EXPECT_THAT(run(m, {{1, 2, 2, 4}})[0], near({2.25, 3, 3, 4}, 0.05));
}

TEST(OnnxBorders, AMeanOfAScalar) {
  OnnxModel m;
  m.opset(13);
  m.input("x", {});
  OnnxModel::integer(m.node("ReduceMean", {m.qdq("x", 0.1, 0)}, "y"), "keepdims", 0);
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(run(m, {{2}})[0], near({2}, 0.1));
}

TEST(OnnxBorders, GlobalMaxPool) {
  OnnxModel m;
  m.opset(13);
  m.input("x", {1, 2, 2, 2});
  m.node("GlobalMaxPool", {m.qdq("x", 0.1, 0)}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(testing::ops(import(m)), ElementsAre("max_pool2d"));
  EXPECT_THAT(run(m, {{1, 2, 5, 3, -1, -2, -3, -4}})[0], near({5, -1}, 0.1));
}

// The limits of the Conv were those of the Clip, below all that the Relu gives.
TEST(OnnxBorders, ARangeBelowTheNextOneIsItsLimit) {
  OnnxModel m;
  m.input("x", {1, 1, 2, 2});
  m.node("Conv", {m.qdq("x", 0.1, 0), m.weights("w", {1, 1, 1, 1}, {10}, {0.1})}, "product");
  m.constant("low", kFloat, {}, {-5});
  m.constant("high", kFloat, {}, {-1});
  m.node("Clip", {"product", "low", "high"}, "clipped");
  m.node("Relu", {"clipped"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(testing::ops(import(m)), ElementsAre("conv2d"));
  EXPECT_THAT(run(m, {{-4, -1, 0, 4}})[0], ElementsAre(0, 0, 0, 0));
}

TEST(OnnxBorders, ARangeAboveTheNextOneIsItsLimit) {
  OnnxModel m;
  m.input("x", {1, 1, 2, 2});
  m.node("Conv", {m.qdq("x", 0.1, 0), m.weights("w", {1, 1, 1, 1}, {10}, {0.1})}, "product");
  m.constant("zero", kFloat, {}, {0});
  m.constant("low", kFloat, {}, {2});
  m.constant("high", kFloat, {}, {5});
  m.node("Clip", {"product", "low", "high"}, "clipped");
  m.node("Clip", {"clipped", "", "zero"}, "y");
  m.output(m.qdq("y", 0.1, 0));
  EXPECT_THAT(run(m, {{-4, -1, 0, 4}})[0], ElementsAre(0, 0, 0, 0));
}

// exp(1000) is infinite.
TEST(OnnxBorders, SoftplusOfALargeValueIsTheValue) {
  OnnxModel m;
  m.input("x", {3});
  m.node("Softplus", {m.qdq("x", 10, 0)}, "y");
  m.output(m.qdq("y", 10, 0));
  EXPECT_THAT(run(m, {{1000, -1000, 710}})[0], ElementsAre(1000, 0, 710));
}

TEST(OnnxBorders, ManyInputsKeepTheOrderInWhichTheyAreDeclared) {
  OnnxModel m;
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("in" + std::to_string(i));
  for (const std::string& name : names) m.input(name, {2});
  // Ports are made as they are read: backwards.
  std::string sum = m.qdq(names.back(), 0.1, 0);
  for (int i = 98; i >= 0; --i) {
    const std::string &name = names[static_cast<std::size_t>(i)], next = "sum" + std::to_string(i);
    m.node("Add", {sum, i % 2 == 0 ? name : m.qdq(name, 0.1, 0)}, next);
    sum = next;
  }
  m.output(sum);
  const graph::Graph g = import(m);
  std::vector<std::string> found;
  for (const graph::Port& port : g.inputs) found.push_back(g.tensor(port.tensor).name);
  EXPECT_EQ(found, names);
}

// The multiplier of a scale that no shift of the contract reaches.
TEST(OnnxBorders, ALayerBeyondTheIntegerContractIsComputedInFloats) {
  OnnxModel m;
  m.input("x", {2, 2});
  m.node("MatMul", {m.qdq("x", 1e20, 0), m.weights("w", {2, 2}, {10, 0, 0, 10}, {0.1})}, "product");
  m.output(m.qdq("product", 1e-20, 0));
  EXPECT_THAT(run(m, {{1e20, 0, 0, 0}})[0], near({127e-20, 0, 0, 0}, 1e-20));
}

std::vector<std::string> port_names(const graph::Graph& g, const std::vector<graph::Port>& ports) {
  std::vector<std::string> result;
  for (const graph::Port& port : ports) result.push_back(g.tensor(port.tensor).name);
  return result;
}

// Ports that are int8 inside were named after the nodes that wrote them.
TEST(OnnxBorders, PortsHaveTheNamesThatTheModelDeclares) {
  OnnxModel m;
  m.input("pixels", {1, 1, 2, 2});
  m.node("Relu", {m.qdq("pixels", 0.1, 0)}, "features");
  m.output(m.qdq("features", 0.1, 0));
  m.node("Softmax", {"features_dq"}, "probabilities");
  m.output("probabilities");
  m.output("features_q", onnx::TensorProto::INT8);
  const graph::Graph g = import(m);
  EXPECT_THAT(port_names(g, g.inputs), ElementsAre("pixels"));
  EXPECT_THAT(port_names(g, g.outputs), ElementsAre("features_dq", "probabilities", "features_q"));
}

TEST(OnnxBorders, AnInputThatIsAnOutputHasBothNames) {
  OnnxModel m;
  m.input("x", {2});
  m.node("Identity", {"x"}, "y");
  m.node("Identity", {"x"}, "z");
  m.output("y");
  m.output("z");
  const graph::Graph g = import(m);
  EXPECT_THAT(port_names(g, g.inputs), ElementsAre("x"));
  EXPECT_THAT(port_names(g, g.outputs), ElementsAre("y", "z"));
  EXPECT_THAT(run(m, {{1, 2}}), ElementsAre(ElementsAre(1, 2), ElementsAre(1, 2)));
}

}  // namespace
}  // namespace vdla::import
