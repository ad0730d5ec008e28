// SPDX-License-Identifier: Apache-2.0
// Operators whose output element comes from one element of each input.
#include <fmt/format.h>

#include <cmath>

#include "compiler/graph/ops_parts.h"
#include "compiler/graph/shape.h"
#include "compiler/graph/shape_inputs.h"

namespace vdla::graph::parts {
namespace {

template <class F>
NodeExpr elementwise(NodeBuilder& b, const F& f) {
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return f(broadcast_element(b.input(0), i), broadcast_element(b.input(1), i),
             i.empty() ? Value(0) : i.back());
  }));
}

}  // namespace

NodeExpr express(NodeBuilder& b, const Add& op) {
  return elementwise(b, [&](const Value& x, const Value& y, const Value& channel) {
    const Value left = multiply(op.a, (widen(x) - op.a_zero_point) << op.left_shift);
    const Value right = multiply(op.b, (widen(y) - op.b_zero_point) << op.left_shift);
    return b.finish(op.out, left + right, channel);
  });
}

NodeExpr express(NodeBuilder& b, const Mul& op) {
  return elementwise(b, [&](const Value& x, const Value& y, const Value& channel) {
    return b.finish(op.out, (widen(x) - op.a_zero_point) * (widen(y) - op.b_zero_point), channel);
  });
}

NodeExpr express(NodeBuilder& b, const Maximum&) {
  return elementwise(b, [](const Value& x, const Value& y, const Value&) { return maximum(x, y); });
}

NodeExpr express(NodeBuilder& b, const Minimum&) {
  return elementwise(b, [](const Value& x, const Value& y, const Value&) { return minimum(x, y); });
}

NodeExpr express(NodeBuilder& b, const Requantize& op) {
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return b.finish(op.out, widen(at(b.input(0), i)) - op.input_zero_point, i.empty() ? Value(0) : i.back());
  }));
}

NodeExpr express(NodeBuilder& b, const Quantize& op) {
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    const Value scaled = at(b.input(0), i) / static_cast<double>(op.scale);
    const Value steps = expr::call(expr::Function::Round, {scaled.expr()});
    const Value limited = clamp(steps + static_cast<double>(op.zero_point), -128.0, 127.0);
    return narrow(cast(DType::I32, limited));
  }));
}

NodeExpr express(NodeBuilder& b, const Dequantize& op) {
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return cast(DType::F32, widen(at(b.input(0), i)) - op.zero_point) * static_cast<double>(op.scale);
  }));
}

NodeExpr express(NodeBuilder& b, const Lut& op) {
  const Tensor table = b.parameter("table", std::vector<std::int8_t>(op.table.begin(), op.table.end()));
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return table(cast(expr::kIndex, at(b.input(0), i)) + 128);
  }));
}

}  // namespace vdla::graph::parts

namespace vdla::graph::shapes {
namespace {

TensorType of_two(const Inputs& in) {
  in.count(2, 2);
  return {DataType::Int8, broadcast(in.typed(0, DataType::Int8).shape, in.typed(1, DataType::Int8).shape)};
}

void require_scale(float scale, const Inputs& in) {
  in.require(std::isfinite(scale) && scale > 0,
             fmt::format("has a scale of {}, needs a positive number", scale));
}

}  // namespace

TensorType of(const Add& op, const Inputs& in) {
  in.stage(op.out, 1);
  return of_two(in);
}
TensorType of(const Mul& op, const Inputs& in) {
  in.stage(op.out, 1);
  return of_two(in);
}
TensorType of(const Maximum&, const Inputs& in) { return of_two(in); }
TensorType of(const Minimum&, const Inputs& in) { return of_two(in); }

TensorType of(const Requantize& op, const Inputs& in) {
  in.count(1, 1);
  in.stage(op.out, in.at(0).shape.empty() ? 1 : in.at(0).shape.back());
  return {DataType::Int8, in.typed(0, DataType::Int8).shape};
}
TensorType of(const Quantize& op, const Inputs& in) {
  in.count(1, 1);
  require_scale(op.scale, in);
  return {DataType::Int8, in.typed(0, DataType::Float32).shape};
}
TensorType of(const Dequantize& op, const Inputs& in) {
  in.count(1, 1);
  require_scale(op.scale, in);
  return {DataType::Float32, in.typed(0, DataType::Int8).shape};
}
TensorType of(const Lut&, const Inputs& in) {
  in.count(1, 1);
  return {DataType::Int8, in.typed(0, DataType::Int8).shape};
}

}  // namespace vdla::graph::shapes
