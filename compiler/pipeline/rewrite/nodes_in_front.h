// SPDX-License-Identifier: Apache-2.0
// Nodes that a pass puts in front of others.
#pragma once

#include <functional>

#include "compiler/graph/free_names.h"
#include "compiler/graph/graph.h"

namespace vdla::pipeline {

/// Calls `change` with each node in order. What it adds to the graph, under free names, stands in front of
/// the node, which may become another one of the same output; true: it changed something. Nodes over
/// constants alone are computed then.
graph::Graph add_in_front(graph::Graph graph,
                          const std::function<bool(graph::Graph&, graph::Node&, graph::FreeNames&)>& change);

}  // namespace vdla::pipeline
