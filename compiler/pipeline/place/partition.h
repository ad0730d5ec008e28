// SPDX-License-Identifier: Apache-2.0
// Which nodes run on the device, which on the CPU, which vanish.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/pipeline/options.h"
#include "compiler/pipeline/place/placement.h"

namespace vdla::pipeline {

/// One entry per node of the graph.
std::vector<PlacedNode> partition(const graph::Graph& graph, const CompileOptions& options);

/// What only the host does in front of nodes of the device, in words; nothing for other nodes.
std::optional<std::string> conversion(const graph::Graph& graph, const graph::Node& node);

}  // namespace vdla::pipeline
