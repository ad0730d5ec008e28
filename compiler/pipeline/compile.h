// SPDX-License-Identifier: Apache-2.0
// compile(): the only place that knows the order from a network to what runs: graph passes, partition, device
// segments, kernels for the CPU. The result is a plain value; the writer of the module file converts it.
// Nothing else in compiler/pipeline includes this header.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/host/host_kernel.h"
#include "compiler/pipeline/host/host_object.h"
#include "compiler/pipeline/options.h"
#include "compiler/pipeline/report.h"
#include "compiler/pipeline/segment/device_step.h"

namespace vdla::pipeline {

/// Kernel of the same nodes by other knobs.
struct OtherKernel {
  HostKernel kernel;
  std::string knobs;    ///< knobs of a book's record; empty: default ones
  double estimate = 0;  ///< for them, of the template, in nanoseconds of no certain machine; 0: default ones
};

struct HostStep {
  HostKernel kernel;
  std::vector<graph::NodeId> nodes;  ///< nodes that it computes, as host_kernel() takes them
  /// Kernels by CompileOptions::alternatives, each with a function of its own.
  std::vector<OtherKernel> others = {};
  std::string knobs = {};  ///< knobs of `kernel`, as in OtherKernel, where there are others
  double estimate = 0;
};

using Step = std::variant<DeviceStep, HostStep>;

struct CompiledModel {
  graph::Graph graph;  ///< after all passes
  isa::Variant variant;
  bool use_device = true;
  std::vector<Step> steps;
  std::vector<NodeReport> nodes;
  std::vector<KnobTask> choices;  ///< choices of the graph: packing, joins, places, on the CPU blocks of
                                  ///< channels and fusion; empty without a book
  /// Seconds that a book's own places add outside of the device's programs, by the estimate. They can be
  /// below 0.
  double moved_seconds = 0;
  /// host_functions() as the table of lowering leaves them: what the objects are made of. Empty without
  /// machine code.
  std::vector<loop::Func> host_code;
  std::vector<HostObject> objects;
};

/// Functions of the steps on the host, in order; steps that do the same share one.
std::vector<loop::Func> host_functions(const CompiledModel& model);

/// All that a book can give knobs to, choices first. Empty for a model that was compiled without one.
std::vector<KnobTask> knob_tasks(const CompiledModel& model);

CompiledModel compile(const graph::Graph& graph, const CompileOptions& options);

}  // namespace vdla::pipeline
