// SPDX-License-Identifier: Apache-2.0
// The ordered table of graph passes.
#pragma once

#include <span>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/observe/observe.h"

namespace vdla::pipeline {

struct GraphPass {
  Pass pass;
  graph::Graph (*run)(graph::Graph);
};

std::span<const GraphPass> graph_passes();

/// All of them in order; the graph is verified after each.
graph::Graph run_passes(graph::Graph graph, const Watch& watch = {});

}  // namespace vdla::pipeline
