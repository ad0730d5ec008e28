// SPDX-License-Identifier: Apache-2.0
// Pass: a reshape of a reshape reads the first one's input; a reshape to the same shape vanishes.
#include <optional>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/graph.h"

namespace vdla::graph {

namespace {

/// The end of a chain of two reshapes that has the values in between: a reshape to another scale or zero
/// point gives them another meaning. Nothing where neither end has them.
std::optional<TensorId> like_between(const Graph& g, TensorId first, TensorId between, TensorId last) {
  for (const TensorId end : {last, first})
    if (g.tensor(end).quantization == g.tensor(between).quantization) return end;
  return std::nullopt;
}

}  // namespace

Graph simplify_reshape(Graph graph) {
  const std::vector<NodeId> producer = producers(graph);
  // Nodes stand in order, so what a reshape reads is simple already.
  std::vector<TensorId> same(graph.tensors.size());
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<TensorId>(i);
  std::vector<Replaced> replaced;
  for (Node& node : graph.nodes) {
    for (TensorId& id : node.inputs)
      if (id != kNone) id = same[static_cast<std::size_t>(id)];
    if (!std::holds_alternative<Reshape>(node.op)) continue;
    const NodeId front = producer[static_cast<std::size_t>(node.inputs[0])];
    if (front != kNone && std::holds_alternative<Reshape>(graph.node(front).op)) {
      const TensorId first = graph.node(front).inputs[0];
      if (const auto like = like_between(graph, first, node.inputs[0], node.output)) {
        replaced.push_back({node.inputs[0], *like});
        node.inputs[0] = first;
      }
    }
    const Tensor &in = graph.tensor(node.inputs[0]), &out = graph.tensor(node.output);
    if (in.shape == out.shape && in.quantization == out.quantization) {
      replaced.push_back({node.output, node.inputs[0]});
      same[static_cast<std::size_t>(node.output)] = node.inputs[0];
    }
  }
  return drop_dead(std::move(graph), replaced);
}

}  // namespace vdla::graph
