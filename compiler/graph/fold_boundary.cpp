// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fold_boundary.h"

#include <algorithm>

#include "compiler/graph/drop_dead.h"
#include "support/error.h"

namespace vdla::graph {

namespace {

bool is_output(const Graph& g, TensorId id) {
  return std::any_of(g.outputs.begin(), g.outputs.end(), [&](const Port& p) { return p.tensor == id; });
}

/// The only node that reads an input, where the port can take it over.
bool move_input(Graph& g, Port& port, std::vector<Replaced>& replaced) {
  const auto readers = consumers(g)[static_cast<std::size_t>(port.tensor)];
  if (readers.size() != 1 || is_output(g, port.tensor)) return false;
  const Node node = g.node(readers[0]);
  const bool quantize = std::holds_alternative<Quantize>(node.op) && port.model_type == DataType::Float32;
  if (!quantize && !std::holds_alternative<Reshape>(node.op)) return false;
  if (quantize) {
    const auto& op = std::get<Quantize>(node.op);
    g.tensor(node.output).quantization = {{op.scale}, {op.zero_point}, -1};
    port.rounding = Rounding::HalfAwayFromZero;
  } else if (g.tensor(node.output).quantization.empty()) {
    g.tensor(node.output).quantization = g.tensor(port.tensor).quantization;
  }
  g.tensor(node.output).name = g.tensor(port.tensor).name;
  replaced.push_back({port.tensor, node.output});
  port.tensor = node.output;
  g.nodes.erase(g.nodes.begin() + readers[0]);
  return true;
}

bool move_output(Graph& g, Port& port, std::vector<Replaced>& replaced) {
  const NodeId producer = producers(g)[static_cast<std::size_t>(port.tensor)];
  if (producer == kNone) return false;
  const Node& node = g.node(producer);
  const bool dequantize = std::holds_alternative<Dequantize>(node.op) && port.model_type == DataType::Float32;
  if (!dequantize && !std::holds_alternative<Reshape>(node.op)) return false;
  const TensorId in = node.inputs[0];
  // An input of the graph that leaves it again keeps its node: ports are not copied to ports.
  if (producers(g)[static_cast<std::size_t>(in)] == kNone) return false;
  if (dequantize) {
    const auto& op = std::get<Dequantize>(node.op);
    g.tensor(in).quantization = {{op.scale}, {op.zero_point}, -1};
  } else if (g.tensor(in).quantization.empty()) {
    g.tensor(in).quantization = g.tensor(port.tensor).quantization;
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
