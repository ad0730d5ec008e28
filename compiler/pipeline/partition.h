// SPDX-License-Identifier: Apache-2.0
// Which nodes run on the device, which on the CPU, which vanish; and in which steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/device_node.h"

namespace vdla::pipeline {

/// The place of a tensor or node in a table of them.
inline std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

struct PlacedNode {
  Place place = Place::Cpu;
  std::string reason;
  /// Set on the device, but for reshapes, which only give bytes another shape.
  std::optional<device::Op> op;
  std::vector<graph::TensorId> inputs;  ///< tensors that it reads, where it runs
  /// Fusions that other variants of the machine allow and this one does not, with the reason.
  std::vector<std::string> lost;
};

/// One entry per node of the graph.
std::vector<PlacedNode> partition(const graph::Graph& graph, const CompileOptions& options);

/// What only the host does in front of nodes of the device, in words; nothing for other nodes.
std::optional<std::string> conversion(const graph::Graph& graph, const graph::Node& node);

/// Consecutive work of one place.
struct Group {
  bool on_device = false;
  std::vector<graph::NodeId> nodes;
};

/// An order that alternates between device and CPU as rarely as the graph allows. `roots` is what graph::fuse
/// gives: a CPU group has the nodes of one of its groups.
std::vector<Group> group_steps(const graph::Graph& graph, const std::vector<PlacedNode>& nodes,
                               const std::vector<graph::NodeId>& roots);

}  // namespace vdla::pipeline
