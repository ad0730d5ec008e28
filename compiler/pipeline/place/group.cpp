// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/group.h"

#include <algorithm>
#include <utility>

#include "compiler/graph/fuse.h"
#include "support/error.h"

namespace vdla::pipeline {

using graph::NodeId;
using graph::TensorId;

std::vector<Group> group_steps(const graph::Graph& graph, const Placement& nodes,
                               const std::vector<NodeId>& roots) {
  std::vector<bool> ready(graph.tensors.size()), done(nodes.size());
  for (std::size_t i = 0; i < ready.size(); ++i) ready[i] = graph.tensors[i].constant();
  for (TensorId id : arriving(graph)) ready[at(id)] = true;
  std::vector<std::vector<NodeId>> members(nodes.size());
  std::size_t left = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    done[i] = nodes[i].place == Place::Folded;
    left += !done[i];
    members[at(roots[i])].push_back(static_cast<NodeId>(i));
  }
  /// All that the group of root `i` reads and does not make itself is there.
  const auto runnable = [&](std::size_t i) {
    if (done[i] || at(roots[i]) != i) return false;
    for (NodeId n : members[i])
      for (TensorId id : nodes[at(n)].inputs) {
        const bool own = std::any_of(members[i].begin(), members[i].end(),
                                     [&](NodeId m) { return graph.node(m).output == id; });
        if (id != graph::kNone && !own && !ready[at(id)]) return false;
      }
    return true;
  };
  std::vector<Group> groups;
  while (left > 0) {
    const std::size_t before = left;
    for (const bool device : {true, false}) {
      Group together{device, {}};
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if ((nodes[i].place == Place::Device) != device || !runnable(i)) continue;
        for (NodeId n : members[i]) {
          done[at(n)] = ready[at(graph.node(n).output)] = true;
          together.nodes.push_back(n);
          --left;
        }
        if (!device) groups.push_back({false, members[i]});
      }
      if (device && !together.nodes.empty()) groups.push_back(together);
    }
    VDLA_CHECK(left < before) << "no node of " << left << " can run";
  }
  return groups;
}

std::vector<std::vector<NodeId>> functions_of(const graph::Graph& graph) {
  Placement nodes;
  for (const graph::Node& node : graph.nodes) nodes.push_back(placed(Place::Cpu, {}, node.inputs));
  std::vector<std::vector<NodeId>> functions;
  for (Group& group :
       group_steps(graph, nodes, graph::fuse(graph, std::vector<bool>(graph.nodes.size(), true))))
    functions.push_back(std::move(group.nodes));
  return functions;
}

}  // namespace vdla::pipeline
