// SPDX-License-Identifier: Apache-2.0
// A segment of a module on a GPU: its program, loaded, with its constants there. Internal to the runtime.
#pragma once

#include <functional>
#include <memory>

#include "runtime/gpu_result.h"
#include "runtime/grid/device.h"
#include "runtime/module.h"

namespace vdla::runtime {

class GpuProgram {
 public:
  /// GpuError where the device does not take it. The segment has to outlive it.
  GpuProgram(gpu::Device& device, const GpuSegment& segment, const Module& module);

  /// Copies inputs to the GPU, runs, copies outputs back; `data` is where a tensor lies. `timed`: once more,
  /// for the times of its layers. GpuError where a kernel fails.
  GpuResult run(const std::function<std::byte*(TensorIndex)>& data, bool timed);

 private:
  const GpuSegment& segment_;
  std::unique_ptr<gpu::Loaded> loaded_;
};

}  // namespace vdla::runtime
