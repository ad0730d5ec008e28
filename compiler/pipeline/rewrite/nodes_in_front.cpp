// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/nodes_in_front.h"

#include <set>

#include "compiler/pipeline/rewrite/fold_constants.h"

namespace vdla::pipeline {

graph::Graph add_in_front(graph::Graph graph,
                          const std::function<bool(graph::Graph&, graph::Node&, const FreeName&)>& change) {
  std::set<std::string> names;
  for (const graph::Node& node : graph.nodes) names.insert(node.name);
  const FreeName free_name = [&](const std::string& wanted) {
    std::string name = wanted;
    for (int again = 2; !names.insert(name).second; ++again) name = wanted + "_" + std::to_string(again);
    return name;
  };
  std::vector<graph::Node> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  bool changed = false;
  for (graph::Node& node : nodes) {
    changed |= change(graph, node, free_name);
    graph.nodes.push_back(std::move(node));
  }
  return changed ? fold_constants(std::move(graph)) : graph;
}

}  // namespace vdla::pipeline
