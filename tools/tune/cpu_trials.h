// SPDX-License-Identifier: Apache-2.0
// The layers of a network on this machine's CPU, for LayerTuning.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/pipeline/compile.h"
#include "tools/tune/layer_tuning.h"
#include "tools/tune/race.h"

namespace vdla::tune {

/// A network on the CPU alone. Keeps a reference to the graph.
LayerTrials cpu_trials(const graph::Graph& graph, const pipeline::CompileOptions& compile, unsigned threads,
                       const Stopwatch& stopwatch = seconds_of);

}  // namespace vdla::tune
