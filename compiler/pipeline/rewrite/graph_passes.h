// SPDX-License-Identifier: Apache-2.0
// The ordered tables of passes from graph to graph.
#pragma once

#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/observe/observe.h"
#include "compiler/pipeline/options.h"

namespace vdla::pipeline {

struct GraphPass {
  Pass pass;
  graph::Graph (*run)(graph::Graph, const CompileOptions&);
};

/// Those that depend on no option; what the host does in front of nodes of the device; layouts for the CPU.
std::span<const GraphPass> simplifying_passes();
std::span<const GraphPass> device_passes();
std::span<const GraphPass> cpu_passes();
/// All of them, in the order of a compile.
std::vector<GraphPass> graph_passes();

/// In order.
graph::Graph run_passes(std::span<const GraphPass> passes, graph::Graph graph, const CompileOptions& options,
                        const Watch& watch = {});
/// simplifying_passes(), the graph verified after each.
graph::Graph run_passes(graph::Graph graph, const Watch& watch = {});

}  // namespace vdla::pipeline
