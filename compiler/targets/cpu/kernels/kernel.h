// SPDX-License-Identifier: Apache-2.0
// A function of a graph's nodes, with what its parameters stand for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/knobs/task.h"
#include "compiler/loop/stmt.h"

namespace vdla::pipeline {

/// Argument of the function: a tensor of the graph, or a constant of the kernel's own.
struct KernelArgument {
  graph::TensorId tensor = graph::kNone;
  graph::SharedBytes data;  ///< set where tensor is kNone
};

struct HostKernel {
  std::string node;
  loop::Func func;
  std::vector<KernelArgument> arguments;  ///< one for each of func.params
  // Task of the group, where a book was asked for knobs;
  std::optional<KnobTask> task = {};  ///< nothing where no template with knobs takes the group
  std::string knobs = {};             ///< origin of the knobs, for people
};

}  // namespace vdla::pipeline
