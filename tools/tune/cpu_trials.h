// SPDX-License-Identifier: Apache-2.0
// A network on this machine's CPU, for LayerTuning: choices of its plan, and its layers.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/pipeline/compile.h"
#include "tools/tune/race.h"
#include "tools/tune/timed_trials.h"

namespace vdla::tune {

/// A network on the CPU alone. Keeps a reference to the graph.
LayerTrials cpu_trials(const graph::Graph& graph, const pipeline::CompileOptions& compile, unsigned threads,
                       const Stopwatch& stopwatch = seconds_of);

}  // namespace vdla::tune
