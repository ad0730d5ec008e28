// SPDX-License-Identifier: Apache-2.0
// Names of a grid machine's functions in a knob book.
#pragma once

#include <span>
#include <string_view>

#include "compiler/graph/graph.h"
#include "compiler/knobs/task.h"

namespace vdla::pipeline::gpu {

/// A group of the graph that a template takes. The task is the template, and operator, operands and result of
/// the group's sums (of its last node, where it has none); the context is what is computed with them. Groups
/// that have both in common have the same space.
KnobTask task_of(const graph::Graph& graph, std::span<const graph::NodeId> group, std::string_view by,
                 const KnobSpace& space);

}  // namespace vdla::pipeline::gpu
