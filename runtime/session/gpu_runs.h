// SPDX-License-Identifier: Apache-2.0
// Segments of a module on a GPU beside its other steps: each begins where its turn comes among the steps, and
// is waited for before the first step that names what it makes. Several may run at once. Internal to the
// runtime.
//
// What they make is copied into the host's arena while they are waited for. There it may be from the
// segment's own steps on up to the last step that names it (runtime/session/arena.h), and the wait lies
// between them.
#pragma once

#include <functional>
#include <vector>

#include "runtime/session/device_observer.h"
#include "runtime/session/gpu_program.h"

namespace vdla::runtime {

class GpuRuns {
 public:
  /// GpuError where the device does not take a program. `module` outlives it; `observer` may be null. `made`
  /// is called for each output of a segment once it has been copied back. `timed`: each segment runs once
  /// more, for the times of its layers, while no other one runs.
  GpuRuns(gpu::Device& device, const Module& module, TensorPlace place, std::function<void(TensorIndex)> made,
          bool timed, DeviceObserver* observer);

  /// Waits for the segments that the step needs, by segments_needed_at(). GpuError names the kernel that
  /// failed.
  void wait_for(std::size_t step, std::vector<GpuResult>& results);
  /// Starts a segment whose inputs are there. `results` has one for each before it.
  void start(std::size_t segment, std::vector<GpuResult>& results);
  /// After a failure elsewhere: none runs any more.
  void abandon() noexcept;

 private:
  void finish(std::size_t segment, GpuResult& result);

  const Module& module_;
  const TensorPlace place_;
  const std::function<void(TensorIndex)> made_;
  const bool timed_;
  DeviceObserver* const observer_;
  const std::vector<std::size_t> needed_at_;  ///< steps by segment
  std::vector<GpuProgram> programs_;
  std::vector<std::size_t> started_;  ///< and not finished
};

}  // namespace vdla::runtime
