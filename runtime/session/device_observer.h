// SPDX-License-Identifier: Apache-2.0
// Observer of what a session does with its device.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/module/module.h"
#include "runtime/session/gpu_result.h"

namespace vdla::runtime {

/// Cost of one layer of a device step. A layer's cycles run from the previous layer's last retire to its own,
/// so that layers add up to the run.
struct LayerCost {
  std::uint64_t cycles = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};

/// Address of each window in the device's memory; 0: the step has no bytes in it.
using WindowAddresses = std::array<std::uint64_t, isa::kWindowCount>;

/// Watches the device while a step runs, by means that registers do not offer: a simulator's trace; and what
/// a GPU does beside it.
class DeviceObserver {
 public:
  virtual ~DeviceObserver() = default;
  /// `index`: of the step in the module.
  virtual void before(std::size_t index, const DeviceStep& step, const WindowAddresses& windows) = 0;
  /// One row per layer of the step's source map, in its order.
  virtual std::vector<LayerCost> after(const DeviceStep& step) = 0;
  /// Called where a GPU's segment begins; steps of the device may follow before it is waited for.
  virtual void before_gpu(const GpuSegment&) {}
  /// Called where the session has waited for it.
  virtual void after_gpu(const GpuSegment&, const GpuResult&) {}
};

}  // namespace vdla::runtime
