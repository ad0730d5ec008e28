// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements.
#include "compiler/graph/ops_parts.h"

namespace vdla::graph::parts {

NodeExpr express(NodeBuilder& b, const Reshape&) {
  const Shape &in = b.shape(0), &out = b.output_shape();
  return b.take(expr::compute("out", out, [&](const std::vector<Value>& i) {
    Value flat = Value(0);
    for (std::size_t d = 0; d < out.size(); ++d) flat = d == 0 ? i[0] : flat * out[d] + i[d];
    std::vector<Value> source(in.size(), Value(0));
    for (std::size_t d = in.size(); d-- > 0;) {
      source[d] = d == 0 ? flat : floor_mod(flat, in[d]);
      flat = floor_div(flat, in[d]);
    }
    return at(b.input(0), source);
  }));
}

NodeExpr express(NodeBuilder& b, const Transpose& op) {
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    std::vector<Value> source(i.size(), Value(0));
    for (std::size_t d = 0; d < i.size(); ++d) source[static_cast<std::size_t>(op.perm[d])] = i[d];
    return at(b.input(0), source);
  }));
}

NodeExpr express(NodeBuilder& b, const Pad& op) {
  const Shape& in = b.shape(0);
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    std::vector<Value> source = i;
    Value valid = expr::bool_imm(true);
    for (std::size_t d = 0; d < i.size(); ++d) {
      if (op.before[d] == 0 && op.after[d] == 0) continue;
      source[d] = i[d] - op.before[d];
      valid = valid && inside(source[d], in[d]);
    }
    return select(valid, at(b.input(0), source), op.value);
  }));
}

NodeExpr express(NodeBuilder& b, const Concat& op) {
  const std::size_t rank = b.output_shape().size();
  const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + static_cast<int>(rank) : op.axis);
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    std::int64_t end = b.output_shape()[axis];
    Value result = Value(0);
    for (std::size_t n = b.node().inputs.size(); n-- > 0;) {
      const std::int64_t begin = end - b.shape(n)[axis];
      std::vector<Value> source = i;
      source[axis] = i[axis] - begin;
      const Value element = at(b.input(n), source);
      result = result.is_number() ? element : select(i[axis] < end, element, result);
      end = begin;
    }
    return result;
  }));
}

NodeExpr express(NodeBuilder& b, const Im2col& op) {
  const Shape& in = b.shape(0);
  return b.take(expr::compute("out", b.output_shape(), [&](Value n, Value y, Value x, Value element) {
    const Value tap = floor_div(element, in[3]);
    const Value iy = y * op.stride.h + floor_div(tap, op.kernel.w) * op.dilation.h - op.pads.top;
    const Value ix = x * op.stride.w + floor_mod(tap, op.kernel.w) * op.dilation.w - op.pads.left;
    const Value value = b.input(0)(n, iy, ix, floor_mod(element, in[3]));
    if (op.pads == Pads{}) return value;
    return select(inside(iy, in[1]) && inside(ix, in[2]), value, op.pad_value);
  }));
}

}  // namespace vdla::graph::parts
