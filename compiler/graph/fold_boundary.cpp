// SPDX-License-Identifier: Apache-2.0
// Pass: what happens to a graph input or output and nothing else goes into its port: a reshape, a quantize of
// an input, a dequantize of an output. The host then converts while it copies anyway.

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/graph.h"
#include "support/error.h"

namespace vdla::graph {

namespace {

std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

/// Whether the values of a reshape's inner side are those of the port: a reshape to another scale or zero
/// point gives integers another meaning, so it is a step of the network and stays.
bool same_meaning(const Quantization& port, const Quantization& inner) {
  return inner.empty() || inner == port;
}

/// Quantisation that a port of floats takes over from a Quantize or a Dequantize.
template <class Op>
Quantization quantization_of(const Op& op) {
  return {{op.scale}, {op.zero_point}, -1};
}

/// Looks up writers and readers of each tensor once, and keeps them true while nodes are folded.
class Boundary {
 public:
  explicit Boundary(Graph& graph)
      : graph_(graph),
        made_by_(producers(graph)),
        read_by_(consumers(graph)),
        leaves_(graph.tensors.size()),
        folded_(graph.nodes.size()) {
    for (TensorId id : leaving(graph)) ++leaves_[at(id)];
  }

  /// Folds the only node that reads an input into the port, where the port can do its work.
  bool move_input(Port& port) {
    const auto& readers = read_by_[at(port.tensor)];
    if (readers.size() != 1 || leaves_[at(port.tensor)] != 0) return false;
    const Node& node = graph_.node(readers[0]);
    const auto* quantize = port.model_type == DataType::Float32 ? std::get_if<Quantize>(&node.op) : nullptr;
    if (!quantize && !std::holds_alternative<Reshape>(node.op)) return false;
    // An input that is an output, too, keeps its node and its name: ports are not copied to ports.
    if (leaves_[at(node.output)] != 0) return false;
    Tensor& inner = graph_.tensor(node.output);
    const Tensor& outer = graph_.tensor(port.tensor);
    if (!quantize && !same_meaning(outer.quantization, inner.quantization)) return false;
    inner.quantization = quantize ? quantization_of(*quantize) : outer.quantization;
    if (quantize) port.rounding = Rounding::HalfAwayFromZero;
    inner.name = outer.name;
    replaced_.push_back({port.tensor, node.output});
    port.tensor = node.output;
    made_by_[at(node.output)] = kNone;
    folded_[at(readers[0])] = true;
    return true;
  }

  /// Folds the node that writes an output into the port, where the port can do its work.
  bool move_output(Port& port) {
    const NodeId producer = made_by_[at(port.tensor)];
    if (producer == kNone) return false;
    const Node& node = graph_.node(producer);
    const auto* dequantize =
        port.model_type == DataType::Float32 ? std::get_if<Dequantize>(&node.op) : nullptr;
    if (!dequantize && !std::holds_alternative<Reshape>(node.op)) return false;
    const TensorId in = node.inputs[0];
    // An input of the graph that leaves it again keeps its node: ports are not copied to ports. Another
    // output keeps its name.
    if (made_by_[at(in)] == kNone || leaves_[at(in)] != 0) return false;
    const Quantization& outer = graph_.tensor(port.tensor).quantization;
    Quantization& inner = graph_.tensor(in).quantization;
    if (!dequantize && !same_meaning(outer, inner)) return false;
    inner = dequantize ? quantization_of(*dequantize) : outer;
    replaced_.push_back({port.tensor, in});
    --leaves_[at(port.tensor)];
    ++leaves_[at(in)];
    port.tensor = in;
    return true;
  }

  /// Takes out the nodes whose work inputs do, and all that no output needs.
  void drop() {
    std::vector<Node> kept;
    for (std::size_t i = 0; i < folded_.size(); ++i)
      if (!folded_[i]) kept.push_back(std::move(graph_.nodes[i]));
    graph_.nodes = std::move(kept);
    graph_ = drop_dead(std::move(graph_), replaced_);
  }

 private:
  Graph& graph_;
  std::vector<NodeId> made_by_;
  std::vector<std::vector<NodeId>> read_by_;
  std::vector<int> leaves_;   ///< output ports of each tensor
  std::vector<bool> folded_;  ///< whether an input does the node's work
  std::vector<Replaced> replaced_;
};

}  // namespace

Graph fold_boundary(Graph graph) {
  Boundary boundary(graph);
  for (Port& port : graph.inputs)
    while (boundary.move_input(port)) {
    }
  for (Port& port : graph.outputs) {
    const std::string name = graph.tensor(port.tensor).name;
    bool moved = false;
    while (boundary.move_output(port)) moved = true;
    if (moved) graph.tensor(port.tensor).name = name;
  }
  boundary.drop();
  return graph;
}

}  // namespace vdla::graph
