// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/operators.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace vdla::quantize {
namespace {

/// Operators that compute on integers between scales of their own.
constexpr std::array<std::string_view, 14> kComputing = {
    "Add",    "AveragePool", "Clip", "Concat",     "Conv",    "Gemm",    "GlobalAveragePool",
    "MatMul", "Mul",         "Relu", "ReduceMean", "Sigmoid", "Softmax", "Tanh"};
/// Operators whose output has the values, and so the scale, of their input.
constexpr std::array<std::string_view, 8> kMoving = {"Flatten", "MaxPool", "Pad",       "Reshape",
                                                     "Slice",   "Squeeze", "Transpose", "Unsqueeze"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, const std::string& op) {
  return std::ranges::find(list, op) != list.end();
}

}  // namespace

bool is_moving(const onnx::NodeProto& node) { return is_one_of(kMoving, node.op_type()); }

bool is_known(const onnx::NodeProto& node) {
  return is_one_of(kComputing, node.op_type()) || is_moving(node);
}

bool has_weights(const Network& network, const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  return (op == "Conv" || op == "Gemm" || op == "MatMul") && network.is_constant(node.input(1));
}

std::size_t channel_axis(const onnx::NodeProto& node) {
  if (node.op_type() == "Conv") return 0;
  return attribute(node, "transB", std::int64_t{0}) != 0 ? 0 : 1;
}

bool joins_its_reader(const Network& network, const onnx::NodeProto& node) {
  const int reader = network.sole_consumer(node.output(0));
  if (reader < 0) return false;
  const onnx::NodeProto& next = network.graph().node(reader);
  const bool clamp = next.op_type() == "Relu" || next.op_type() == "Clip";
  if (clamp) return is_one_of(kComputing, node.op_type()) && node.op_type() != "Softmax";
  return next.op_type() == "Add" && node.op_type() == "MatMul" &&
         (network.is_constant(next.input(0)) || network.is_constant(next.input(1)));
}

}  // namespace vdla::quantize
