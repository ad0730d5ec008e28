// SPDX-License-Identifier: Apache-2.0
// Operators over layouts for a CPU's vectors: channels in blocks, panels of columns.
#include "compiler/graph/ops_parts.h"

namespace vdla::graph {

expr::Tensor convolve_blocks(const ConvolveBlocks& op, const expr::Tensor& data,
                             const expr::Tensor& weights) {
  using expr::IterVar, expr::Tensor, expr::Value;
  const auto &x = data.shape(), &w = weights.shape();
  Extents before = op.before, after = op.after;
  before.push_back(0);
  after.push_back(0);
  const Tensor in = parts::bordered(data, before, after, expr::number(0, data.dtype()));
  const std::size_t kernel = op.depthwise ? 1 : 2;
  const IterVar r = expr::reduce_axis(w[kernel], "r"), s = expr::reduce_axis(w[kernel + 1], "s");
  const auto windows = [&](std::size_t d) {
    return (in.shape()[2 + d] - op.dilation[d] * (w[kernel + d] - 1) - 1) / op.stride[d] + 1;
  };
  const Shape shape = {x[0], w[0], windows(0), windows(1), w.back()};
  const auto row = [&](const Value& p) { return p * op.stride[0] + Value(r) * op.dilation[0]; };
  const auto column = [&](const Value& q) { return q * op.stride[1] + Value(s) * op.dilation[1]; };
  if (op.depthwise) {
    return expr::compute("sum", shape,
                         [&](Value n, Value k, Value p, Value q, Value lane) {
                           return expr::sum(in(n, k, row(p), column(q), lane) * weights(k, r, s, lane),
                                            {r, s});
                         },
                         {"n", "k", "p", "q", "kv"});
  }
  const IterVar rc = expr::reduce_axis(w[1], "rc"), rb = expr::reduce_axis(w[4], "rb");
  // Blocks of the weights in a block of the data.
  const std::int64_t parts = x[4] / w[4];
  return expr::compute(
      "sum", shape,
      [&](Value n, Value k, Value p, Value q, Value lane) {
        const Value block = parts == 1 ? Value(rc) : floor_div(rc, parts);
        const Value in_block = parts == 1 ? Value(rb) : floor_mod(rc, parts) * w[4] + Value(rb);
        return expr::sum(in(n, block, row(p), column(q), in_block) * weights(k, rc, r, s, rb, lane),
                         {rc, r, s, rb});
      },
      {"n", "k", "p", "q", "kv"});
}

namespace parts {

NodeExpr express(NodeBuilder& b, const BlockChannels& op) {
  const Shape& in = b.shape(0);
  return b.take(expr::compute("out", b.output_shape(), [&](Value n, Value k, Value h, Value w, Value lane) {
    const Value channel = k * op.block + lane;
    const Value element = b.input(0)(n, channel, h, w);
    if (in[1] % op.block == 0) return element;
    return select(channel < in[1], element, Value(expr::number(0, b.input(0).dtype())));
  }));
}

NodeExpr express(NodeBuilder& b, const UnblockChannels&) {
  const std::int64_t block = b.shape(0).back();
  return b.take(expr::compute("out", b.output_shape(), [&](Value n, Value c, Value h, Value w) {
    return b.input(0)(n, floor_div(c, block), h, w, floor_mod(c, block));
  }));
}

namespace {
/// A stage behind the sums, where a schedule brings them from registers to memory.
Tensor stored(const Tensor& sum) {
  return expr::compute("out", sum.shape(), [&](const std::vector<Value>& i) { return at(sum, i); });
}
}  // namespace

NodeExpr express(NodeBuilder& b, const ConvolveBlocks& op) {
  return b.take(stored(convolve_blocks(op, b.input(0), b.input(1))));
}

NodeExpr express(NodeBuilder& b, const MatMulPanels&) {
  const Shape &a = b.shape(0), &panels = b.shape(1);
  const IterVar k = expr::reduce_axis(a[1], "k");
  const Tensor sum = expr::compute("sum", {a[0], panels[0], panels[2]},
                                   [&](Value i, Value panel, Value j) {
                                     return expr::sum(b.input(0)(i, k) * b.input(1)(panel, k, j), {k});
                                   },
                                   {"m", "no", "ni"});
  return b.take(expr::compute("out", b.output_shape(), [&](Value i, Value j) {
    return sum(i, floor_div(j, panels[2]), floor_mod(j, panels[2]));
  }));
}

}  // namespace parts
}  // namespace vdla::graph
