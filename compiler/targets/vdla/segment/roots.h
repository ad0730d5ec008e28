// SPDX-License-Identifier: Apache-2.0
// The tensors of a device step that are the same bytes: a reshape's output is its input, a slice is part of a
// concatenation.
#pragma once

#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/place/placement.h"
#include "compiler/targets/vdla/segment/slices.h"

namespace vdla::pipeline {

class Roots {
 public:
  Roots(const graph::Graph& graph, const Placement& nodes, const std::vector<graph::NodeId>& group,
        const Slices& slices)
      : slices_(slices) {
    for (graph::NodeId n : group)
      if (!nodes[static_cast<std::size_t>(n)].op) inputs_[graph.node(n).output] = graph.node(n).inputs[0];
  }

  graph::TensorId operator()(graph::TensorId id) const {
    if (const graph::TensorId whole = slices_.whole_of(id); whole != graph::kNone) return (*this)(whole);
    const auto found = inputs_.find(id);
    return found == inputs_.end() ? id : (*this)(found->second);
  }

 private:
  const Slices& slices_;
  std::map<graph::TensorId, graph::TensorId> inputs_;  ///< inputs of reshapes, by output
};

}  // namespace vdla::pipeline
