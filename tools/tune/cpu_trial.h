// SPDX-License-Identifier: Apache-2.0
// One trial on the CPU: a layer's machine code with a book's knobs against that with another's, functions or
// the network with a book's plan against those with another's, or the whole network's. Runs in a process of
// its own (workers.h).
#pragma once

#include <cstddef>
#include <string>

#include "compiler/pipeline/compile.h"
#include "tools/tune/log.h"
#include "tools/tune/race.h"
#include "tools/tune/trial_values.h"

namespace vdla::tune {

struct CpuTrial {
  const graph::Graph* graph = nullptr;  ///< the network
  /// The network with the incumbent's plan; without machine code.
  const pipeline::CompiledModel* model = nullptr;
  pipeline::CompileOptions options;  ///< for the CPU alone, with machine code
  unsigned threads = 1;
  Stopwatch stopwatch = seconds_of;
};

/// How a network is compiled whose steps are looked at.
pipeline::CompileOptions without_code(pipeline::CompileOptions options, const pipeline::KnobBook& book);

/// As outcome_of() has it, with a hash of the machine code; "unbuildable" or "failed" with the "reason".
/// Layers that compute something else than the incumbent's have failed, are_alike(). The layer is the first
/// one of the task and context.
Outcome race_layer(const CpuTrial& trial, const std::string& task, const std::string& context,
                   const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent, Turns turns);
/// Races two books whose plans differ, {"raced": "functions"}: what is not the same function with both, where
/// the nodes are the same and no results of others lie beside theirs. Else {"raced": "network"}.
Outcome race_plan(const CpuTrial& trial, const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent,
                  Turns turns);
/// Races the network, whatever it computes: layers and plans were compared.
Outcome race_network(const CpuTrial& trial, const pipeline::KnobBook& book,
                     const pipeline::KnobBook& incumbent);

}  // namespace vdla::tune
