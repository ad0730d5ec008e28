// SPDX-License-Identifier: Apache-2.0
// Networks that a target imports, run where that takes no time worth mentioning.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::fuzzing {

/// Runs an accepted network on drawn inputs by the meaning of its nodes, then compiled for the device, with
/// steps on the CPU interpreted. Networks of integers must give the same bytes both ways. Throws what a run
/// throws, which is a finding: the network was accepted. The compiler may still refuse.
///
/// The process prints at its end how many networks were accepted, ran, and were too large to run.
void run_network(const graph::Graph& graph);

}  // namespace vdla::fuzzing
