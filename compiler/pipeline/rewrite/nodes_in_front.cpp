// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/nodes_in_front.h"

#include "compiler/pipeline/rewrite/fold_constants.h"

namespace vdla::pipeline {

graph::Graph add_in_front(graph::Graph graph,
                          const std::function<bool(graph::Graph&, graph::Node&, graph::FreeNames&)>& change) {
  graph::FreeNames free_name(graph.nodes);
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
