// SPDX-License-Identifier: Apache-2.0
// A segment of a module on a GPU: its program, loaded, with its constants there. Internal to the runtime.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/grid/device.h"
#include "runtime/module/module.h"
#include "runtime/session/gpu_result.h"

namespace vdla::runtime {

/// Place of a tensor in the memory of the host.
using TensorPlace = std::function<std::byte*(TensorIndex)>;

/// start(), then finish() or abandon(). GpuError where a kernel or a copy fails; it does not run then.
class GpuProgram {
 public:
  /// GpuError where the device does not take it. The segment has to outlive it.
  GpuProgram(gpu::Device& device, const GpuSegment& segment, const Module& module);

  /// Copies inputs to the GPU, which then are free to change, and begins its launches.
  void start(const TensorPlace& place);
  /// Until its kernels are done; at once where it does not run.
  void wait();
  /// Waits for the run, then copies outputs back. The result has no times of layers.
  GpuResult finish(const TensorPlace& place);
  /// wait(), whatever that says.
  void abandon() noexcept;

  /// After finish(), once more: seconds of each layer.
  std::vector<double> layer_seconds();

 private:
  const GpuSegment& segment_;
  std::unique_ptr<gpu::Loaded> loaded_;
  bool is_running_ = false;
  GpuResult result_;  ///< result of the run so far
};

}  // namespace vdla::runtime
