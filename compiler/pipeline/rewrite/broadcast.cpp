// SPDX-License-Identifier: Apache-2.0
// Operands that broadcast, as the device takes them: it adds and compares images of equal size, and
// multiplies an image by one of its size or by one number for each channel.
#include <array>

#include "compiler/graph/graph.h"
#include "compiler/options/options.h"
#include "compiler/pipeline/rewrite/nodes_in_front.h"

namespace vdla::pipeline {

namespace {

bool may_broadcast(const graph::Node& node) {
  return std::holds_alternative<graph::Add>(node.op) || std::holds_alternative<graph::Maximum>(node.op) ||
         std::holds_alternative<graph::Minimum>(node.op) || std::holds_alternative<graph::Mul>(node.op);
}

/// Whether the device takes operand `i` as one number for each channel. A sum takes constants at full size:
/// then a convolution in front of it can add them.
bool takes_channels(const graph::Graph& g, const graph::Node& node, std::size_t i, std::int64_t batch) {
  return std::holds_alternative<graph::Mul>(node.op) ||
         (std::holds_alternative<graph::Add>(node.op) && batch == 1 && !g.tensor(node.inputs[i]).constant());
}

/// The shape in which the node's operand `i` is wanted.
graph::Shape wanted(const graph::Graph& g, const graph::Node& node, std::size_t i, std::int64_t batch) {
  const graph::Shape &out = g.tensor(node.output).shape, &other = g.tensor(node.inputs[1 - i]).shape;
  const graph::Shape& own = g.tensor(node.inputs[i]).shape;
  if (!takes_channels(g, node, i, batch) || other != out || out.empty()) return out;
  const std::int64_t count = graph::element_count(own);
  if (count == out.back() && !own.empty() && own.back() == count) return own;
  graph::Shape channels(out.size(), 1);
  channels.back() = out.back();
  return count == 1 ? channels : out;
}

/// Shows `from` at the size of `to`.
graph::View widening(const graph::Shape& from, const graph::Shape& to) {
  graph::View view;
  view.shape = to;
  for (std::size_t d = 0; d < from.size(); ++d) {
    graph::Source source{0, graph::Extents(to.size()), 1};
    source.step[to.size() - from.size() + d] = from[d] == 1 ? 0 : 1;
    view.source.push_back(std::move(source));
  }
  return view;
}

}  // namespace

/// The graph with a view, named after the node with "/a" or "/b" behind it, in front of each operand of sums,
/// maxima, minima and products that is smaller than the device takes it; of a constant with the larger
/// constant. Nodes kept off the device stay as they are.
graph::Graph broadcast_operands(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off) {
  if (!options.use_device) return graph;
  return add_in_front(std::move(graph), [&](graph::Graph& g, graph::Node& node, graph::FreeNames& free_name) {
    if (!may_broadcast(node) || kept_off.contains(node.name)) return false;
    bool changed = false;
    const std::int64_t batch = options.variant.geometry.batch;
    const std::array shapes{wanted(g, node, 0, batch), wanted(g, node, 1, batch)};
    for (std::size_t i : {0, 1}) {
      const graph::Tensor operand = g.tensor(node.inputs[i]);
      if (operand.shape == shapes[i]) continue;
      node.inputs[i] = g.add_node(free_name(node.name + (i == 0 ? "/a" : "/b")),
                                  widening(operand.shape, shapes[i]), {node.inputs[i]}, operand.quantization);
      changed = true;
    }
    return changed;
  });
}

}  // namespace vdla::pipeline
