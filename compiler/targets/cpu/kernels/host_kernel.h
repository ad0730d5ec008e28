// SPDX-License-Identifier: Apache-2.0
// Graph nodes as loop IR for the CPU: their tensor expressions under a schedule, lowered.
#pragma once

#include <span>

#include "compiler/graph/graph.h"
#include "compiler/knobs/book.h"
#include "compiler/observe/observe.h"
#include "compiler/targets/cpu/kernels/kernel.h"
#include "compiler/targets/cpu/profile.h"

namespace vdla::pipeline {

/// One node in row-major order, for the interpreter.
HostKernel host_kernel(const graph::Graph& graph, const graph::Node& node, const Watch& watch = {});

/// A group of graph::fuse, in order, as one function: by the templates of compiler/targets/cpu/templates, for
/// threads. Knobs are those of `book` for the group's task, and default ones without a record or a book
/// (null).
HostKernel host_kernel(const graph::Graph& graph, std::span<const graph::NodeId> group,
                       const cpu::CpuProfile& machine, const Watch& watch = {},
                       const KnobBook* book = nullptr);

}  // namespace vdla::pipeline
