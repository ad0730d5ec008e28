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
        leaves_(graph.tensors.size()),
        readers_(graph.tensors.size()),
        island_(graph.nodes.size()) {
    std::iota(island_.begin(), island_.end(), 0);
    for (TensorId id : leaving(graph)) leaves_[at(id)] = true;
    for (NodeId n = 0; n < static_cast<NodeId>(nodes_.size()); ++n)
      for (TensorId id : placed(n).inputs) {
        if (id == graph::kNone) continue;
        readers_[at(id)].push_back(n);
        const NodeId front = producer(id);
        if (on_device(n) && front != graph::kNone && on_device(front)) island_[at(root(n))] = root(front);
      }
  }

  std::vector<Island> run() {
    std::map<NodeId, std::vector<NodeId>> members;
    for (NodeId n = 0; n < static_cast<NodeId>(nodes_.size()); ++n)
      if (on_device(n)) members[root(n)].push_back(n);
    std::vector<Island> result;
    for (const auto& [first, nodes] : members)
      if (std::ranges::any_of(nodes, [&](NodeId n) { return placed(n).op.has_value(); }))
        result.push_back(island(nodes));
    for (NodeId n = 0; n < static_cast<NodeId>(nodes_.size()); ++n)
      if (moves_to_the_cpu(n))
        if (Island last = last_move(n); !last.cost.pays()) result.push_back(std::move(last));
    return result;
  }

 private:
  const PlacedNode& placed(NodeId n) const { return nodes_[at(n)]; }
  bool on_device(NodeId n) const { return placed(n).place == Place::Device; }
  NodeId producer(TensorId id) const { return id == graph::kNone ? graph::kNone : producer_[at(id)]; }
  NodeId root(NodeId n) {
    while (island_[at(n)] != n) n = island_[at(n)] = island_[at(island_[at(n)])];
    return n;
  }
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
    std::set<NodeId> on_cpu = inside;
    for (NodeId n : nodes) add_folded(n, on_cpu);
    for (const NodeId n : on_cpu) result.cost.cpu += targets::cpu().seconds({graph_, {&n, 1}, options_});
    return result;
  }

  /// Whether a layer of the device reads it, under another shape or under its own.
  bool read_on_device(TensorId id) const {
    return std::ranges::any_of(readers_[at(id)], [&](NodeId n) {
      return on_device(n) && (placed(n).op || read_on_device(graph_.node(n).output));
    });
  }

  /// Whether the node moves what the device makes to where the CPU reads it.
  bool moves_to_the_cpu(NodeId n) const {
    const auto& op = placed(n).op;
    const bool moves =
        op && (std::holds_alternative<device::Select>(*op) || std::holds_alternative<device::Move>(*op));
    return moves && !read_on_device(graph_.node(n).output);
  }

  /// The node with what crosses the border: its input in the place of its result where the CPU does the work.
  Island last_move(NodeId n) const {
    const TensorId in = placed(n).inputs[0], out = graph_.node(n).output;
    const auto crossing = [&](std::int64_t bytes) {
      return targets::vdla().border(options_, static_cast<double>(bytes)) -
             targets::vdla().border(options_, 0);
    };
    const bool crosses = leaves_[at(in)] || std::ranges::any_of(readers_[at(in)], [&](NodeId reader) {
                           return !on_device(reader);
                         });
    Island result;
    result.nodes = {graph_.node(n).name};
    result.border_bytes = bytes(out);
    result.cost.there = targets::vdla().seconds({graph_, {&n, 1}, options_, &*placed(n).op});
    result.cost.border = crossing(bytes(out));
    result.cost.cpu = targets::cpu().seconds({graph_, {&n, 1}, options_}) + crossing(crosses ? 0 : bytes(in));
    return result;
  }

  /// Adds the nodes that are folded into the reader: on the CPU they would be there again.
  void add_folded(NodeId reader, std::set<NodeId>& to) const {
    for (TensorId id : graph_.node(reader).inputs)
      if (const NodeId n = producer(id); n != graph::kNone && placed(n).place == Place::Folded) to.insert(n);
  }

  std::int64_t leaving_bytes(NodeId n, const std::set<NodeId>& inside) const {
    const TensorId id = graph_.node(n).output;
    const bool leaves = leaves_[at(id)] || std::ranges::any_of(readers_[at(id)], [&](NodeId reader) {
                          return !inside.contains(reader);
                        });
    return leaves ? bytes(id) : 0;
  }

  const graph::Graph& graph_;
  const CompileOptions& options_;
  const Placement& nodes_;
  const std::vector<NodeId> producer_;
  std::vector<bool> leaves_;                  ///< whether the caller reads the tensor
  std::vector<std::vector<NodeId>> readers_;  ///< nodes that read the tensor, as they are placed
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
