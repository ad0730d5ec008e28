// SPDX-License-Identifier: Apache-2.0
// Steps off the device: functions of fused nodes, each with its machine code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/knobs/book.h"
#include "compiler/options/options.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/model.h"
#include "compiler/pipeline/place/group.h"
#include "compiler/targets/cpu/kernels/functions.h"
#include "compiler/targets/cpu/kernels/fusion.h"
#include "compiler/targets/cpu/kernels/in_place.h"

namespace vdla::pipeline {

/// The groups of the nodes off the device, which fuses its own.
Fusion fuse_off_device(const graph::Graph& graph, const Placement& nodes, const CompileOptions& options);

/// Adds steps to a model. Equal functions are one.
class HostSteps {
 public:
  /// `groups`: all of the network. The model and the options must outlive it.
  HostSteps(CompiledModel& model, const std::vector<Group>& groups, const CompileOptions& options);
  HostSteps(const HostSteps&) = delete;
  HostSteps& operator=(const HostSteps&) = delete;

  /// Adds the step that computes a group, and says in the reports of its nodes how. A concatenation whose
  /// inputs are stored in their places has none.
  void add(const Group& group);

 private:
  NodeReport& report(graph::NodeId node) { return model_.nodes[at(node)]; }
  void note_places(const Group& group);
  void note_joined(graph::NodeId node, const std::vector<graph::NodeId>& makers);
  /// The function of a group by the knobs of `book`, with its result where it lies.
  HostKernel kernel_of(const Group& group, const Watch& watch, const KnobBook* book) const;
  /// Gives a kernel its function, which equal ones share; whether it is a new one.
  bool share(HostKernel& kernel);
  void make_code(const HostKernel& kernel, bool is_new, const Watch& watch);
  std::vector<OtherKernel> others_of(const Group& group, const HostKernel& own, const Watch& watch);

  CompiledModel& model_;
  const CompileOptions& options_;
  const HostSlices slices_;
  const KnobBook none_;   ///< an empty book
  const KnobBook* book_;  ///< book that is asked for knobs; null: there is none
  const passes::Target table_;
  Functions functions_;
};

}  // namespace vdla::pipeline
