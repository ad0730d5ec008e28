// SPDX-License-Identifier: Apache-2.0
// Fusion of the CPU's nodes into functions, and what a knob book can choose otherwise.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/knobs/book.h"
#include "compiler/knobs/graph_choices.h"

namespace vdla::pipeline {

struct Fusion {
  std::vector<graph::NodeId> last;  ///< last node of each node's group, as graph::fuse() gives it
  GraphChoices choices;             ///< one for each node whose readers are in its group, or could be
};

/// graph::fuse(), but for nodes whose result `book` (or null) wants stored: their readers are functions of
/// their own. With a book each place where nodes can be fused is a choice.
Fusion fuse_by_book(const graph::Graph& graph, const std::vector<bool>& fusible, const KnobBook* book);

}  // namespace vdla::pipeline
