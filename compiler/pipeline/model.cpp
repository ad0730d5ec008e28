// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/model.h"

#include <algorithm>
#include <set>

namespace vdla::pipeline {

std::vector<loop::Func> host_functions(const CompiledModel& model) {
  std::vector<loop::Func> functions;
  std::set<std::string> names;
  for (const Step& step : model.steps) {
    const auto* host = std::get_if<HostStep>(&step);
    if (!host) continue;
    if (names.insert(host->kernel.func.name).second) functions.push_back(host->kernel.func);
    for (const OtherKernel& other : host->others)
      if (names.insert(other.kernel.func.name).second) functions.push_back(other.kernel.func);
  }
  return functions;
}

std::vector<KnobTask> knob_tasks(const CompiledModel& model) {
  std::vector<KnobTask> tasks = model.choices;
  for (const Step& step : model.steps)
    if (const auto* device = std::get_if<DeviceStep>(&step))
      tasks.insert(tasks.end(), device->tasks.begin(), device->tasks.end());
    else if (const auto& task = std::get<HostStep>(step).kernel.task)
      tasks.push_back(*task);
  std::ranges::stable_partition(tasks, &KnobTask::plan);
  return tasks;
}

std::vector<KnobTask> gpu_knob_tasks(const CompiledModel& model) {
  std::vector<KnobTask> tasks;
  for (const targets::GpuSteps& steps : model.gpu)
    for (const targets::GridFunction& function : steps.network.functions)
      if (function.task) tasks.push_back(*function.task);
  return tasks;
}

}  // namespace vdla::pipeline
