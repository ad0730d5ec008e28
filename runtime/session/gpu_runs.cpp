// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/gpu_runs.h"

#include <algorithm>
#include <utility>

namespace vdla::runtime {

GpuRuns::GpuRuns(gpu::Device& device, const Module& module, TensorPlace place,
                 std::function<void(TensorIndex)> made, bool timed, DeviceObserver* observer)
    : module_(module),
      place_(std::move(place)),
      made_(std::move(made)),
      timed_(timed),
      observer_(observer),
      needed_at_(segments_needed_at(module)) {
  for (const GpuSegment& segment : module.gpu) programs_.emplace_back(device, segment, module);
}

void GpuRuns::start(std::size_t segment, std::vector<GpuResult>& results) {
  if (observer_) observer_->before_gpu(module_.gpu[segment]);
  programs_[segment].start(place_);
  results.push_back({.segment = segment});
  started_.push_back(segment);
}

void GpuRuns::wait_for(std::size_t step, std::vector<GpuResult>& results) {
  for (std::size_t i = 0; i < started_.size();) {
    const std::size_t segment = started_[i];
    if (needed_at_[segment] > step) {
      ++i;
      continue;
    }
    finish(segment, results.at(segment));
    started_.erase(started_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void GpuRuns::finish(std::size_t segment, GpuResult& result) {
  result = programs_[segment].finish(place_);
  result.segment = segment;
  for (const GpuTensor& output : module_.gpu[segment].outputs) made_(output.tensor);
  if (timed_) {
    for (const std::size_t other : started_) programs_[other].wait();
    result.layer_seconds = programs_[segment].layer_seconds();
  }
  if (observer_) observer_->after_gpu(module_.gpu[segment], result);
}

void GpuRuns::abandon() noexcept {
  for (GpuProgram& program : programs_) program.abandon();
  started_.clear();
}

}  // namespace vdla::runtime
