// SPDX-License-Identifier: Apache-2.0
// One trial on the CPU: a layer's machine code with a book's knobs against that with another's, or the whole
// network's. Runs in a process of its own (workers.h).
#pragma once

#include <cstddef>

#include "compiler/pipeline/compile.h"
#include "tools/tune/log.h"
#include "tools/tune/race.h"
#include "tools/tune/trial_values.h"

namespace vdla::tune {

struct CpuTrial {
  const graph::Graph* graph = nullptr;             ///< the network
  const pipeline::CompiledModel* model = nullptr;  ///< of it, by default
  pipeline::CompileOptions options;                ///< for the CPU alone, with machine code
  unsigned threads = 1;
  Stopwatch stopwatch = seconds_of;
};

/// As outcome_of() has it, with a hash of the machine code; "unbuildable" or "failed" with the "reason".
/// Layers that compute something else than the incumbent's have failed.
Outcome race_layer(const CpuTrial& trial, std::size_t step, const pipeline::KnobBook& book,
                   const pipeline::KnobBook& incumbent, Turns turns);
/// The same of the network.
Outcome race_network(const CpuTrial& trial, const pipeline::KnobBook& book,
                     const pipeline::KnobBook& incumbent);

}  // namespace vdla::tune
