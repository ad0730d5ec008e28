// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/join.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/knobs/choice.h"
#include "compiler/targets/vdla/templates/joins.h"

namespace vdla::pipeline {

namespace {

using graph::NodeId;
using graph::TensorId;

/// Maker and readers of each tensor, of the nodes that were looked at.
class Neighbours {
 public:
  explicit Neighbours(const graph::Graph& graph)
      : graph_(graph), readers_(graph.tensors.size()), maker_(graph.tensors.size(), graph::kNone) {
    for (TensorId id : leaving(graph)) ++readers_[at(id)];
    for (const graph::Node& n : graph.nodes)
      for (TensorId id : n.inputs)
        if (id != graph::kNone) ++readers_[at(id)];
  }

  void look_at(NodeId n) { maker_[at(graph_.node(n).output)] = n; }
  NodeId maker(TensorId id) const { return maker_[at(id)]; }
  /// Maker of a tensor that only one node reads, and the caller does not; kNone for others.
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

/// `made` is computed with the node `n` as `op`. `by`: what wants it.
void join(const graph::Graph& g, Placement& nodes, NodeId made, NodeId n, device::Op op,
          std::vector<TensorId> inputs, const std::string& how, const std::string& by) {
  nodes[at(n)].op = std::move(op);
  nodes[at(n)].inputs = std::move(inputs);
  nodes[at(n)].reason = how + g.node(made).name + by;
  nodes[at(made)] = folded("computed with '" + g.node(n).name + "'");
}

}  // namespace

void join_sums(const graph::Graph& g, Placement& nodes, const isa::Geometry& geometry, const KnobBook* book) {
  struct Join {
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
    std::vector<Join> joins;
    std::vector<std::string> values{"apart"}, lost;
    std::size_t taken = 0;  // index of the taken value: each join behind the first one
    for (std::size_t which : {0, 1}) {
      const NodeId made = neighbours.maker_for_one(nodes[at(n)].inputs[which]);
      const auto* conv = layer<device::Conv2d>(nodes, made);
      auto both = conv ? device::on_the_way_out(*conv, *sum, which, geometry) : std::nullopt;
      if (!both) continue;
      if (const auto* no = std::get_if<device::WhyNot>(&*both)) {
        lost.push_back("not added on the way out of " + g.node(made).name + ": " + no->reason);
        continue;
      }
      joins.push_back({device::macs_of(*conv), made, std::get<device::Conv2d>(std::move(*both)),
                       nodes[at(n)].inputs[1 - which]});
      values.emplace_back(which == 0 ? "first" : "second");
      if (taken == 0 || joins.back().work > joins[taken - 1].work) taken = joins.size();
    }
    if (joins.empty()) {
      nodes[at(n)].lost = std::move(lost);
      continue;
    }
    const Choice choice(book, "sum '" + g.node(n).name + "'", "joined_with", std::move(values));
    taken = choice.wanted().value_or(taken);
    if (taken == 0) {
      nodes[at(n)].reason += "; not added on the way out of a convolution" + choice.by();
    } else {
      Join& best = joins[taken - 1];
      join(g, nodes, best.made, n, std::move(best.both), {nodes[at(best.made)].inputs[0], best.other},
           "added on the way out of ", choice.by());
    }
    if (book) nodes[at(n)].choices.push_back(choice.task(taken));
  }
}

void join_depthwise(const graph::Graph& g, Placement& nodes, const isa::Variant& variant,
                    const KnobBook* book) {
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
    const Choice choice(book, "depthwise convolution '" + g.node(n).name + "'", "piece_by_piece",
                        {"no", "yes"});
    const bool taken =
        choice.wanted() ? *choice.wanted() == 1 : device::saves_time(both, from_device, variant);
    if (taken)
      join(g, nodes, made, n, std::move(both), nodes[at(made)].inputs,
           "computed piece by piece on the way out of ", choice.by());
    else if (choice.wanted())
      nodes[at(n)].reason += "; not computed piece by piece" + choice.by();
    if (book) nodes[at(n)].choices.push_back(choice.task(taken ? 1 : 0));
  }
}

}  // namespace vdla::pipeline
