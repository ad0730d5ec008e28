// SPDX-License-Identifier: Apache-2.0
// Graph nodes as loop IR for the CPU: their tensor expressions under a schedule, lowered.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/loop/stmt.h"
#include "compiler/pipeline/cpu/machine.h"
#include "compiler/pipeline/knobs/task.h"
#include "compiler/pipeline/observe/observe.h"

namespace vdla::pipeline {

/// What stands behind a parameter of the function: a tensor of the graph, or a constant of the kernel's own.
struct KernelArgument {
  graph::TensorId tensor = graph::kNone;
  graph::SharedBytes data;  ///< set where tensor is kNone
};

struct HostKernel {
  std::string node;
  loop::Func func;
  std::vector<KernelArgument> arguments;  ///< one for each of func.params
  // Where a book was asked for knobs:
  std::optional<KnobTask> task = {};  ///< nothing where no template with knobs takes the group
  std::string knobs = {};             ///< where they come from, for people
};

/// One node in row-major order, for the interpreter.
HostKernel host_kernel(const graph::Graph& graph, const graph::Node& node, const Watch& watch = {});

/// A group of graph::fuse, in order, as one function: by the templates of compiler/pipeline/cpu, for threads.
/// Knobs are those of `book` for the group's task, and default ones without a record or a book (null).
HostKernel host_kernel(const graph::Graph& graph, std::span<const graph::NodeId> group,
                       const cpu::Machine& machine, const Watch& watch = {}, const KnobBook* book = nullptr);

}  // namespace vdla::pipeline
