// SPDX-License-Identifier: Apache-2.0
// Tasks of a network for a search, by the plan that a book has for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/knobs/task.h"
#include "compiler/options/options.h"
#include "compiler/tune/tuner.h"

namespace vdla::tune {

/// Takes a task of a network; of those that are alike, the first. Whether it was that.
bool add_task(std::vector<Task>& tasks, const pipeline::KnobTask& task);

class PlanTasks {
 public:
  /// Keeps a reference to the graph. `compile`: without machine code.
  PlanTasks(const graph::Graph& graph, pipeline::CompileOptions compile);

  /// Choices of the plan, then layers, those of one task and context once. None where the book's choices
  /// cannot be had together. Each plan is compiled once.
  const std::vector<Task>& with(const pipeline::KnobBook& book);

 private:
  const graph::Graph& graph_;
  pipeline::CompileOptions compile_;
  std::map<std::string, std::vector<Task>> tasks_;  ///< tasks by pipeline::choices_of()
};

}  // namespace vdla::tune
