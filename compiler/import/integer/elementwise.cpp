// SPDX-License-Identifier: Apache-2.0
// Sums, differences, products, extremes, clamps, Softmax.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/graph/requant.h"
#include "compiler/graph/shape.h"
#include "compiler/import/integer/rules.h"

namespace vdla::import::integer {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Both operands of a broadcasting operator, stored in the same order.
struct Operands {
  Quantized a, b;
  Shape shape;  ///< shape of the result, in the model's order
};

/// Input i with leading dimensions of extent 1 up to `rank`.
Quantized ranked(const Context& c, int i, std::size_t rank) {
  Quantized v = c.quantized(i);
  Shape shape = c.model_shape(v);
  if (shape.size() == rank) return v;
  v = c.stored_as(v, identity_perm(shape.size()), c.name());
  shape.insert(shape.begin(), rank - shape.size(), 1);
  return c.add(c.name() + "/rank", graph::Reshape{shape}, {v.id}, c.quantization(v), identity_perm(rank));
}

Operands operands(const Context& c) {
  c.require(!c.is_constant(0) || !c.is_constant(1), "reads constants alone, needs a computed value");
  const Shape a = c.shape(0), b = c.shape(1);
  Operands o{{}, {}, graph::broadcast(a, b)};
  o.a = ranked(c, 0, o.shape.size());
  o.b = ranked(c, 1, o.shape.size());
  // The larger one keeps its order.
  if (graph::element_count(a) >= graph::element_count(b))
    o.b = c.stored_as(o.b, o.a.perm, c.name());
  else
    o.a = c.stored_as(o.a, o.b.perm, c.name());
  return o;
}

void set_sum(const Context& c, const Operands& o) {
  Deferred d;
  d.quantize = [c, o](const Request& request) {
    const graph::Quantization a = c.quantization(o.a), b = c.quantization(o.b);
    graph::Add op;
    const auto m =
        graph::add_multipliers(a.scale[0], b.scale[0], request.quantization.scale[0], op.left_shift);
    op.a_zero_point = a.zero_point[0];
    op.b_zero_point = b.zero_point[0];
    op.a = m.a;
    op.b = m.b;
    op.out = stage(request, {m.out});
    return c.add(c.name(), std::move(op), {o.a.id, o.b.id}, request.quantization, o.a.perm);
  };
  c.set(std::move(d), o.shape);
}

void add(const Context& c) {
  if (join_affine(c) || set_function(c)) return;
  set_sum(c, operands(c));
}

/// -x without an error: each element q becomes -1 - q, and so does the zero point. An image's is a layer, as
/// the device has none that subtracts.
Quantized negated(const Context& c, const Quantized& x) {
  const graph::Quantization from = c.quantization(x);
  const graph::Quantization to{from.scale, {-1 - from.zero_point[0]}, -1};
  const std::string name = c.name() + "/negative";
  if (x.perm != nhwc_perm()) {
    graph::Lut lut{"neg", {}};
    for (std::size_t i = 0; i < lut.table.size(); ++i)
      lut.table[i] = static_cast<std::int8_t>(127 - static_cast<int>(i));
    return c.add(name, std::move(lut), {x.id}, to, x.perm);
  }
  const std::int64_t channels = c.graph().tensor(x.id).shape.back();
  const graph::TensorId weights = c.graph().add_constant(
      name + "/weights", DataType::Int8, {1, 1, 1, channels},
      graph::to_bytes(std::vector<std::int8_t>(static_cast<std::size_t>(channels), -1)), {{1}, {0}, -1}, {});
  graph::DepthwiseConv2d op;
  op.input_zero_point = from.zero_point[0];
  op.out = stage(Request{to}, {graph::multiplier_of(1)}, {255});
  return c.add(name, std::move(op), {x.id, weights, graph::kNone}, to, x.perm);
}

void sub(const Context& c) {
  if (join_affine(c) || set_function(c)) return;
  Operands o = operands(c);
  o.b = negated(c, o.b);
  set_sum(c, o);
}

/// The larger, or smaller, of tensors in the result's scale.
template <class Op>
void extreme(const Context& c) {
  if (set_function(c)) return;
  c.require(c.inputs() == 2, fmt::format("has {} inputs, needs 2", c.inputs()));
  const Operands o = operands(c);
  Deferred d;
  d.quantize = [c, o](const Request& request) {
    const Quantized a = in_scale(c, o.a, request), b = in_scale(c, o.b, request);
    return c.add(c.name(), Op{}, {a.id, b.id}, request.quantization, o.a.perm);
  };
  c.set(std::move(d), o.shape);
}

void mul(const Context& c) {
  if (join_affine(c) || set_function(c)) return;
  const Operands o = operands(c);
  Deferred d;
  d.quantize = [c, o](const Request& request) {
    const graph::Quantization a = c.quantization(o.a), b = c.quantization(o.b);
    const auto m = graph::multiplier_of(a.scale[0] * b.scale[0] / request.quantization.scale[0]);
    graph::Mul op{a.zero_point[0], b.zero_point[0], stage(request, {m}, {255 * 255})};
    return c.add(c.name(), std::move(op), {o.a.id, o.b.id}, request.quantization, o.a.perm);
  };
  c.set(std::move(d), o.shape);
}

/// Limits a value: narrows the clamp of the layer before it, or becomes a requantisation.
void limit(const Context& c, double low, double high) {
  const auto narrowed = [low, high](const Request& r) {
    return Request{r.quantization, std::clamp(low, r.low, r.high), std::clamp(high, r.low, r.high)};
  };
  if (c.form<Deferred>(0)) return c.pass_on(c.shape(0), {narrowed, {}}, {}, element_function(c));
  const Quantized x = c.quantized(0);
  Deferred d;
  d.quantize = [c, x, narrowed](const Request& request) {
    const graph::Quantization from = c.quantization(x);
    const auto m = graph::multiplier_of(from.scale[0] / request.quantization.scale[0]);
    return c.add(c.name(), graph::Requantize{from.zero_point[0], stage(narrowed(request), {m}, {255})},
                 {x.id}, request.quantization, x.perm);
  };
  d.function = element_function(c);
  c.set(std::move(d), c.shape(0));
}

void relu(const Context& c) { limit(c, 0, kInfinity); }

void clip(const Context& c) {
  const auto bound = [&](int i, const char* attribute, double otherwise) {
    if (!c.has(i)) return c.real(attribute, otherwise);
    const std::vector<double> bound = c.reals(i);
    c.require(bound.size() == 1, fmt::format("has a {} of {} numbers, needs one", attribute, bound.size()));
    return bound[0];
  };
  const double low = bound(1, "min", -kInfinity), high = bound(2, "max", kInfinity);
  c.require(low <= high, fmt::format("has min {} and max {}, needs a min that is not larger", low, high));
  limit(c, low, high);
}

/// int8 where a QuantizeLinear follows, float32 where the network ends with it.
void softmax(const Context& c) {
  const Shape& shape = c.shape(0);
  const std::size_t axis = c.axis(c.integer("axis"), shape.size());
  c.require(axis + 1 == shape.size(),
            fmt::format("is along axis {} of {} dimensions, needs the last", axis, shape.size()));
  const Quantized x = c.stored_as(c.quantized(0), identity_perm(shape.size()), c.name());
  Deferred d;
  d.quantize = [c, x](const Request& request) {
    const graph::Quantization own{{1.0 / 256}, {-128}, -1};
    const Quantized out =
        c.add(c.name(), graph::softmax_parameters(1, c.quantization(x).scale[0]), {x.id}, own, x.perm);
    const graph::Quantization& to = request.quantization;
    // The sum of both roundings stays below one step of the output.
    c.require(1.8 * to.scale[0] >= own.scale[0],
              fmt::format("has an output in steps of {:.6g}, needs {:.6g} at least", to.scale[0],
                          own.scale[0] / 1.8));
    const bool clamped = request.low > -kInfinity || request.high < kInfinity;
    if (!clamped && to.scale == own.scale && to.zero_point == own.zero_point) return out;
    graph::Requantize op{-128, stage(request, {graph::multiplier_of(own.scale[0] / to.scale[0])}, {255})};
    return c.add(c.name() + "/scale", std::move(op), {out.id}, to, x.perm);
  };
  d.as_float = [c, x] {
    const graph::Quantization q = c.quantization(x);
    const Quantized real =
        c.add(c.name() + "/dequantize", graph::Dequantize{static_cast<float>(q.scale[0]), q.zero_point[0]},
              {x.id}, {}, x.perm);
    return c.add(c.name(), graph::SoftmaxFloat{}, {real.id}, {}, x.perm).id;
  };
  c.set(std::move(d), shape);
}

constexpr Rule kElementwiseRules[] = {
    {"Add", add},
    {"Clip", clip},
    {"Max", extreme<graph::Maximum>},
    {"Min", extreme<graph::Minimum>},
    {"Mul", mul},
    {"Relu", relu},
    {"Softmax", softmax},
    {"Sub", sub},
};

}  // namespace

std::span<const Rule> elementwise_rules() { return kElementwiseRules; }

}  // namespace vdla::import::integer
