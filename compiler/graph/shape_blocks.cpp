// SPDX-License-Identifier: Apache-2.0
// Shapes of the operators over blocked layouts.
#include "compiler/graph/shape_inputs.h"
#include "support/ceil_div.h"

namespace vdla::graph::shapes {
namespace {

const Tensor& ranked(const Inputs& in, std::size_t i, std::size_t rank) {
  return in.ranked(i, in.at(0).type, rank);
}

}  // namespace

TensorType of(const BlockChannels& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = ranked(in, 0, 4).shape;
  in.require(op.block > 0,
             "has blocks of " + std::to_string(op.block) + " channels, needs a positive number");
  return {in.at(0).type, {x[0], ceil_div(x[1], op.block), x[2], x[3], op.block}};
}

TensorType of(const UnblockChannels& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = ranked(in, 0, 5).shape;
  in.require(ceil_div(op.channels, x[4]) <= x[1],
             "takes " + std::to_string(op.channels) + " channels out of " + to_string(x));
  return {in.at(0).type, {x[0], op.channels, x[2], x[3]}};
}

TensorType of(const ConvolveBlocks& op, const Inputs& in) {
  in.count(2, 2);
  const Shape &x = ranked(in, 0, 5).shape, &w = ranked(in, 1, op.depthwise ? 4 : 6).shape;
  const std::size_t kernel = op.depthwise ? 1 : 2;
  for (const Extents* e : {&op.stride, &op.dilation, &op.before, &op.after})
    in.require(e->size() == 2,
               "has " + std::to_string(e->size()) + " entries in stride, dilation or padding, needs 2");
  in.require(ceil_div(op.in_channels, x[4]) <= x[1] && ceil_div(op.out_channels, w.back()) <= w[0],
             "has " + std::to_string(op.in_channels) + " channels in and " + std::to_string(op.out_channels) +
                 " out, which its data " + to_string(x) + " and weights " + to_string(w) + " do not fit");
  if (op.depthwise) {
    in.require(w[0] <= x[1] && w[3] == x[4], "weights " + to_string(w) + " do not fit data " + to_string(x));
  } else {
    in.require(x[4] % w[4] == 0 && w[1] * w[4] == op.in_channels,
               "weights " + to_string(w) + " do not fit data " + to_string(x));
  }
  Shape out = {x[0], w[0], 0, 0, w.back()};
  for (std::size_t d = 0; d < 2; ++d) {
    in.strides({op.stride[d]});
    in.dilations({op.dilation[d]});
    in.paddings({op.before[d], op.after[d]});
    out[2 + d] =
        window_count(x[2 + d], op.before[d] + op.after[d], w[kernel + d], op.stride[d], op.dilation[d]);
    in.require(out[2 + d] > 0,
               "kernel of weights " + to_string(w) + " does not fit its padded input " + to_string(x));
  }
  return {in.at(0).type, out};
}

TensorType of(const MatMulPanels& op, const Inputs& in) {
  in.count(2, 2);
  const Shape &a = ranked(in, 0, 2).shape, &b = ranked(in, 1, 3).shape;
  in.require(a[1] == b[1] && ceil_div(op.columns, b[2]) == b[0], "cannot multiply " + to_string(a) +
                                                                     " with panels " + to_string(b) + " of " +
                                                                     std::to_string(op.columns) + " columns");
  return {in.at(0).type, {a[0], op.columns}};
}

}  // namespace vdla::graph::shapes
