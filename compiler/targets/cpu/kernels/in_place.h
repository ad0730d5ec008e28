// SPDX-License-Identifier: Apache-2.0
// Concatenations of the CPU without a copy: functions store their results where the concatenation wants them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/cpu/kernels/kernel.h"

namespace vdla::pipeline {

/// A tensor lies in another one, from index `first` of dimension `axis` on.
struct HostSlice {
  graph::TensorId whole = graph::kNone;
  std::size_t axis = 0;
  std::int64_t first = 0;
};

struct HostSlices {
  std::map<graph::TensorId, HostSlice> by_tensor;
  /// Concatenations that have nothing left to do, with the nodes that make their inputs.
  std::map<graph::NodeId, std::vector<graph::NodeId>> joined;
};

/// Slices of a graph's functions (nodes of each; the last one's result is stored). A concatenation that is
/// one of them is joined where each of its inputs is the result of another one, of no concatenation, that
/// nothing else reads, and where they are few: functions that only differ in where they store are several.
HostSlices host_slices(const graph::Graph& graph, const std::vector<std::vector<graph::NodeId>>& functions);

/// The kernel that stores its result there.
HostKernel stored_in(HostKernel kernel, const graph::Graph& graph, const HostSlice& slice);

}  // namespace vdla::pipeline
