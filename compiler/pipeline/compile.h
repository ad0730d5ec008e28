// SPDX-License-Identifier: Apache-2.0
// compile(): the only place that knows the order from a network to what runs: graph passes, partition, device
// segments, kernels for the CPU, programs of a GPU. Nothing else in compiler/pipeline includes this header.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/pipeline/model.h"
#include "compiler/pipeline/options.h"

namespace vdla::pipeline {

/// The same nodes by other knobs.
struct OtherKernel {
  HostKernel kernel;
  std::string knobs;    ///< of a book's record; empty: default ones
  double estimate = 0;  ///< for them, of the template, in nanoseconds of no certain machine; 0: default ones
};

struct HostStep {
  HostKernel kernel;
  std::vector<graph::NodeId> nodes;      ///< that it computes, as host_kernel() takes them
  std::vector<OtherKernel> others = {};  ///< by CompileOptions::alternatives, each with a function of its own
  std::string knobs = {};                ///< of `kernel`, as in OtherKernel, where there are others
  double estimate = 0;
};

using Step = std::variant<DeviceStep, HostStep>;

struct CompiledModel {
  graph::Graph graph;  ///< after all passes
  isa::Variant variant;
  bool use_device = true;
  std::vector<Step> steps;
  std::vector<NodeReport> nodes;
  std::vector<KnobTask> choices;  ///< of the graph: packing, joins, places, on the CPU blocks of channels and
                                  ///< fusion; empty without a book
  /// Of what a book places otherwise than costs do: what the estimate says that this adds outside of the
  /// device's programs. It can be below 0.
  double moved_seconds = 0;
  /// Functions of the steps on the host, each once, as the table of lowering leaves them: what the objects
  /// are made of. Empty without machine code.
  std::vector<loop::Func> host_code;
  std::vector<HostObject> objects;
};

/// All that a book can give knobs to, choices first. Empty for a model that was compiled without one.
std::vector<KnobTask> knob_tasks(const CompiledModel& model);

CompiledModel compile(const graph::Graph& graph, const CompileOptions& options);

}  // namespace vdla::pipeline
