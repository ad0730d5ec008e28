// SPDX-License-Identifier: Apache-2.0
// Report of a compile about each node, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/place/group.h"
#include "compiler/pipeline/place/placement.h"
#include "compiler/targets/vdla/segment/device_step.h"

namespace vdla::pipeline {

/// Fate of a node, with the reason.
struct NodeReport {
  std::string name, op;
  Place place = Place::Cpu;
  std::string reason;
  int step = -1;  ///< index of its step; -1: none
  std::int64_t macs = 0;
  double estimated_cycles = 0;  ///< cycles of its instructions, by the timing model (isa/timing); 0 elsewhere
  std::int64_t bytes_to_device = 0, bytes_from_device = 0;  ///< copied because of a neighbour's place
  std::string weights;  ///< cost of a zero point of its weights on the device; empty: none
  Sources sources;      ///< tensors of the model that its result stands for, or was made of
  Sources constants;    ///< sources of the constants that it reads
  /// Losses: what the compiler does on other variants of the machine but not on this one, a fusion, a result
  /// kept on chip; with the reason.
  std::vector<std::string> lost;
};

/// One for each node, as far as its place says it.
std::vector<NodeReport> report_places(const graph::Graph& graph, const Placement& nodes);

/// Adds to the reports of a group's nodes what its step, the one of that index, makes of them: cycles, what
/// is copied (charged to the first reader and to the writer), where results go.
void report_step(const graph::Graph& graph, const Placement& nodes, const Group& group,
                 const DeviceStep& step, int index, const isa::Variant& variant,
                 std::vector<NodeReport>& reports);

}  // namespace vdla::pipeline
