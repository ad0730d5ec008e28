// SPDX-License-Identifier: Apache-2.0
// Concatenations of the CPU without a copy: functions store their results where the concatenation wants them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/host/kernel.h"

namespace vdla::pipeline {

/// A tensor lies in another one, from index `first` of dimension `axis` on.
struct HostSlice {
  graph::TensorId whole = graph::kNone;
  std::size_t axis = 0;
  std::int64_t first = 0;
};
using HostSlices = std::map<graph::TensorId, HostSlice>;

/// The inputs of a concatenation that is one function; empty unless each is the result of another one of
/// `functions` (nodes of each, the last one's result is stored), of no concatenation, that nothing else
/// reads.
HostSlices slices_of(const graph::Graph& graph, graph::NodeId concatenation,
                     const std::vector<std::vector<graph::NodeId>>& functions);

/// The kernel that stores its result there.
HostKernel stored_in(HostKernel kernel, const graph::Graph& graph, const HostSlice& slice);

}  // namespace vdla::pipeline
