// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/drop_dead.h"

#include <algorithm>

namespace vdla::graph {

Graph drop_dead(Graph graph) {
  std::vector<bool> read(graph.tensors.size());
  for (const Port& port : graph.outputs) read[static_cast<std::size_t>(port.tensor)] = true;
  std::vector<Node> kept;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    if (!read[static_cast<std::size_t>(graph.nodes[i].output)]) continue;
    for (TensorId id : graph.nodes[i].inputs)
      if (id != kNone) read[static_cast<std::size_t>(id)] = true;
    kept.push_back(std::move(graph.nodes[i]));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
  return graph;
}

}  // namespace vdla::graph
