// SPDX-License-Identifier: Apache-2.0
// Placed nodes in groups that become the steps of a module.
#pragma once

#include <vector>

#include "compiler/pipeline/place/placement.h"

namespace vdla::pipeline {

/// Consecutive work of one place.
struct Group {
  bool on_device = false;
  std::vector<graph::NodeId> nodes;
};

/// An order that alternates between device and CPU as rarely as the graph allows. `roots` is what graph::fuse
/// gives: a CPU group has the nodes of one of its groups.
std::vector<Group> group_steps(const graph::Graph& graph, const Placement& nodes,
                               const std::vector<graph::NodeId>& roots);

/// The functions that compute a graph off the device, in order: the nodes of each.
std::vector<std::vector<graph::NodeId>> functions_of(const graph::Graph& graph);

}  // namespace vdla::pipeline
