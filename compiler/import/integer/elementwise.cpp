// SPDX-License-Identifier: Apache-2.0
// Sums, products, clamps, functions of one number, Softmax.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/graph/requant.h"
#include "compiler/graph/shape.h"
#include "compiler/import/integer/rules.h"
#include "compiler/import/lut.h"

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

void add(const Context& c) {
  if (join_affine(c)) return;
  const Operands o = operands(c);
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

void mul(const Context& c) {
  if (join_affine(c)) return;
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
  if (c.form<Deferred>(0)) return c.pass_on(c.shape(0), {narrowed, {}});
  const Quantized x = c.quantized(0);
  Deferred d;
  d.quantize = [c, x, narrowed](const Request& request) {
    const graph::Quantization from = c.quantization(x);
    const auto m = graph::multiplier_of(from.scale[0] / request.quantization.scale[0]);
    return c.add(c.name(), graph::Requantize{from.zero_point[0], stage(narrowed(request), {m}, {255})},
                 {x.id}, request.quantization, x.perm);
  };
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

template <double (*F)(double)>
void lookup(const Context& c, const std::string& function) {
  const Quantized x = c.quantized(0);
  Deferred d;
  d.quantize = [c, x, function](const Request& request) {
    c.require(request.low == -kInfinity && request.high == kInfinity,
              fmt::format("gives its result to a clamp from {} to {}, needs a QuantizeLinear", request.low,
                          request.high));
    return c.add(c.name(), make_lut(function, F, c.quantization(x), request.quantization), {x.id},
                 request.quantization, x.perm);
  };
  c.set(std::move(d), c.shape(0));
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

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double hard_swish_of(double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }
double tanh_of(double x) { return std::tanh(x); }
double exp_of(double x) { return std::exp(x); }
double gelu_of(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double softplus_of(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

void sigmoid(const Context& c) { lookup<sigmoid_of>(c, "logistic"); }
void hard_swish(const Context& c) { lookup<hard_swish_of>(c, "hard_swish"); }
void hyperbolic_tangent(const Context& c) { lookup<tanh_of>(c, "tanh"); }
void exponential(const Context& c) { lookup<exp_of>(c, "exp"); }
void softplus(const Context& c) { lookup<softplus_of>(c, "softplus"); }
void gelu(const Context& c) {
  const std::string by = c.text("approximate");
  c.require(by == "none", "has approximate '" + by + "', needs 'none'");
  lookup<gelu_of>(c, "gelu");
}

constexpr Rule kElementwiseRules[] = {
    {"Add", add},
    {"Clip", clip},
    {"Exp", exponential},
    {"Gelu", gelu},
    {"HardSwish", hard_swish},
    {"Mul", mul},
    {"Relu", relu},
    {"Sigmoid", sigmoid},
    {"Softmax", softmax},
    {"Softplus", softplus},
    {"Tanh", hyperbolic_tangent},
};

}  // namespace

std::span<const Rule> elementwise_rules() { return kElementwiseRules; }

}  // namespace vdla::import::integer
