// SPDX-License-Identifier: Apache-2.0
// The order of a model's steps where a GPU computes some of them, and what they cost by the figures of a
// target: parameters, no measurements.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/options/options.h"
#include "compiler/pipeline/model.h"
#include "compiler/targets/target.h"

namespace vdla::pipeline {

/// A step of the model, on its way to another place.
struct Moving {
  Step step;
  int index = 0;                          ///< place before
  std::optional<targets::GridLayer> gpu;  ///< layer that computes it; nothing: it stays
};

/// Returns the tensor that a host step writes.
graph::TensorId result_of(const graph::Graph& graph, const Moving& m);
/// Returns the tensors that a step reads; for host steps also those that it writes.
std::vector<graph::TensorId> tensors_of(const Step& step);

/// Costs of steps, in seconds.
class StepCosts {
 public:
  /// `model` as compiled: reports name steps by where they were.
  StepCosts(const CompiledModel& model, const CompileOptions& options, const targets::Target& gpu);

  /// On the GPU, copies aside.
  double on_gpu(std::span<const Moving> steps) const;
  /// On the CPU.
  double on_cpu(std::span<const Moving> steps) const;
  /// Cost of a step where the session runs it: on the device, or the CPU.
  double where_it_is(const Moving& step) const;
  /// Cost of a run of a program that copies these bytes to the GPU and back.
  double crossing(double bytes) const;

 private:
  const CompiledModel& model_;
  const CompileOptions& options_;
  const targets::Target& gpu_;
  std::vector<double> device_;  ///< costs of steps of the device, by where they were; 0 for others
};

/// Steps of the GPU in few runs that each begin early:
///   * between two steps of the device one kind of host steps as long as it goes, then the other;
///   * a run goes in front of steps that make nothing that it reads: a session runs those beside it;
///   * a part of a run does so alone where that saves more than another border costs.
std::vector<Moving> in_good_order(const graph::Graph& graph, const StepCosts& costs,
                                  std::vector<Moving> steps);

}  // namespace vdla::pipeline
