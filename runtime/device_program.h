// SPDX-License-Identifier: Apache-2.0
// A device step's program in the device's memory: windows, constants, micro-ops.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "isa/verify/verify.h"
#include "runtime/device.h"
#include "runtime/module.h"

namespace vdla::runtime {

class DeviceProgram {
 public:
  /// Allocates the windows. The step must outlive the program.
  DeviceProgram(Device& device, const DeviceStep& step);

  /// Copies a tensor into, or out of, its place. On the first use the program itself is written:
  /// instructions, constants, and the micro-ops, which are made from the micro-kernel descriptors just then
  /// and kept.
  void write(const DeviceTensor& place, const Tensor& tensor, const std::byte* from);
  void read(const DeviceTensor& place, const Tensor& tensor, std::byte* to) const;

  /// Throws DeviceError whose message names the layers of the instructions concerned.
  vdla_counters run(std::uint64_t timeout, std::uint32_t stall_limit);

 private:
  void load();
  DmaBlock& window(isa::Window w) { return windows_[static_cast<std::size_t>(w)]; }

  Device& device_;
  const DeviceStep& step_;
  std::array<DmaBlock, isa::kWindows.size()> windows_;
  bool loaded_ = false;
};

/// What the verifier must know of a step: which bytes its inputs fill, and which its outputs need.
isa::VerifyOptions verify_options(const DeviceStep& step);

}  // namespace vdla::runtime
