// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/fold_constants.h"

#include <algorithm>

#include "compiler/evaluate/evaluate.h"
#include "compiler/graph/sources.h"

namespace vdla::pipeline {

graph::Graph fold_constants(graph::Graph graph) {
  std::vector<graph::Node> kept;
  for (graph::Node& node : graph.nodes) {
    const bool constant = std::all_of(node.inputs.begin(), node.inputs.end(), [&](graph::TensorId id) {
      return id == graph::kNone || graph.tensor(id).constant();
    });
    if (!constant) {
      kept.push_back(std::move(node));
      continue;
    }
    graph::Tensor& result = graph.tensor(node.output);
    result.data = evaluate::evaluate(graph, node);
    Sources sources = result.sources.value_or(Sources{});
    for (const graph::TensorId id : node.inputs)
      if (id != graph::kNone)
        graph::add_sources(sources, graph::as(sources_of(graph.tensor(id)), Likeness::From));
    result.sources = std::move(sources);
  }
  graph.nodes = std::move(kept);
  return graph;
}

}  // namespace vdla::pipeline
