// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/join.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/pipeline/device/joins.h"

namespace vdla::pipeline {

namespace {

using graph::NodeId;
using graph::TensorId;

/// Who makes and who reads each tensor, of the nodes that were looked at.
class Neighbours {
 public:
  explicit Neighbours(const graph::Graph& graph)
      : graph_(graph), readers_(graph.tensors.size()), maker_(graph.tensors.size(), graph::kNone) {
    for (const graph::Port& port : graph.outputs) ++readers_[at(port.tensor)];
    for (const graph::Node& n : graph.nodes)
      for (TensorId id : n.inputs)
        if (id != graph::kNone) ++readers_[at(id)];
  }

  void look_at(NodeId n) { maker_[at(graph_.node(n).output)] = n; }
  NodeId maker(TensorId id) const { return maker_[at(id)]; }
  /// Of a tensor that only one node reads, and the caller does not; kNone for others.
  NodeId maker_for_one(TensorId id) const { return readers_[at(id)] == 1 ? maker(id) : graph::kNone; }

 private:
  const graph::Graph& graph_;
  std::vector<int> readers_;  ///< a result of the graph has one more
  std::vector<NodeId> maker_;
};

/// The layer of a node, where it is such a one.
template <class T>
const T* layer(const Placement& nodes, NodeId n) {
  return n != graph::kNone && nodes[at(n)].op ? std::get_if<T>(&*nodes[at(n)].op) : nullptr;
}

/// `made` is computed with the node `n` as `op`.
void join(const graph::Graph& g, Placement& nodes, NodeId made, NodeId n, device::Op op,
          std::vector<TensorId> inputs, const std::string& how) {
  nodes[at(n)].op = std::move(op);
  nodes[at(n)].inputs = std::move(inputs);
  nodes[at(n)].reason = how + g.node(made).name;
  nodes[at(made)] = folded("computed with '" + g.node(n).name + "'");
}

}  // namespace

void join_sums(const graph::Graph& g, Placement& nodes, const isa::Geometry& geometry) {
  struct Choice {
    std::int64_t work;
    NodeId made;
    device::Conv2d both;
    TensorId other;  ///< operand
  };
  Neighbours neighbours(g);
  for (NodeId n = 0; n < static_cast<NodeId>(nodes.size()); ++n) {
    neighbours.look_at(n);
    const auto* sum = layer<device::Add>(nodes, n);
    if (sum == nullptr) continue;
    std::optional<Choice> most;
    std::vector<std::string> lost;
    for (std::size_t which : {0, 1}) {
      const NodeId made = neighbours.maker_for_one(nodes[at(n)].inputs[which]);
      const auto* conv = layer<device::Conv2d>(nodes, made);
      auto both = conv ? device::on_the_way_out(*conv, *sum, which, geometry) : std::nullopt;
      if (!both) continue;
      if (const auto* no = std::get_if<device::WhyNot>(&*both)) {
        lost.push_back("not added on the way out of " + g.node(made).name + ": " + no->reason);
      } else if (const auto work = device::macs_of(*conv); !most || work > most->work) {
        most = {work, made, std::get<device::Conv2d>(std::move(*both)), nodes[at(n)].inputs[1 - which]};
      }
    }
    if (!most) {
      nodes[at(n)].lost = std::move(lost);
      continue;
    }
    join(g, nodes, most->made, n, std::move(most->both), {nodes[at(most->made)].inputs[0], most->other},
         "added on the way out of ");
  }
}

void join_depthwise(const graph::Graph& g, Placement& nodes, const isa::Variant& variant) {
  Neighbours neighbours(g);
  for (NodeId n = 0; n < static_cast<NodeId>(nodes.size()); ++n) {
    neighbours.look_at(n);
    const auto* second = layer<device::DepthwiseConv2d>(nodes, n);
    if (second == nullptr) continue;
    const NodeId made = neighbours.maker_for_one(nodes[at(n)].inputs[0]);
    const auto* first = layer<device::Conv2d>(nodes, made);
    auto joined = first ? device::piece_by_piece(*first, *second, variant.geometry) : std::nullopt;
    if (!joined) continue;
    if (const auto* no = std::get_if<device::WhyNot>(&*joined)) {
      nodes[at(n)].lost.push_back("not computed piece by piece with " + g.node(made).name + ": " +
                                  no->reason);
      continue;
    }
    auto& both = std::get<device::ConvDepthwise>(*joined);
    const NodeId before = neighbours.maker(nodes[at(made)].inputs[0]);
    const bool from_device = before != graph::kNone && nodes[at(before)].place == Place::Device;
    if (!device::saves_time(both, from_device, variant)) continue;
    join(g, nodes, made, n, std::move(both), nodes[at(made)].inputs,
         "computed piece by piece on the way out of ");
  }
}

}  // namespace vdla::pipeline
