// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear: borders between the model's types and int8 tensors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/graph/requant.h"
#include "compiler/import/integer/rules.h"
#include "compiler/import/tensor/steps.h"
#include "support/error.h"

namespace vdla::import::integer {
namespace {

using expr::DType;

bool equal(const graph::Quantization& a, const graph::Quantization& b) {
  return a.scale == b.scale && a.zero_point == b.zero_point;
}

/// Inputs 1 and 2 of either operator: scale, zero point and axis of a value of `shape`; zero points of uint8
/// are not moved.
struct Scales {
  graph::Quantization quantization;
  DataType type = DataType::UInt8;
};

std::vector<std::int32_t> zero_points(const Context& c, std::size_t count) {
  if (!c.has(2)) return std::vector<std::int32_t>(count, 0);
  const Integers points = c.integers(2, "zero points");
  c.Node::require(points.size() == count, "has " + std::to_string(count) + " scales and " +
                                              std::to_string(points.size()) + " zero points, needs as many");
  return {points.begin(), points.end()};
}

int axis_of(const Context& c, const Shape& shape, std::size_t count) {
  if (count == 1) return -1;
  const std::size_t axis = c.axis(shape.size() == 1 ? 0 : c.integer("axis", 1), shape.size());
  c.Node::require(shape[axis] == static_cast<std::int64_t>(count),
                  "has " + std::to_string(count) + " scales along axis " + std::to_string(axis) + " of " +
                      graph::to_string(shape) + ", needs one for each of its elements");
  return static_cast<int>(axis);
}

Scales scales_of(const Context& c, DataType type) {
  const std::int64_t block = c.integer("block_size", 0), precision = c.integer("precision", 0);
  c.require(block == 0, fmt::format("has a scale for each block of {} elements, needs one for all", block));
  c.require(c.as_it_is(1).type == DataType::Float32,
            fmt::format("has scales of {}, needs float32", name_of(c.as_it_is(1).type)));
  c.require(precision <= 1, fmt::format("has precision {}, needs 1 (float32)", precision));
  Scales result{{c.reals(1), {}, -1}, type};
  const std::vector<double>& scale = result.quantization.scale;
  c.Node::require(
      !scale.empty() && std::ranges::all_of(scale, [](double s) { return s > 0 && std::isfinite(s); }),
      "has a scale that is not positive, or none");
  result.quantization.zero_point = zero_points(c, scale.size());
  result.quantization.axis = axis_of(c, c.shape(0), scale.size());
  return result;
}

/// Quantisation of an int8 tensor of the graph.
graph::Quantization of_int8(const Context& c, const Scales& s) {
  c.require(!s.quantization.per_channel(),
            fmt::format("has {} scales for a computed value, needs one", s.quantization.scale.size()));
  c.require(s.type == DataType::Int8 || s.type == DataType::UInt8,
            fmt::format("is between float32 and {}, needs int8 or uint8", name_of(s.type)));
  graph::Quantization q = s.quantization;
  if (s.type == DataType::UInt8) q.zero_point[0] -= 128;
  c.Node::require(q.zero_point[0] >= -128 && q.zero_point[0] <= 127, "has a zero point outside of its type");
  return q;
}

/// Port of an input of the model: stored as the input, or as NHWC.
Quantized read_input(const Context& c, const UnreadInput& input, const graph::Quantization& q) {
  Shape shape;  // shape in the order of the value
  for (int p : input.perm) shape.push_back(input.view_shape[static_cast<std::size_t>(p)]);
  const std::vector<int> stored = shape.size() == 4 ? nhwc_perm() : identity_perm(shape.size());
  std::vector<int> to_view;
  for (int p : stored) to_view.push_back(input.perm[static_cast<std::size_t>(p)]);
  const bool plain = only_ones_move(input.view_shape, identity_perm(shape.size()), to_view);
  const bool as_viewed = plain || input.view_shape == input.model_shape;
  // A view that moves elements of a reshaped input cannot be said in a port: the graph does it.
  const Likeness likeness = plain || !as_viewed ? Likeness::Same : Likeness::Reordered;
  const std::vector<int> order = as_viewed ? to_view : std::vector<int>{};
  const graph::TensorId id = c.graph().add_tensor({input.name, DataType::Int8,
                                                   as_viewed ? permuted(shape, stored) : input.view_shape, q,
                                                   nullptr, Sources{{input.name, likeness, order}}});
  c.graph().inputs.push_back(
      {id, input.type, input.model_shape, plain || !as_viewed ? std::vector<int>{} : to_view});
  if (as_viewed) return {id, stored};
  return c.add(input.name + "/layout", graph::Transpose{to_view}, {id}, q, stored);
}

Quantized requantised(const Context& c, const Quantized& v, const graph::Quantization& q) {
  const graph::Quantization& from = c.quantization(v);
  if (equal(from, q)) return v;
  graph::Requantize op{from.zero_point[0],
                       stage(Request{q}, {graph::multiplier_of(from.scale[0] / q.scale[0])}, {255})};
  return c.add(c.name(), std::move(op), {v.id}, q, v.perm);
}

/// reals / scale rounded half to even, plus zero point, limited to int8.
Quantized steps_of(const Context& c, const Rounded& r) {
  if (r.steps->id != graph::kNone) return *r.steps;
  const auto body = [&](const auto& v) {
    return tensor::quantised(v[0], expr::float_imm(r.quantization.scale[0], DType::F32),
                             expr::number(r.quantization.zero_point[0], DType::I8));
  };
  *r.steps = {c.map("QuantizeLinear", {r.reals}, body, r.quantization).id, identity_perm(r.reals.rank())};
  return *r.steps;
}

/// The int8 tensor of input 0 of a DequantizeLinear, if it is one of the graph.
std::optional<Quantized> int8_tensor(const Context& c) {
  if (const auto* v = c.form<Quantized>(0)) return *v;
  if (const auto* r = c.form<Rounded>(0)) return steps_of(c, *r);
  return std::nullopt;
}

/// A constant in a quantisation, element by element as QuantizeLinear defines it, in float32.
Value quantised_constant(const Value& x, const Scales& s) {
  const auto low = static_cast<double>(expr::min_value(graph::dtype_of(s.type)));
  const auto high = static_cast<double>(expr::max_value(graph::dtype_of(s.type)));
  std::vector<double> values = tensor::reals_of(x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t k = scale_index(s.quantization, x.shape, i);
    const float steps = static_cast<float>(values[i]) / static_cast<float>(s.quantization.scale[k]);
    const double moved = std::nearbyint(steps) + s.quantization.zero_point[k];
    values[i] = std::isnan(moved) ? s.quantization.zero_point[k] : std::clamp(moved, low, high);
  }
  Value result = tensor::make_constant(s.type, x.shape, values);
  result.origins = x.origins;
  return result;
}

/// The int8 or uint8 elements of a tensor of the graph as an int8 tensor of that quantisation.
Quantized viewed(const Context& c, const Value& x, const graph::Quantization& q) {
  const std::vector<int> perm = identity_perm(x.rank());
  if (x.type == DataType::Int8) return c.add(c.name() + "/view", graph::Reshape{x.shape}, {x.id}, q, perm);
  const auto body = [](const auto& v) { return expr::cast(DType::I8, expr::cast(DType::I32, v[0]) - 128); };
  return {c.map("Int8", {x}, body, q).id, perm};
}

/// States that a layer declined the scale that the node gives it; operators between them follow it.
void keep_in_floats(const Context& c, const tensor::ModelNode& layer, const std::string& reason) {
  c.network().reasons().add(layer, reason);
  const tensor::ModelNode& last = c.as_it_is(0).pending->node;
  if (last.name != layer.name)
    c.network().reasons().add(last, "follows " + layer.text() + ", which stays in floats");
}

DataType result_type(const Context& c) {
  if (c.has(2)) return c.as_it_is(2).type;
  const std::int64_t stated = c.integer("output_dtype", 0);
  return stated == 0 ? DataType::UInt8 : tensor::type_of(static_cast<int>(stated), c.where());
}

}  // namespace

void quantize_linear(const Context& c) {
  c.require(c.as_it_is(0).type == DataType::Float32,
            fmt::format("quantises {}, needs float32", name_of(c.as_it_is(0).type)));
  const Scales scales = scales_of(c, result_type(c));
  if (const auto* constant = c.form<QuantizedConstant>(0)) {
    Value reals = tensor::make_constant(DataType::Float32, c.shape(0), reals_of(*constant));
    reals.origins = c.as_it_is(0).origins;
    return c.Node::set(quantised_constant(reals, scales));
  }
  if (c.as_it_is(0).constant()) return c.Node::set(quantised_constant(c.as_it_is(0), scales));
  const graph::Quantization q = of_int8(c, scales);
  if (const auto* v = c.form<Quantized>(0)) return c.set(requantised(c, *v, q), scales.type);
  if (const auto* input = c.form<UnreadInput>(0)) return c.set(read_input(c, *input, q), scales.type);
  if (const auto* d = c.form<Deferred>(0)) {
    try {
      return c.set(c.network().attempt([&] { return d->quantized({q}); }), scales.type);
    } catch (const Declined& declined) {
      keep_in_floats(c, declined.node, declined.reason);
    } catch (
        const UserError& e) {  // beyond the integer contract: in floats it has its meaning, or is refused
      keep_in_floats(c, c.as_it_is(0).pending->node,
                     fmt::format("cannot have the scale of its output: {}", e.what()));
    }
  }
  const Value& reals = c.in(0);
  if (reals.constant()) return c.Node::set(quantised_constant(reals, scales));
  c.set(Rounded{reals, q}, reals.shape, scales.type);
}

void dequantize_linear(const Context& c) {
  const std::int64_t output = c.integer("output_dtype", 0);
  c.require(output <= 1, fmt::format("has output_dtype {}, needs 1 (float32)", output));
  const Scales scales = scales_of(c, c.as_it_is(0).type);
  c.Node::require(
      !c.has(2) || c.as_it_is(2).type == scales.type,
      "has a zero point of another type than its input, needs " + std::string(name_of(scales.type)));
  const auto constant = [&](const Value& x) {
    c.require(x.count() > 0, "has an input without elements, needs one at least");
    c.set(QuantizedConstant{x, scales.quantization}, x.shape, DataType::Float32);
  };
  if (c.as_it_is(0).constant()) return constant(c.as_it_is(0));
  const graph::Quantization q = of_int8(c, scales);
  if (const auto* input = c.form<UnreadInput>(0)) return c.set(read_input(c, *input, q), DataType::Float32);
  if (const auto v = int8_tensor(c)) {
    if (equal(c.quantization(*v), q)) return c.set(*v, DataType::Float32);
    // Another scale than the one that the values were quantised with gives them another meaning.
    return c.set(
        c.add(c.name() + "/view", graph::Reshape{c.graph().tensor(v->id).shape}, {v->id}, q, v->perm),
        DataType::Float32);
  }
  const Value& x = c.in(0);
  x.constant() ? constant(x) : c.set(viewed(c, x, q), DataType::Float32);
}

}  // namespace vdla::import::integer
