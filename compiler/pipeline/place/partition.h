// SPDX-License-Identifier: Apache-2.0
// Which nodes run on the device, which on the CPU, which vanish.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/pipeline/options.h"
#include "compiler/pipeline/place/placement.h"

namespace vdla::pipeline {

/// Each node by itself, but for sums, which join the convolution that makes one of their operands.
Placement place_nodes(const graph::Graph& graph, const CompileOptions& options, const KeptOff& kept_off);

/// And depthwise convolutions joined with the one in front of them; nodes whose result nobody reads any more
/// are folded.
Placement partition(const graph::Graph& graph, const CompileOptions& options, const KeptOff& kept_off);

/// What only the host does in front of nodes of the device, in words; nothing for other nodes.
std::optional<std::string> conversion(const graph::Graph& graph, const graph::Node& node);

}  // namespace vdla::pipeline
