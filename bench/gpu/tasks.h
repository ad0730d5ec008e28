// SPDX-License-Identifier: Apache-2.0
// Tasks that are measured on a GPU: products of matrices, the layers of the TVM paper's Table 2, its
// convolutions with int8, the networks of its Figure 14; and networks from files, which are only checked.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu/package.h"
#include "compiler/graph/graph.h"
#include "compiler/targets/gpu/profile.h"

namespace vdla::bench::gpu {

/// A task before it is compiled.
struct Workload {
  std::string id;
  Json about;  ///< as of Task
  double flops = 0;
  bool is_timed = true;
  double tolerance = 1e-5;
  graph::Graph graph;  ///< after the passes for all targets
  /// Constants are made from seeds where the package is used; else they are the graph's.
  bool has_seeded_constants = true;
};

/// Tasks that are timed, in the order in which they run. For a machine whose tensor cores take floats rounded
/// to tf32: those that they take, since others are the same without.
std::vector<Workload> measured_workloads(const pipeline::gpu::GpuProfile& profile);
/// A network that is checked. UserError as kit::read_network() has it.
Workload network_workload(const std::string& path);

/// Key of a function's work, whatever its names are: its node that is not elementwise, its shapes.
std::string key_of(const graph::Graph& graph, std::span<const graph::NodeId> group);

}  // namespace vdla::bench::gpu
