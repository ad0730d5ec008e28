// SPDX-License-Identifier: Apache-2.0
// The tensors of a device step that are the same bytes: a reshape's output is its input.
#pragma once

#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/partition.h"

namespace vdla::pipeline {

class Roots {
 public:
  Roots(const graph::Graph& graph, const std::vector<PlacedNode>& nodes,
        const std::vector<graph::NodeId>& group) {
    for (graph::NodeId n : group)
      if (!nodes[static_cast<std::size_t>(n)].op) inputs_[graph.node(n).output] = graph.node(n).inputs[0];
  }

  graph::TensorId operator()(graph::TensorId id) const {
    const auto found = inputs_.find(id);
    return found == inputs_.end() ? id : (*this)(found->second);
  }

 private:
  std::map<graph::TensorId, graph::TensorId> inputs_;  ///< of reshapes, by output
};

}  // namespace vdla::pipeline
