// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/operators.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/import/integer/rules.h"

namespace vdla::quantize {
namespace {

/// Operators that compute on integers between scales of their own.
constexpr std::array<std::string_view, 18> kComputing = {
    "Add",     "AveragePool",       "Clip",      "Concat", "Conv", "Exp",  "Gelu",
    "Gemm",    "GlobalAveragePool", "HardSwish", "MatMul", "Mul",  "Relu", "ReduceMean",
    "Sigmoid", "Softmax",           "Softplus",  "Tanh"};
/// Operators whose output has the values, and so the scale, of their input.
constexpr std::array<std::string_view, 9> kMoving = {
    "Flatten", "GlobalMaxPool", "MaxPool", "Pad", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, const std::string& op) {
  return std::ranges::find(list, op) != list.end();
}

/// The integer form of Gemm scales nothing and adds the same to each row.
bool has_integer_form(const Network& network, const onnx::NodeProto& gemm) {
  if (attribute(gemm, "alpha", 1.0f) != 1 || attribute(gemm, "beta", 1.0f) != 1 ||
      attribute(gemm, "transA", std::int64_t{0}) != 0 || !has_weights(network, gemm))
    return false;
  if (gemm.input_size() < 3 || gemm.input(2).empty()) return true;
  if (!network.is_float_constant(gemm.input(2))) return false;
  const std::vector<std::int64_t> bias = network.constant_shape(gemm.input(2));
  return graph::element_count(bias) == 1 || import::integer::is_row(bias, network.shape(gemm.output(0)));
}

}  // namespace

std::span<const std::string_view> computing_operators() { return kComputing; }
std::span<const std::string_view> moving_operators() { return kMoving; }

bool is_moving(const onnx::NodeProto& node) { return is_one_of(kMoving, node.op_type()); }

std::vector<std::string> operands(const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  const int count = op == "Concat" ? node.input_size() : op == "Add" || op == "Mul" || op == "MatMul" ? 2 : 1;
  return {node.input().begin(), node.input().begin() + std::min(count, node.input_size())};
}

bool is_known(const Network& network, const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  if (!is_one_of(kComputing, op) && !is_moving(node)) return false;
  // Values computed from shapes or constants alone have no samples, and integers have no scale.
  if (!network.is_activation(node.output(0)) || network.stays_in_float(node)) return false;
  if (op == "Gemm" && !has_integer_form(network, node)) return false;
  const bool has_bias = op == "Conv" && node.input_size() > 2 && !node.input(2).empty();
  if (has_bias && !network.is_float_constant(node.input(2))) return false;
  const std::vector<std::string> read = operands(node);
  return std::ranges::any_of(read, [&](const auto& t) { return network.is_activation(t); }) &&
         std::ranges::all_of(
             read, [&](const auto& t) { return network.is_activation(t) || network.is_float_constant(t); });
}

bool has_weights(const Network& network, const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  return (op == "Conv" || op == "Gemm" || op == "MatMul") && network.is_float_constant(node.input(1)) &&
         network.constant_shape(node.input(1)).size() > 1;
}

std::size_t channel_axis(const onnx::NodeProto& node) {
  if (node.op_type() == "Conv") return 0;
  return attribute(node, "transB", std::int64_t{0}) != 0 ? 0 : 1;
}

bool joins_its_reader(const Network& network, const onnx::NodeProto& node) {
  const int reader = network.sole_consumer(node.output(0));
  if (reader < 0 || !network.is_activation(node.output(0))) return false;
  const onnx::NodeProto& next = network.graph().node(reader);
  const bool clamp = next.op_type() == "Relu" || next.op_type() == "Clip";
  if (clamp) return is_one_of(kComputing, node.op_type()) && node.op_type() != "Softmax";
  if (next.op_type() != "Add" || node.op_type() != "MatMul" || !has_weights(network, node)) return false;
  const std::string& other = next.input(next.input(0) == node.output(0) ? 1 : 0);
  const std::vector<std::int64_t> weights = network.constant_shape(node.input(1));
  return weights.size() == 2 && network.is_float_constant(other) &&
         import::integer::is_row(network.constant_shape(other), network.shape(node.output(0)));
}

}  // namespace vdla::quantize
