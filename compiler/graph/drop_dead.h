// SPDX-License-Identifier: Apache-2.0
// Pass: removes nodes whose result no node reads.
#pragma once

#include <span>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// A tensor that a rewriting needs no longer, the one that is there in its place, and what the tensors of the
/// model that the first stands for are to the second.
struct Replaced {
  TensorId gone, by;
  Likeness likeness = Likeness::Same;
};

/// Rows of `replaced` hold where nothing else reads the tensor that is gone. A tensor that replaces another
/// may be replaced by a later entry.
Graph drop_dead(Graph graph, std::span<const Replaced> replaced);
Graph drop_dead(Graph graph);

}  // namespace vdla::graph
