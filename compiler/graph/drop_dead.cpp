// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/drop_dead.h"

#include "compiler/graph/sources.h"

namespace vdla::graph {

Graph drop_dead(Graph graph, std::span<const Replaced> replaced) {
  const std::vector<bool> needed = needed_tensors(graph);
  for (const Replaced& r : replaced) {
    if (needed[static_cast<std::size_t>(r.gone)]) continue;
    Tensor& by = graph.tensor(r.by);
    if (!by.sources) by.sources = sources_of(by);
    add_sources(*by.sources, as(sources_of(graph.tensor(r.gone)), r.likeness));
  }
  std::erase_if(graph.nodes, [&](const Node& n) { return !needed[static_cast<std::size_t>(n.output)]; });
  return graph;
}

Graph drop_dead(Graph graph) { return drop_dead(std::move(graph), {}); }

}  // namespace vdla::graph
