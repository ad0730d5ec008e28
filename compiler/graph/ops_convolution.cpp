// SPDX-License-Identifier: Apache-2.0
// Convolutions and dense layers: sums of (x - zx) * (w - zw) in int32, plus bias, through the output stage.
#include "compiler/graph/ops_parts.h"

namespace vdla::graph::parts {
namespace {

/// Input pixel (y, x) as int32 less its zero point; 0 in the padding.
Value pixel(const Tensor& in, std::int32_t zero_point, const Value& n, const Value& y, const Value& x,
            const Value& c, const Pads& pads) {
  const Value element = widen(in(n, y, x, c)) - zero_point;
  if (pads == Pads{}) return element;
  return select(inside(y, in.shape()[1]) && inside(x, in.shape()[2]), element, 0);
}

/// Adds the bias where there is one, then the output stage.
NodeExpr finish_channels(NodeBuilder& b, const Tensor& acc, const OutputStage& stage) {
  Tensor out = expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    Value sum = at(acc, i);
    if (b.has(2)) sum = sum + b.input(2)(i.back());
    return b.finish(stage, sum, i.back());
  });
  return b.take(std::move(out));
}

Value weight(const Value& element, std::int32_t zero_point) {
  return zero_point == 0 ? widen(element) : widen(element) - zero_point;
}

}  // namespace

NodeExpr express(NodeBuilder& b, const Conv2d& op) {
  const Shape& w = b.shape(1);
  const std::int64_t outputs_per_group = w[0] / op.groups;
  const IterVar ky = expr::reduce_axis(w[1], "ky"), kx = expr::reduce_axis(w[2], "kx"),
                ki = expr::reduce_axis(w[3], "ki");
  const Tensor acc = expr::compute("acc", b.output_shape(), [&](Value n, Value y, Value x, Value o) {
    const Value iy = y * op.stride.h + Value(ky) * op.dilation.h - op.pads.top;
    const Value ix = x * op.stride.w + Value(kx) * op.dilation.w - op.pads.left;
    const Value c = op.groups == 1 ? Value(ki) : floor_div(o, outputs_per_group) * w[3] + Value(ki);
    return sum(pixel(b.input(0), op.input_zero_point, n, iy, ix, c, op.pads) *
                   weight(b.input(1)(o, ky, kx, ki), op.weight_zero_point),
               {ky, kx, ki});
  });
  return finish_channels(b, acc, op.out);
}

NodeExpr express(NodeBuilder& b, const DepthwiseConv2d& op) {
  const Shape& w = b.shape(1);
  const std::int64_t outputs_per_input = w[3] / b.shape(0)[3];
  const IterVar ky = expr::reduce_axis(w[1], "ky"), kx = expr::reduce_axis(w[2], "kx");
  const Tensor acc = expr::compute("acc", b.output_shape(), [&](Value n, Value y, Value x, Value o) {
    const Value iy = y * op.stride.h + Value(ky) * op.dilation.h - op.pads.top;
    const Value ix = x * op.stride.w + Value(kx) * op.dilation.w - op.pads.left;
    const Value c = outputs_per_input == 1 ? o : floor_div(o, outputs_per_input);
    return sum(pixel(b.input(0), op.input_zero_point, n, iy, ix, c, op.pads) *
                   weight(b.input(1)(0, ky, kx, o), op.weight_zero_point),
               {ky, kx});
  });
  return finish_channels(b, acc, op.out);
}

NodeExpr express(NodeBuilder& b, const FullyConnected& op) {
  const IterVar k = expr::reduce_axis(b.shape(1)[1], "k");
  const Tensor acc = expr::compute("acc", b.output_shape(), [&](const std::vector<Value>& i) {
    std::vector<Value> source = i;
    source.back() = Value(k);
    return sum((widen(at(b.input(0), source)) - op.input_zero_point) *
                   weight(b.input(1)(i.back(), k), op.weight_zero_point),
               {k});
  });
  return finish_channels(b, acc, op.out);
}

}  // namespace vdla::graph::parts
