// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/plan_tasks.h"

#include <algorithm>
#include <utility>

#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/knobs/choice.h"
#include "support/error.h"

namespace vdla::tune {
namespace {

std::vector<Task> tasks_of(const pipeline::CompiledModel& model) {
  std::vector<Task> tasks;
  for (const pipeline::KnobTask& t : pipeline::knob_tasks(model)) {
    const auto known = std::ranges::find_if(
        tasks, [&](const Task& other) { return other.task == t.task && other.context == t.context; });
    if (known == tasks.end())
      tasks.push_back({t.task, t.context, t.space, 1, t.plan});
    else
      ++known->layers;
  }
  return tasks;
}

}  // namespace

PlanTasks::PlanTasks(const graph::Graph& graph, pipeline::CompileOptions compile)
    : graph_(graph), compile_(std::move(compile)) {}

const std::vector<Task>& PlanTasks::with(const pipeline::KnobBook& book) {
  const std::string plan = pipeline::choices_of(book);
  const auto [entry, is_new] = tasks_.try_emplace(plan);
  if (!is_new) return entry->second;
  compile_.book = book;
  try {
    entry->second = tasks_of(pipeline::compile(graph_, compile_));
  } catch (const UserError&) {
    if (plan.empty()) throw;
  }
  return entry->second;
}

}  // namespace vdla::tune
