// SPDX-License-Identifier: Apache-2.0
// One graph node as loop IR for the CPU: its tensor expression under the default schedule, lowered.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/loop/stmt.h"

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
};

HostKernel host_kernel(const graph::Graph& graph, const graph::Node& node);

}  // namespace vdla::pipeline
