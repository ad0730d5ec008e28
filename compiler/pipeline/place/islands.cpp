// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/islands.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "compiler/pipeline/place/partition.h"
#include "compiler/targets/target.h"

namespace vdla::pipeline {
namespace {

using graph::NodeId;
using graph::TensorId;

std::int64_t bytes_of(const graph::Graph& graph, TensorId id) {
  return static_cast<std::int64_t>(graph.tensor(id).bytes());
}

class Costs {
 public:
  Costs(const graph::Graph& graph, const Placement& nodes, const CompileOptions& options)
      : graph_(graph),
        options_(options),
        nodes_(nodes),
        producer_(producers(graph)),
        island_(graph.nodes.size()) {
    std::iota(island_.begin(), island_.end(), 0);
    for (NodeId n = 0; n < static_cast<NodeId>(nodes_.size()); ++n)
      if (on_device(n))
        for (TensorId id : placed(n).inputs)
          if (const NodeId front = producer(id); front != graph::kNone && on_device(front))
            island_[at(root(n))] = root(front);
  }

  std::vector<Island> run() {
    std::map<NodeId, std::vector<NodeId>> members;
    for (NodeId n = 0; n < static_cast<NodeId>(nodes_.size()); ++n)
      if (on_device(n)) members[root(n)].push_back(n);
    std::vector<Island> result;
    for (const auto& [first, nodes] : members)
      if (std::ranges::any_of(nodes, [&](NodeId n) { return placed(n).op.has_value(); }))
        result.push_back(island(nodes));
    return result;
  }

 private:
  const PlacedNode& placed(NodeId n) const { return nodes_[at(n)]; }
  bool on_device(NodeId n) const { return placed(n).place == Place::Device; }
  NodeId producer(TensorId id) const { return id == graph::kNone ? graph::kNone : producer_[at(id)]; }
  NodeId root(NodeId n) const { return island_[at(n)] == n ? n : root(island_[at(n)]); }
  std::int64_t bytes(TensorId id) const { return bytes_of(graph_, id); }

  Island island(const std::vector<NodeId>& nodes) const {
    Island result;
    std::set<TensorId> arriving;
    const std::set<NodeId> inside(nodes.begin(), nodes.end());
    for (NodeId n : nodes) {
      result.nodes.push_back(graph_.node(n).name);
      if (placed(n).op)
        result.cost.there += targets::vdla().seconds({graph_, {&n, 1}, options_, &*placed(n).op});
      for (TensorId id : placed(n).inputs)
        if (id != graph::kNone && !inside.contains(producer(id))) arriving.insert(id);
    }
    std::int64_t converted = 0;
    for (TensorId id : arriving) {
      result.border_bytes += bytes(id);
      if (const NodeId n = producer(id); n != graph::kNone && conversion(graph_, graph_.node(n)))
        converted += bytes(graph_.node(n).inputs[0]) + bytes(id);
    }
    for (NodeId n : nodes) result.border_bytes += leaving_bytes(n, inside);
    result.cost.border =
        targets::vdla().border(options_, static_cast<double>(result.border_bytes + converted));
    for (NodeId n = 0; n < static_cast<NodeId>(nodes_.size()); ++n)
      if (inside.contains(n) || joins(n, inside))
        result.cost.cpu += targets::cpu().seconds({graph_, {&n, 1}, options_});
    return result;
  }

  /// Folded into one of the nodes: on the CPU it would be there again.
  bool joins(NodeId n, const std::set<NodeId>& inside) const {
    if (placed(n).place != Place::Folded) return false;
    return std::ranges::any_of(inside, [&](NodeId reader) {
      const auto& inputs = graph_.node(reader).inputs;
      return std::ranges::find(inputs, graph_.node(n).output) != inputs.end();
    });
  }

  std::int64_t leaving_bytes(NodeId n, const std::set<NodeId>& inside) const {
    const TensorId id = graph_.node(n).output;
    bool leaves = std::ranges::any_of(graph_.outputs, [&](const auto& p) { return p.tensor == id; });
    for (NodeId reader = 0; reader < static_cast<NodeId>(nodes_.size()); ++reader) {
      const auto& inputs = placed(reader).inputs;
      leaves = leaves || (!inside.contains(reader) && std::ranges::find(inputs, id) != inputs.end());
    }
    return leaves ? bytes(id) : 0;
  }

  const graph::Graph& graph_;
  const CompileOptions& options_;
  const Placement& nodes_;
  const std::vector<NodeId> producer_;
  std::vector<NodeId> island_;
};

}  // namespace

bool Island::is_close() const {
  constexpr double kFarWorse = 4;
  const double there = cost.there + cost.border;
  return std::max(there, cost.cpu) < kFarWorse * std::min(there, cost.cpu);
}

std::vector<Island> islands_of(const graph::Graph& graph, const Placement& nodes,
                               const CompileOptions& options) {
  return Costs(graph, nodes, options).run();
}

}  // namespace vdla::pipeline
