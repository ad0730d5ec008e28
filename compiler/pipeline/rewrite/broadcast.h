// SPDX-License-Identifier: Apache-2.0
// Operands that broadcast, at full size: the device adds and compares images of equal size.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/pipeline/options.h"

namespace vdla::pipeline {

/// The graph with a view, named after the node with "/a" or "/b" behind it, in front of each operand of sums,
/// maxima and minima that is smaller than the result; of a constant with the larger constant. Nodes kept off
/// the device stay as they are.
graph::Graph broadcast_operands(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off);

}  // namespace vdla::pipeline
