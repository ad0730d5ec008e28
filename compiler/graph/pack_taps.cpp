// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/pack_taps.h"

#include <algorithm>

#include "compiler/graph/shape.h"
#include "support/error.h"

namespace vdla::graph {

namespace {

/// Makes `conv` one of 1x1; returns the node for its front.
Node split(Graph& g, Node& conv) {
  auto& op = std::get<Conv2d>(conv.op);
  VDLA_CHECK(op.groups == 1) << "'" << conv.name << "' has " << op.groups << " groups";
  const Tensor weights = g.tensor(conv.inputs[1]);
  const Shape& w = weights.shape;
  Node taps{conv.name + "/taps",
            Im2col{{w[1], w[2]}, op.stride, op.dilation, op.pads, op.input_zero_point},
            {conv.inputs[0]},
            kNone};
  TensorType type = infer(g, taps.name, taps.op, taps.inputs);
  taps.output = g.add_tensor(
      {taps.name, type.type, std::move(type.shape), g.tensor(conv.inputs[0]).quantization, nullptr});
  op.stride = op.dilation = {};
  op.pads = {};
  // OHWI and O11I with all of a window as I are the same bytes.
  conv.inputs[0] = taps.output;
  conv.inputs[1] = g.add_constant(weights.name, weights.type, {w[0], 1, 1, w[1] * w[2] * w[3]}, weights.data,
                                  weights.quantization);
  return taps;
}

}  // namespace

Graph pack_taps(Graph graph, std::span<const NodeId> convolutions) {
  std::vector<Node> nodes = std::move(graph.nodes), result;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (std::find(convolutions.begin(), convolutions.end(), static_cast<NodeId>(i)) != convolutions.end())
      result.push_back(split(graph, nodes[i]));
    result.push_back(std::move(nodes[i]));
  }
  graph.nodes = std::move(result);
  return graph;
}

}  // namespace vdla::graph
