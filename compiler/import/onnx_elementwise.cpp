// SPDX-License-Identifier: Apache-2.0
// Add, Mul, activations, Softmax, ArgMax.
#include <algorithm>
#include <cmath>

#include "compiler/graph/requant.h"
#include "compiler/graph/shape.h"
#include "compiler/import/lut.h"
#include "compiler/import/onnx_builder.h"

namespace vdla::import::onnx_model {
namespace {

/// Both operands of a broadcasting operator, stored in the same order.
struct Operands {
  Quantized a, b;
  graph::Shape shape;  ///< of the result, in the model's order
};

/// Input i with leading dimensions of extent 1 up to `rank`.
Quantized ranked(const NodeContext& c, int i, std::size_t rank) {
  Quantized v = c.quantized(i);
  graph::Shape shape = c.builder().model_shape(v);
  if (shape.size() == rank) return v;
  v = c.builder().stored_as(v, identity_perm(shape.size()), c.name());
  shape.insert(shape.begin(), rank - shape.size(), 1);
  return c.builder().add(c.name() + "/rank", graph::Reshape{shape}, {v.id}, c.builder().quantization(v),
                         identity_perm(rank));
}

Operands operands(const NodeContext& c) {
  const graph::Shape a = c.shape(0), b = c.shape(1);
  Operands o{{}, {}, graph::broadcast(a, b)};
  o.a = ranked(c, 0, o.shape.size());
  o.b = ranked(c, 1, o.shape.size());
  // The bigger one keeps its order.
  if (graph::element_count(a) >= graph::element_count(b))
    o.b = c.builder().stored_as(o.b, o.a.perm, c.name());
  else
    o.a = c.builder().stored_as(o.a, o.b.perm, c.name());
  return o;
}

/// A constant added to a dense layer before its QuantizeLinear is its bias.
bool join_bias(const NodeContext& c) {
  for (int i : {0, 1}) {
    const auto* deferred = std::get_if<Deferred>(&c.input(i));
    const auto* constant = std::get_if<Constant>(&c.input(1 - i));
    if (!deferred || !constant || !deferred->biases) continue;
    if (graph::element_count(constant->shape) != deferred->shape.back()) continue;
    deferred->biases->push_back(*constant);
    c.set_output(*deferred);
    return true;
  }
  return false;
}

void add(const NodeContext& c) {
  if (join_bias(c)) return;
  const Operands o = operands(c);
  Deferred d{o.shape, c.what(), {}, {}, {}};
  d.quantize = [c, o](const Request& request) {
    const graph::Quantization a = c.builder().quantization(o.a), b = c.builder().quantization(o.b);
    graph::Add op;
    const auto m =
        graph::add_multipliers(a.scale[0], b.scale[0], request.quantization.scale[0], op.left_shift);
    op.a_zero_point = a.zero_point[0];
    op.b_zero_point = b.zero_point[0];
    op.a = m.a;
    op.b = m.b;
    op.out = stage(request, {m.out});
    return c.builder().add(c.name(), std::move(op), {o.a.id, o.b.id}, request.quantization, o.a.perm);
  };
  c.set_output(std::move(d));
}

void mul(const NodeContext& c) {
  const Operands o = operands(c);
  Deferred d{o.shape, c.what(), {}, {}, {}};
  d.quantize = [c, o](const Request& request) {
    const graph::Quantization a = c.builder().quantization(o.a), b = c.builder().quantization(o.b);
    const auto m = graph::multiplier_of(a.scale[0] * b.scale[0] / request.quantization.scale[0]);
    graph::Mul op{a.zero_point[0], b.zero_point[0], stage(request, {m}, {255 * 255})};
    return c.builder().add(c.name(), std::move(op), {o.a.id, o.b.id}, request.quantization, o.a.perm);
  };
  c.set_output(std::move(d));
}

/// Limits a value: narrows the clamp of the operator in front, or becomes a requantisation of its own.
void limit(const NodeContext& c, double low, double high) {
  if (const auto* front = std::get_if<Deferred>(&c.input(0))) {
    const auto narrowed = [low, high](const Request& r) {
      return Request{r.quantization, std::max(low, r.low), std::min(high, r.high)};
    };
    return c.set_output(behind(c, *front, front->shape, {narrowed, {}}));
  }
  const Quantized x = c.quantized(0);
  Deferred d{c.shape(0), c.what(), {}, {}, {}};
  d.quantize = [c, x, low, high](const Request& request) {
    const graph::Quantization from = c.builder().quantization(x);
    const Request narrowed{request.quantization, std::max(low, request.low), std::min(high, request.high)};
    const auto m = graph::multiplier_of(from.scale[0] / request.quantization.scale[0]);
    return c.builder().add(c.name(), graph::Requantize{from.zero_point[0], stage(narrowed, {m}, {255})},
                           {x.id}, request.quantization, x.perm);
  };
  c.set_output(std::move(d));
}

void relu(const NodeContext& c) { limit(c, 0, std::numeric_limits<double>::infinity()); }

void clip(const NodeContext& c) {
  const auto bound = [&](int i, const char* attribute, double otherwise) {
    if (!c.has(i)) return c.real(attribute, otherwise);
    const std::vector<double> bound = c.constant(i).reals();
    c.require(bound.size() == 1, "has a bound of " + std::to_string(bound.size()) + " numbers, needs one");
    return bound[0];
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  limit(c, bound(1, "min", -kInfinity), bound(2, "max", kInfinity));
}

void lookup(const NodeContext& c, const std::string& function, double (*f)(double)) {
  const Quantized x = c.quantized(0);
  Deferred d{c.shape(0), c.what(), {}, {}, {}};
  d.quantize = [c, x, function, f](const Request& request) {
    return c.builder().add(c.name(), make_lut(function, f, c.builder().quantization(x), request.quantization),
                           {x.id}, request.quantization, x.perm);
  };
  c.set_output(std::move(d));
}

/// int8 where a QuantizeLinear follows, float32 where the network ends with it.
void softmax(const NodeContext& c) {
  const graph::Shape shape = c.shape(0);
  const std::int64_t axis = c.integer("axis", -1);
  c.require(axis == -1 || axis == static_cast<std::int64_t>(shape.size()) - 1, "needs the last axis");
  const Quantized x = c.builder().stored_as(c.quantized(0), identity_perm(shape.size()), c.name());
  Deferred d{shape, c.what(), {}, {}, {}};
  d.quantize = [c, x](const Request& request) {
    const graph::Quantization own{{1.0 / 256}, {-128}, -1};
    const Quantized out = c.builder().add(
        c.name(), graph::softmax_parameters(1, c.builder().quantization(x).scale[0]), {x.id}, own, x.perm);
    const graph::Quantization& to = request.quantization;
    if (to.scale == own.scale && to.zero_point == own.zero_point) return out;
    graph::Requantize op{-128, stage(request, {graph::multiplier_of(own.scale[0] / to.scale[0])}, {255})};
    return c.builder().add(c.name() + "/scale", std::move(op), {out.id}, to, x.perm);
  };
  d.as_float = [c, x] {
    const graph::Quantization q = c.builder().quantization(x);
    const Quantized real = c.builder().add(c.name() + "/dequantize",
                                           graph::Dequantize{static_cast<float>(q.scale[0]), q.zero_point[0]},
                                           {x.id}, {}, x.perm);
    return c.builder().add(c.name(), graph::SoftmaxFloat{}, {real.id}, {}, x.perm).id;
  };
  c.set_output(std::move(d));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double hard_swish(double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }
double tanh_of(double x) { return std::tanh(x); }
double exp_of(double x) { return std::exp(x); }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double softplus(double x) { return std::log1p(std::exp(x)); }

}  // namespace

bool import_elementwise(const NodeContext& c) {
  const std::string& op = c.proto().op_type();
  if (op == "Add") return add(c), true;
  if (op == "Mul") return mul(c), true;
  if (op == "Relu") return relu(c), true;
  if (op == "Clip") return clip(c), true;
  if (op == "Softmax") return softmax(c), true;
  if (op == "Sigmoid") return lookup(c, "logistic", sigmoid), true;
  if (op == "Tanh") return lookup(c, "tanh", tanh_of), true;
  if (op == "HardSwish") return lookup(c, "hard_swish", hard_swish), true;
  if (op == "Exp") return lookup(c, "exp", exp_of), true;
  if (op == "Gelu") return lookup(c, "gelu", gelu), true;
  if (op == "Softplus") return lookup(c, "softplus", softplus), true;
  return false;
}

}  // namespace vdla::import::onnx_model
