// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/fold_constants.h"

#include <algorithm>

#include "compiler/evaluate/evaluate.h"

namespace vdla::pipeline {

graph::Graph fold_constants(graph::Graph graph) {
  std::vector<graph::Node> kept;
  for (graph::Node& node : graph.nodes) {
    const bool constant = std::all_of(node.inputs.begin(), node.inputs.end(), [&](graph::TensorId id) {
      return id == graph::kNone || graph.tensor(id).constant();
    });
    if (constant)
      graph.tensor(node.output).data = evaluate::evaluate(graph, node);
    else
      kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  return graph;
}

}  // namespace vdla::pipeline
