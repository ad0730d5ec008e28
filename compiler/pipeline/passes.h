// SPDX-License-Identifier: Apache-2.0
// The ordered table of graph passes.
#pragma once

#include <span>
#include <string_view>

#include "compiler/graph/graph.h"

namespace vdla::pipeline {

struct GraphPass {
  std::string_view name;
  graph::Graph (*run)(graph::Graph);
};

std::span<const GraphPass> graph_passes();

/// All of them in order; the graph is verified after each.
graph::Graph run_passes(graph::Graph graph);

}  // namespace vdla::pipeline
