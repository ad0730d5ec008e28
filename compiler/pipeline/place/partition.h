// SPDX-License-Identifier: Apache-2.0
// Partition of the nodes: on the device, on the CPU, or folded into others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/options/options.h"
#include "compiler/pipeline/place/placement.h"

namespace vdla::pipeline {

/// Each node by itself, but for sums, which join the convolution that makes one of their operands.
Placement place_nodes(const graph::Graph& graph, const CompileOptions& options, const KeptOff& kept_off);

/// And depthwise convolutions joined with the one in front of them; nodes whose result is not read any more
/// are folded.
Placement partition(const graph::Graph& graph, const CompileOptions& options, const KeptOff& kept_off);

/// Work in front of nodes of the device that only the host does, in words; nothing for other nodes.
std::optional<std::string> conversion(const graph::Graph& graph, const graph::Node& node);

}  // namespace vdla::pipeline
