// SPDX-License-Identifier: Apache-2.0
// Placement of a network's nodes, and their roles there: a value, which partition() makes and later steps
// read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/knobs/task.h"
#include "compiler/targets/vdla/templates/ops.h"

namespace vdla::pipeline {

/// The place of a tensor or node in a table of them.
inline std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

enum class Place : std::uint8_t {
  Device,
  Cpu,
  Gpu,     ///< host steps that a GPU computes (compiler/pipeline/steps/programs.h)
  Folded,  ///< nowhere: other nodes do its work, or read past it
};
std::string_view name_of(Place place);  ///< "vdla", "cpu", "gpu", "folded"

struct PlacedNode {
  Place place = Place::Cpu;
  std::string reason;
  /// Set on the device, but for reshapes, which only give bytes another shape.
  std::optional<device::Op> op;
  std::vector<graph::TensorId> inputs;  ///< tensors that it reads, where it runs
  /// Fusions that other variants of the machine allow and this one does not, with the reason.
  std::vector<std::string> lost;
  std::vector<KnobTask> choices;  ///< choices of joins that were made here, and a book can make otherwise
  std::string costs;              ///< costs of its island, where they decided; empty otherwise
};

/// Without a layer.
PlacedNode placed(Place place, std::string reason, std::vector<graph::TensorId> inputs = {});
PlacedNode folded(std::string reason);

/// One entry for each node of the graph, in its order.
using Placement = std::vector<PlacedNode>;

}  // namespace vdla::pipeline
