// SPDX-License-Identifier: Apache-2.0
// Result of a compile: a plain value, which the writer of the module file converts.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/report.h"
#include "compiler/targets/cpu/kernels/host_object.h"
#include "compiler/targets/cpu/kernels/kernel.h"
#include "compiler/targets/gpu/program/network.h"
#include "compiler/targets/vdla/segment/device_step.h"
#include "isa/spec/geometry.h"

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
  std::vector<OtherKernel> others =
      {};                  ///< kernels by CompileOptions::alternatives, each with a function of its own
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
  /// Functions of the steps on the host, each once, as the table of lowering leaves them: the source of the
  /// objects. Empty without machine code.
  std::vector<loop::Func> host_code;
  std::vector<HostObject> objects;
  /// Programs of the GPU, in the order of their steps, which stay host steps.
  std::vector<targets::GpuSteps> gpu;
};

/// All that CompileOptions::book can give knobs to, choices first. Empty for a model that was compiled
/// without one.
std::vector<KnobTask> knob_tasks(const CompiledModel& model);
/// All that GpuOptions::book can give knobs to.
std::vector<KnobTask> gpu_knob_tasks(const CompiledModel& model);

}  // namespace vdla::pipeline
