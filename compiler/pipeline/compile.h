// SPDX-License-Identifier: Apache-2.0
// compile(): the only place that knows the order from a network to what runs: graph passes, partition, device
// segments, kernels for the CPU, programs of a GPU. Nothing else in compiler/pipeline includes
// this header.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/options/options.h"
#include "compiler/pipeline/model.h"

namespace vdla::pipeline {

CompiledModel compile(const graph::Graph& graph, const CompileOptions& options);

/// A network and the functions that compute it off the device, in order: the nodes of each.
struct FusedNetwork {
  graph::Graph graph;
  std::vector<std::vector<graph::NodeId>> functions;
};
/// Returns the network behind the passes for all targets. For programs that ask a target for one function
/// (targets::Target::takes).
FusedNetwork fuse_network(const graph::Graph& graph);

}  // namespace vdla::pipeline
