// SPDX-License-Identifier: Apache-2.0
// Networks of QLinear operators become the integer layers of the same network with QuantizeLinear and
// DequantizeLinear.
#include <gmock/gmock.h>

#include <random>

#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/session.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::kit {
namespace {

using ::vdla::testing::OnnxModel;
using Shape = std::vector<std::int64_t>;

constexpr auto kUInt8 = onnx::TensorProto::UINT8;

std::vector<double> whole(std::size_t count, int low, int high, unsigned seed) {
  std::mt19937 draw(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(low + static_cast<double>(draw() % static_cast<unsigned>(high - low + 1)));
  return values;
}

/// An image through a convolution, a mean of windows, a sum and a product with itself, joined, a mean of all
/// and a dense layer: of uint8, written in one of two ways.
class Network : public OnnxModel {
 public:
  explicit Network(bool qlinear) : qlinear_(qlinear) {
    input("x", {1, 4, 6, 6}, kUInt8);
    steps("x", 0.05, 120);
    constant("w", onnx::TensorProto::INT8, {8, 4, 3, 3}, whole(288, -127, 127, 1));
    constant("w_s", onnx::TensorProto::FLOAT, {8}, {0.01, 0.02, 0.01, 0.03, 0.02, 0.01, 0.02, 0.01});
    constant("w_z", onnx::TensorProto::INT8, {8}, std::vector<double>(8, 0));
    constant("b", onnx::TensorProto::INT32, {8}, whole(8, -900, 900, 2));
    steps("c", 0.5, 110);
    layer("Conv", {"x", "w", "b"}, "c");
    steps("p", 0.25, 100);
    ints(layer("AveragePool", {"c"}, "p", "com.microsoft"), "kernel_shape", {2, 2});
    steps("s", 0.5, 90);
    layer("Add", {"p", "p"}, "s", "com.microsoft");
    steps("m", 2, 70);
    layer("Mul", {"p", "s"}, "m", "com.microsoft");
    steps("j", 1, 80);
    joined({"s", "m"}, "j");
    steps("g", 0.5, 60);
    layer("GlobalAveragePool", {"j"}, "g", "com.microsoft");
    integer(node("Flatten", {"g"}, "f"), "axis", 1);
    alias("f", "g");
    constant("d", onnx::TensorProto::INT8, {16, 5}, whole(80, -127, 127, 3));
    constant("d_s", onnx::TensorProto::FLOAT, {}, {0.02});
    constant("d_z", onnx::TensorProto::INT8, {}, {0});
    steps("y", 1, 128);
    layer("MatMul", {"f", "d"}, "y");
    output("y", kUInt8);
  }

 private:
  void steps(const std::string& name, double scale, int zero) { this->scale(name, scale, zero, kUInt8); }
  void alias(const std::string& name, const std::string& other) {
    node("Identity", {other + "_s"}, name + "_s");
    node("Identity", {other + "_z"}, name + "_z");
  }
  std::string real(const std::string& name) {
    const std::string y = name + "_real" + std::to_string(++reals_);
    integer(node("DequantizeLinear", {name, name + "_s", name + "_z"}, y), "axis", 0);
    return y;
  }
  /// The layer's name is ONNX's; the second name of an input is that of its bias.
  onnx::NodeProto& layer(const std::string& op, const std::vector<std::string>& inputs, const std::string& y,
                         const std::string& domain = "") {
    const bool bias = inputs.size() == 3;
    const std::vector<std::string> operands(inputs.begin(), inputs.end() - (bias ? 1 : 0));
    std::vector<std::string> all;
    if (qlinear_) {
      for (const std::string& name : operands) all.insert(all.end(), {name, name + "_s", name + "_z"});
      all.insert(all.end(), {y + "_s", y + "_z"});
      if (bias) all.push_back(inputs.back());
      onnx::NodeProto& n = node("QLinear" + op, all, y);
      n.set_domain(domain);
      return n;
    }
    for (const std::string& name : operands) all.push_back(real(name));
    if (bias) {
      node("Mul", {"x_s", "w_s"}, "b_s");
      integer(node("DequantizeLinear", {"b", "b_s"}, "b_real"), "axis", 0);
      all.push_back("b_real");
    }
    const int index = proto().graph().node_size();
    node(op, all, y + "_float");
    node("QuantizeLinear", {y + "_float", y + "_s", y + "_z"}, y);
    return *proto().mutable_graph()->mutable_node(index);
  }
  void joined(const std::vector<std::string>& parts, const std::string& y) {
    std::vector<std::string> all;
    if (qlinear_) all = {y + "_s", y + "_z"};
    for (const std::string& part : parts) {
      if (qlinear_)
        all.insert(all.end(), {part, part + "_s", part + "_z"});
      else
        all.push_back(real(part));
    }
    onnx::NodeProto& n = node(qlinear_ ? "QLinearConcat" : "Concat", all, qlinear_ ? y : y + "_float");
    integer(n, "axis", 1);
    if (qlinear_)
      n.set_domain("com.microsoft");
    else
      node("QuantizeLinear", {y + "_float", y + "_s", y + "_z"}, y);
  }

  bool qlinear_;
  int reals_ = 0;
};

TEST(QOperator, IsTheSameNetworkOfIntegersAsWithQuantizeLinear) {
  const graph::Graph qlinear = ::vdla::testing::import(Network(true));
  const graph::Graph qdq = ::vdla::testing::import(Network(false));
  EXPECT_EQ(::vdla::testing::ops(qlinear), ::vdla::testing::ops(qdq));
  for (const graph::Node& n : qlinear.nodes) EXPECT_EQ(n.in_floats, "") << n.name;
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("tiny");
  options.partition = pipeline::Partition::Capable;
  const runtime::Module device = compile_module(qlinear, options);
  ASSERT_TRUE(runtime::needs_device(device));
  for (unsigned seed = 1; seed < 6; ++seed) {
    runtime::Bytes x;
    for (const double v : whole(144, 0, 255, seed)) x.push_back(static_cast<std::byte>(v));
    const auto have = Session(device, "functional").run_model({x}).outputs;
    EXPECT_EQ(have, Session(compile_for_cpu(qdq), "").run_model({x}).outputs) << seed;
    EXPECT_EQ(have, Session(compile_for_cpu(qlinear), "").run_model({x}).outputs) << seed;
  }
}

}  // namespace
}  // namespace vdla::kit
