// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/pack_taps.h"

#include <algorithm>

#include "compiler/graph/shape.h"
#include "support/error.h"

namespace vdla::graph {

namespace {

/// Makes `conv` one over the packed image; returns the node for its front.
Node split(Graph& g, Node& conv, Packing packing) {
  const auto& op = std::get<Conv2d>(conv.op);
  VDLA_CHECK(op.groups == 1) << "'" << conv.name << "' has " << op.groups << " groups";
  const Tensor weights = g.tensor(conv.inputs[1]);
  const Shape& w = weights.shape;
  Im2col windows{{w[1], w[2]}, op.stride, op.dilation, op.pads, op.input_zero_point};
  Conv2d rest = op;
  rest.stride.w = rest.dilation.w = 1;
  rest.pads.left = rest.pads.right = 0;
  Shape weights_left = {w[0], w[1], 1, w[2] * w[3]};
  if (packing == Packing::Windows) {
    rest.stride = rest.dilation = {};
    rest.pads = {};
    weights_left = {w[0], 1, 1, w[1] * w[2] * w[3]};
  } else {
    windows.kernel.h = windows.stride.h = windows.dilation.h = 1;
    windows.pads.top = windows.pads.bottom = 0;
  }
  Node taps{conv.name + "/taps", windows, {conv.inputs[0]}, kNone};
  TensorType type = infer(g, taps.name, taps.op, taps.inputs);
  taps.output = g.add_tensor(
      {taps.name, type.type, std::move(type.shape), g.tensor(conv.inputs[0]).quantization, nullptr});
  conv.op = rest;
  // OHWI, O11I with all of a window as I and OH1I with a row of it are the same bytes.
  conv.inputs[0] = taps.output;
  conv.inputs[1] =
      g.add_constant(weights.name, weights.type, std::move(weights_left), weights.data, weights.quantization);
  return taps;
}

}  // namespace

Graph pack_taps(Graph graph, std::span<const PackedNode> convolutions) {
  std::vector<Node> nodes = std::move(graph.nodes), result;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto chosen = std::ranges::find(convolutions, static_cast<NodeId>(i), &PackedNode::convolution);
    if (chosen != convolutions.end()) result.push_back(split(graph, nodes[i], chosen->packing));
    result.push_back(std::move(nodes[i]));
  }
  graph.nodes = std::move(result);
  return graph;
}

}  // namespace vdla::graph
