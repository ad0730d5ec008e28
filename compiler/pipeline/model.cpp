// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/model.h"

#include <algorithm>

namespace vdla::pipeline {

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
