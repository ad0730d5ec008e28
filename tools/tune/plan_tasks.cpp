// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/plan_tasks.h"

#include <algorithm>
#include <utility>

#include "compiler/knobs/choice.h"
#include "compiler/pipeline/compile.h"
#include "support/error.h"

namespace vdla::tune {
bool add_task(std::vector<Task>& tasks, const pipeline::KnobTask& task) {
  const auto known = std::ranges::find_if(
      tasks, [&](const Task& t) { return t.task == task.task && t.context == task.context; });
  if (known != tasks.end()) {
    ++known->layers;
    return false;
  }
  tasks.push_back({task.task, task.context, task.space, 1, task.plan});
  return true;
}

PlanTasks::PlanTasks(const graph::Graph& graph, pipeline::CompileOptions compile)
    : graph_(graph), compile_(std::move(compile)) {}

const std::vector<Task>& PlanTasks::with(const pipeline::KnobBook& book) {
  const std::string plan = pipeline::choices_of(book);
  const auto [entry, is_new] = tasks_.try_emplace(plan);
  if (!is_new) return entry->second;
  compile_.book = book;
  try {
    for (const pipeline::KnobTask& task : pipeline::knob_tasks(pipeline::compile(graph_, compile_)))
      add_task(entry->second, task);
  } catch (const UserError&) {
    if (plan.empty()) throw;
  }
  return entry->second;
}

}  // namespace vdla::tune
