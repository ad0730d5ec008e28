// SPDX-License-Identifier: Apache-2.0
// The operators of tensor_op.h that compute: map, fold, view, convolution, windows, matrix product.
#include "compiler/expr/visit.h"
#include "compiler/graph/ops_parts.h"
#include "support/error.h"

namespace vdla::graph::parts {

NodeExpr express(NodeBuilder& b, const Map& op) {
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    expr::Substitution values;
    for (std::size_t n = 0; n < op.arguments.size(); ++n)
      values[op.arguments[n]] = broadcast_element(b.input(n), i).expr();
    return Value(expr::substitute(op.body, values));
  }));
}

NodeExpr express(NodeBuilder& b, const Fold& op) {
  const Shape& in = b.shape(0);
  std::vector<IterVar> axes(in.size()), reduced;
  for (int a : op.axes) {
    const auto d = static_cast<std::size_t>(a);
    axes[d] = expr::reduce_axis(in[d], "k" + std::to_string(d));
    reduced.push_back(axes[d]);
  }
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    std::vector<Value> source;
    std::size_t next = 0;
    for (std::size_t d = 0; d < in.size(); ++d) {
      source.push_back(axes[d].defined() ? Value(axes[d]) : i[next]);
      if (!axes[d].defined() || op.keep_dims) ++next;
    }
    return Value(expr::reduce(op.reducer, at(b.input(0), source).expr(), reduced));
  }));
}

namespace {

/// offset + sum of step * i.
Value place(const Source& s, const std::vector<Value>& i) {
  Value result = Value(s.offset);
  for (std::size_t k = 0; k < i.size(); ++k)
    if (s.step[k] != 0) result = result + (s.step[k] == 1 ? i[k] : i[k] * s.step[k]);
  return result;
}

/// Into [0, extent), mirrored at both ends.
Value mirrored(const Value& i, std::int64_t extent) {
  const Value front = select(i < 0, 0 - i, i);
  return select(front >= extent, 2 * (extent - 1) - front, front);
}

/// The range of a source over the output's shape lies inside of the input's extent.
bool stays_inside(const Source& s, const Shape& out, std::int64_t extent) {
  std::int64_t low = s.offset, high = s.offset;
  for (std::size_t k = 0; k < out.size(); ++k) (s.step[k] < 0 ? low : high) += s.step[k] * (out[k] - 1);
  return low >= 0 && high < extent * s.spread;
}

}  // namespace

NodeExpr express(NodeBuilder& b, const View& op) {
  const Shape& in = b.shape(0);
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    std::vector<Value> source;
    Value valid = expr::bool_imm(true);
    for (std::size_t d = 0; d < in.size(); ++d) {
      const Source& s = op.source[d];
      Value v = place(s, i);
      const bool safe = stays_inside(s, op.shape, in[d]);
      if (op.outside == Outside::Fill) {
        if (!safe) valid = valid && inside(v, in[d] * s.spread);
        if (s.spread > 1) {
          valid = valid && floor_mod(v, s.spread) == 0;
          v = floor_div(v, s.spread);
        }
      } else if (op.outside == Outside::Edge && !safe) {
        v = clamp(v, 0, in[d] - 1);
      } else if (op.outside == Outside::Reflect && !safe) {
        v = mirrored(v, in[d]);
      }
      source.push_back(v);
    }
    const Value element = at(b.input(0), source);
    return op.outside == Outside::Fill ? select(valid, element, Value(op.fill)) : element;
  }));
}

namespace {

std::vector<IterVar> kernel_axes(const Extents& kernel) {
  std::vector<IterVar> axes;
  for (std::size_t d = 0; d < kernel.size(); ++d)
    axes.push_back(expr::reduce_axis(kernel[d], "k" + std::to_string(d)));
  return axes;
}

Value window_place(const Value& i, const IterVar& k, std::int64_t stride, std::int64_t dilation) {
  return i * stride + Value(k) * dilation;
}

}  // namespace

NodeExpr express(NodeBuilder& b, const Convolve& op) {
  const Shape &x = b.shape(0), &w = b.shape(1);
  const std::size_t rank = op.stride.size();
  const Tensor in = bordered(b.input(0), op.before, op.after, expr::number(0, b.input(0).dtype()));
  std::vector<IterVar> reduced = {expr::reduce_axis(w[1], "c")};
  const auto kernel = kernel_axes(Extents(w.begin() + 2, w.end()));
  reduced.insert(reduced.end(), kernel.begin(), kernel.end());
  const std::int64_t outputs_per_group = w[0] / op.groups, inputs_per_group = x[1] / op.groups;
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    const Value channel = Value(reduced[0]);
    std::vector<Value> from = {
        i[0], op.groups == 1 ? channel : floor_div(i[1], outputs_per_group) * inputs_per_group + channel};
    std::vector<Value> weight = {i[1], channel};
    for (std::size_t d = 0; d < rank; ++d) {
      from.push_back(window_place(i[2 + d], kernel[d], op.stride[d], op.dilation[d]));
      weight.push_back(kernel[d]);
    }
    return sum(at(in, from) * at(b.input(1), weight), reduced);
  }));
}

NodeExpr express(NodeBuilder& b, const ReduceWindow& op) {
  const std::size_t lead = b.shape(0).size() - op.kernel.size();
  const Tensor in = bordered(b.input(0), op.before, op.after, expr::identity(op.reducer, b.input(0).dtype()));
  const auto kernel = kernel_axes(op.kernel);
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    std::vector<Value> from = i;
    for (std::size_t d = 0; d < op.kernel.size(); ++d)
      from[lead + d] = window_place(i[lead + d], kernel[d], op.stride[d], op.dilation[d]);
    return Value(expr::reduce(op.reducer, at(in, from).expr(), kernel));
  }));
}

}  // namespace vdla::graph::parts
