// SPDX-License-Identifier: Apache-2.0
// Second operands of products of two activations in the entries that the device's array takes.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/options/options.h"

namespace vdla::pipeline {

/// The graph with, in front of each batch matmul that the device computes, what the host makes of its
/// operands: a transpose of the first one where asked for ("/a"), the second one packed ("/entries") and its
/// columns' scales ("/scales"); at compile time where they are constants. Nodes kept off the device stay as
/// they are.
graph::Graph pack_operands(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off);

}  // namespace vdla::pipeline
