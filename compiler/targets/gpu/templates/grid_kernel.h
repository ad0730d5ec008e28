// SPDX-License-Identifier: Apache-2.0
// Nodes of a graph as loop IR for machines with a grid: their tensor expressions under a schedule with blocks
// and threads, lowered. What comes out has a meaning in order (decision 9); the tables of lowering of such
// machines (compiler/passes/target.h) and grid::split_launches() make kernels of it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/knobs/book.h"
#include "compiler/knobs/space.h"
#include "compiler/observe/observe.h"
#include "compiler/targets/cpu/kernels/kernel.h"
#include "compiler/targets/gpu/profile.h"

namespace vdla::pipeline {

/// How a group is computed: the template that takes it, its knobs, and those that it has by default.
struct GridTemplate {
  std::string_view name;
  std::optional<KnobSpace> space;  ///< nothing: no knobs
  Point standard;
  /// Whether the factors of its products are rounded to tf32, which GpuProfile::has_tf32 asks for.
  bool rounds() const;
};

struct GridKernel {
  HostKernel kernel;
  GridTemplate by;
  Point point;  ///< the knobs that it has
};

/// A group, in order, as one function. `point`: its knobs, a legal point of the space of its template; null:
/// the default ones.
GridKernel grid_kernel(const graph::Graph& graph, std::span<const graph::NodeId> group,
                       const gpu::GpuProfile& profile, const Watch& watch = {}, const Point* point = nullptr);
/// Kernel with knobs as the template's space writes them; empty: the default ones. UserError for those of
/// another template.
GridKernel grid_kernel_with(const graph::Graph& graph, std::span<const graph::NodeId> group,
                            const gpu::GpuProfile& profile, std::string_view knobs, const Watch& watch = {});
/// Kernel with the knobs that a book has for the group's task (compiler/targets/gpu/templates/task.h), and
/// the default ones without a record: the kernel says which. BookFault for a record that is not of the task's
/// space.
GridKernel grid_kernel_by(const graph::Graph& graph, std::span<const graph::NodeId> group,
                          const gpu::GpuProfile& profile, const KnobBook& book, const Watch& watch = {});

}  // namespace vdla::pipeline
