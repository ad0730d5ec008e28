// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear: where float operators get their scales.
#include <cmath>

#include "compiler/graph/requant.h"
#include "compiler/import/onnx_builder.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::import::onnx_model {
namespace {

struct Scales {
  graph::Quantization quantization;  ///< as the file has it: zero points of uint8 not moved
  int type = onnx::TensorProto::UINT8;
};

/// Inputs 1 and 2 of either operator; `shape` is the tensor's.
Scales scales_of(const NodeContext& c, const graph::Shape& shape) {
  Scales result;
  const std::int64_t block = c.integer("block_size", 0);
  c.require(block == 0,
            "has scales for blocks of " + std::to_string(block) + ", needs one, or one a channel");
  if (const std::int64_t type = c.integer("output_dtype", 0); type != 0) result.type = static_cast<int>(type);
  result.quantization.scale = c.constant(1).reals();
  for (double s : result.quantization.scale)
    c.require(s > 0 && std::isfinite(s), "has a scale that is not positive");
  const std::size_t count = result.quantization.scale.size();
  c.require(count > 0, "has no scale");
  result.quantization.zero_point.assign(count, 0);
  if (c.has(2)) {
    result.type = c.constant(2).type;
    const auto points = c.constant(2).integers();
    c.require(points.size() == count, "has " + std::to_string(count) + " scales and " +
                                          std::to_string(points.size()) + " zero points, needs as many");
    result.quantization.zero_point.assign(points.begin(), points.end());
  }
  if (count == 1) return result;
  std::int64_t axis = c.integer("axis", 1);
  if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
  c.require(axis >= 0 && axis < static_cast<std::int64_t>(shape.size()) &&
                shape[static_cast<std::size_t>(axis)] == static_cast<std::int64_t>(count),
            "has " + std::to_string(count) + " scales along axis " + std::to_string(axis) + " of " +
                graph::to_string(shape));
  result.quantization.axis = static_cast<int>(axis);
  return result;
}

/// As an int8 tensor of the graph has it.
graph::Quantization as_int8(const NodeContext& c, const Scales& s) {
  c.require(!s.quantization.per_channel(), "quantises an activation per channel, needs one scale");
  c.require(s.type == onnx::TensorProto::INT8 || s.type == onnx::TensorProto::UINT8,
            "quantises an activation to another type than int8 or uint8");
  graph::Quantization q = s.quantization;
  if (s.type == onnx::TensorProto::UINT8) q.zero_point[0] -= 128;
  c.require(q.zero_point[0] >= -128 && q.zero_point[0] <= 127, "has a zero point outside of its type");
  return q;
}

Value requantized(const NodeContext& c, const Quantized& v, const graph::Quantization& q) {
  const graph::Quantization& from = c.builder().quantization(v);
  if (from.scale == q.scale && from.zero_point == q.zero_point) return v;
  graph::Requantize op{from.zero_point[0],
                       stage(Request{q}, {graph::multiplier_of(from.scale[0] / q.scale[0])}, {255})};
  return c.builder().add(c.name(), std::move(op), {v.id}, q, v.perm);
}

void quantize_linear(const NodeContext& c) {
  const Scales scales = scales_of(c, c.shape(0));
  const auto activation = [&] { return as_int8(c, scales); };
  c.set_output(std::visit(
      overloaded{
          [&](const Constant& v) -> Value {
            Constant result = quantize_constant(v, scales.quantization, scales.type);
            return result;
          },
          [&](const Quantized& v) -> Value { return requantized(c, v, activation()); },
          [&](const FloatInput& v) -> Value {
            return c.builder().quantize_input(v, activation(), graph::DataType::Float32);
          },
          [&](const FloatTensor&) -> Value {
            c.require(false, "quantises the result of a float operator in the middle of the network");
            return {};
          },
          [&](const Deferred& v) -> Value { return v.quantized({activation()}); },
      },
      c.input(0)));
}

void dequantize_linear(const NodeContext& c) {
  const Scales scales = scales_of(c, c.shape(0));
  if (!c.is_constant(0)) {
    const Quantized v = c.quantized(0);
    const graph::Quantization q = as_int8(c, scales);
    // Another scale than the one that the values were quantised with only gives them another meaning.
    const graph::Quantization& from = c.builder().quantization(v);
    if (from.scale == q.scale && from.zero_point == q.zero_point) return c.set_output(v);
    const graph::Shape shape = c.graph().tensor(v.id).shape;
    return c.set_output(c.builder().add(c.name() + "/view", graph::Reshape{shape}, {v.id}, q, v.perm));
  }
  Constant v = c.constant(0);
  v.quantization = scales.quantization;
  c.set_output(std::move(v));
}

}  // namespace

bool import_quantization(const NodeContext& c) {
  const std::string& op = c.proto().op_type();
  if (op == "QuantizeLinear") return quantize_linear(c), true;
  if (op == "DequantizeLinear") return dequantize_linear(c), true;
  return false;
}

}  // namespace vdla::import::onnx_model
