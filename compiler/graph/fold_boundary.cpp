// SPDX-License-Identifier: Apache-2.0
// Pass: what happens to a graph input or output and nothing else goes into its port: a reshape, a quantize of
// an input, a dequantize of an output. The host then converts while it copies anyway.
#include <algorithm>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/graph.h"
#include "support/error.h"

namespace vdla::graph {

namespace {

bool is_output(const Graph& g, TensorId id) {
  return std::any_of(g.outputs.begin(), g.outputs.end(), [&](const Port& p) { return p.tensor == id; });
}

/// Whether the values of a reshape's inner side are those of the port: a reshape to another scale or zero
/// point gives integers another meaning, so it is a step of the network and stays.
bool same_meaning(const Quantization& port, const Quantization& inner) {
  return inner.empty() || inner == port;
}

/// Folds the only node that reads an input into the port, where the port can do its work.
bool move_input(Graph& g, Port& port, std::vector<Replaced>& replaced) {
  const auto readers = consumers(g)[static_cast<std::size_t>(port.tensor)];
  if (readers.size() != 1 || is_output(g, port.tensor)) return false;
  const Node node = g.node(readers[0]);
  const bool quantize = std::holds_alternative<Quantize>(node.op) && port.model_type == DataType::Float32;
  if (!quantize && !std::holds_alternative<Reshape>(node.op)) return false;
  // An input that is an output, too, keeps its node and its name: ports are not copied to ports.
  if (is_output(g, node.output)) return false;
  const Quantization outer = g.tensor(port.tensor).quantization;
  if (!quantize && !same_meaning(outer, g.tensor(node.output).quantization)) return false;
  if (quantize) {
    const auto& op = std::get<Quantize>(node.op);
    g.tensor(node.output).quantization = {{op.scale}, {op.zero_point}, -1};
    port.rounding = Rounding::HalfAwayFromZero;
  } else {
    g.tensor(node.output).quantization = outer;
  }
  g.tensor(node.output).name = g.tensor(port.tensor).name;
  replaced.push_back({port.tensor, node.output});
  port.tensor = node.output;
  g.nodes.erase(g.nodes.begin() + readers[0]);
  return true;
}

/// Folds the node that writes an output into the port, where the port can do its work.
bool move_output(Graph& g, Port& port, std::vector<Replaced>& replaced) {
  const NodeId producer = producers(g)[static_cast<std::size_t>(port.tensor)];
  if (producer == kNone) return false;
  const Node& node = g.node(producer);
  const bool dequantize = std::holds_alternative<Dequantize>(node.op) && port.model_type == DataType::Float32;
  if (!dequantize && !std::holds_alternative<Reshape>(node.op)) return false;
  const TensorId in = node.inputs[0];
  // An input of the graph that leaves it again keeps its node: ports are not copied to ports. Another output
  // keeps its name.
  if (producers(g)[static_cast<std::size_t>(in)] == kNone || is_output(g, in)) return false;
  const Quantization outer = g.tensor(port.tensor).quantization;
  if (!dequantize && !same_meaning(outer, g.tensor(in).quantization)) return false;
  if (dequantize) {
    const auto& op = std::get<Dequantize>(node.op);
    g.tensor(in).quantization = {{op.scale}, {op.zero_point}, -1};
  } else {
    g.tensor(in).quantization = outer;
  }
  replaced.push_back({port.tensor, in});
  port.tensor = in;
  return true;
}

}  // namespace

Graph fold_boundary(Graph graph) {
  std::vector<Replaced> replaced;
  for (Port& port : graph.inputs)
    while (move_input(graph, port, replaced)) {
    }
  const std::vector<NodeId> made_by = producers(graph);
  for (Port& port : graph.outputs) {
    // Most outputs stay as they are, which is seen here without a look at all nodes.
    const NodeId last = made_by[static_cast<std::size_t>(port.tensor)];
    if (last == kNone) continue;
    const Op& op = graph.node(last).op;
    if (!std::holds_alternative<Dequantize>(op) && !std::holds_alternative<Reshape>(op)) continue;
    const std::string name = graph.tensor(port.tensor).name;
    bool moved = false;
    while (move_output(graph, port, replaced)) moved = true;
    if (moved) graph.tensor(port.tensor).name = name;
  }
  return drop_dead(std::move(graph), replaced);
}

}  // namespace vdla::graph
