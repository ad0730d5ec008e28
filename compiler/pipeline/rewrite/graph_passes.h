// SPDX-License-Identifier: Apache-2.0
// The ordered table of passes from graph to graph.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/graph/graph.h"
#include "compiler/knobs/graph_choices.h"
#include "compiler/observe/observe.h"
#include "compiler/options/options.h"

namespace vdla::pipeline {

/// Compiles whose networks a pass changes.
enum class PassFor : std::uint8_t {
  All,
  Cpu,     ///< networks that stay on the CPU
  Device,  ///< networks that go to the device: the host's work in front of it
};

struct GraphPass {
  Pass pass;
  PassFor target;
  graph::Graph (*run)(graph::Graph, const CompileOptions&, const KeptOff&, GraphChoices&);
};

/// The ordered table of the passes over a graph: what a compile runs, `vdla opt` lists and runs, and
/// --print-after shows. Those for the device are the last ones: they run again where costs move nodes to the
/// CPU.
std::span<const GraphPass> graph_passes();
/// The rows for one target, which follow each other.
std::span<const GraphPass> graph_passes(PassFor target);

/// Runs the passes in order. After each the graph is verified, and that it means what it did before.
/// `choices`, where it is not null, receives those that the passes made.
graph::Graph run_passes(std::span<const GraphPass> passes, graph::Graph graph, const CompileOptions& options,
                        const KeptOff& kept_off, const Watch& watch = {}, GraphChoices* choices = nullptr);
/// Runs the passes for all targets.
graph::Graph run_passes(graph::Graph graph, const Watch& watch = {});

}  // namespace vdla::pipeline
