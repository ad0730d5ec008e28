// SPDX-License-Identifier: Apache-2.0
// A Gemm without an integer form, as the products and sums that it consists of.
#include <algorithm>
#include <utility>

#include "compiler/quantize/operators.h"
#include "compiler/quantize/rewrite.h"

namespace vdla::quantize {
namespace {

using graph::Shape;

/// Writes the nodes that a Gemm becomes, in front of its readers.
class Spread {
 public:
  Spread(Network& network, onnx::GraphProto& graph, onnx::NodeProto gemm)
      : network_(network), graph_(graph), gemm_(std::move(gemm)) {}

  void write() {
    const std::string& result = gemm_.output(0);
    const bool has_bias = gemm_.input_size() > 2 && !gemm_.input(2).empty();
    const float alpha = attribute(gemm_, "alpha", 1.0f), beta = attribute(gemm_, "beta", 1.0f);
    const std::string a = turned("transA", 0, "first"), b = turned("transB", 1, "second");
    const bool is_whole = alpha == 1 && !has_bias;
    std::string product = is_whole ? result : made("product", network_.shape(result));
    add("MatMul", {a, b}, product);
    if (alpha != 1) {
      const std::string scaled = has_bias ? made("tensor", network_.shape(result)) : result;
      add("Mul", {product, number("factor", alpha)}, scaled);
      product = scaled;
    }
    if (has_bias) add("Add", {product, multiplied(gemm_.input(2), beta)}, result);
  }

 private:
  void add(const char* op, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type(op);
    node.set_name(output == gemm_.output(0) ? label(gemm_) : output);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
  }

  std::string made(const char* word, const Shape& shape) {
    std::string name = network_.own(gemm_.output(0), word);
    network_.add_activation(name, shape);
    return name;
  }

  std::string number(const char* word, float value) {
    std::string name = network_.own(gemm_.output(0), word);
    network_.add_constant(name, onnx::TensorProto::FLOAT, {}, std::vector<float>{value});
    return name;
  }

  /// An operand, with its dimensions exchanged where the attribute says so.
  std::string turned(const char* attribute_name, int i, const char* word) {
    const std::string& operand = gemm_.input(i);
    if (attribute(gemm_, attribute_name, std::int64_t{0}) == 0) return operand;
    if (!network_.is_float_constant(operand)) {
      const Shape& shape = network_.shape(operand);
      std::string name = made(word, {shape[1], shape[0]});
      add("Transpose", {operand}, name);
      return name;
    }
    const Weights w = network_.weights(operand);
    Weights t{{w.shape[1], w.shape[0]}, {}};
    for (std::int64_t c = 0; c < w.shape[1]; ++c)
      for (std::int64_t r = 0; r < w.shape[0]; ++r)
        t.values.push_back(w.values[static_cast<std::size_t>(r * w.shape[1] + c)]);
    std::string name = network_.own(gemm_.output(0), word);
    network_.add_constant(name, onnx::TensorProto::FLOAT, t.shape, t.values);
    return name;
  }

  /// The bias times its factor.
  std::string multiplied(const std::string& bias, float factor) {
    if (factor == 1) return bias;
    std::string name = network_.own(gemm_.output(0), "bias");
    if (network_.is_float_constant(bias)) {
      Weights w = network_.weights(bias);
      for (float& v : w.values) v *= factor;
      network_.add_constant(name, onnx::TensorProto::FLOAT, w.shape, w.values);
      return name;
    }
    network_.add_activation(name, network_.shape(bias));
    add("Mul", {bias, number("beta", factor)}, name);
    return name;
  }

  Network& network_;
  onnx::GraphProto& graph_;
  const onnx::NodeProto gemm_;
};

bool is_float(const Network& network, const std::string& tensor) {
  return network.is_activation(tensor) || network.is_float_constant(tensor);
}

bool can_be_spread(const Network& network, const onnx::NodeProto& node) {
  return node.op_type() == "Gemm" && network.is_activation(node.output(0)) && !is_known(network, node) &&
         std::ranges::all_of(node.input(), [&](const auto& t) { return t.empty() || is_float(network, t); });
}

}  // namespace

void spread_gemms(Network& network) {
  onnx::GraphProto spread;
  bool any = false;
  const onnx::GraphProto& from = std::as_const(network).graph();
  for (const onnx::NodeProto& node : from.node()) {
    if (can_be_spread(network, node)) {
      Spread(network, spread, node).write();
      any = true;
    } else {
      *spread.add_node() = node;
    }
  }
  if (any) network.graph().mutable_node()->Swap(spread.mutable_node());
}

}  // namespace vdla::quantize
