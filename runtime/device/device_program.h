// SPDX-License-Identifier: Apache-2.0
// A device step's program in the device's memory: windows, constants, micro-ops.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/spec/legality.h"
#include "isa/verify/verify.h"
#include "runtime/device/device.h"
#include "runtime/module/module.h"

namespace vdla::runtime {

class DeviceProgram {
 public:
  /// Allocates the windows. The step must outlive the program; `timing` is of the machine that it is expected
  /// to run on.
  DeviceProgram(Device& device, const DeviceStep& step, const isa::Timing& timing);

  /// Copies a tensor into, or out of, its place. On the first use the program itself is written:
  /// instructions, constants, and the micro-ops, which are made from the micro-kernel descriptors just then
  /// and kept.
  void write(const DeviceTensor& place, const Tensor& tensor, const std::byte* from);
  void read(const DeviceTensor& place, const Tensor& tensor, std::byte* to) const;

  /// Address of each window; 0: it has no bytes.
  std::array<std::uint64_t, isa::kWindowCount> addresses() const;

  /// Throws DeviceError whose message names the layers of the instructions concerned. `timeout` is of each
  /// entry, in the transport's unit; 0: what the device's clock and the predicted cycles say.
  vdla_counters run(std::uint64_t timeout, std::uint32_t stall_limit);

 private:
  void load();
  DmaBlock& window(isa::Window w) { return windows_[static_cast<std::size_t>(w)]; }

  Device& device_;
  const DeviceStep& step_;
  std::uint64_t predicted_cycles_;
  std::array<DmaBlock, isa::kWindows.size()> windows_;
  bool loaded_ = false;
};

/// Cycles that legal instructions take one after the other, by the timing model's figures (isa/timing); SRAM
/// takes a byte a cycle. Units that overlap make it less: what a time-out is derived from, not an estimate.
std::uint64_t predicted_cycles(std::span<const isa::Insn> insns, const isa::Geometry& geometry,
                               const isa::Timing& timing);
/// The parts of the stream that are started one after the other.
std::vector<vdla_launch> launches_of(const isa::Program& program, std::uint32_t stall_limit);
/// Contents of a window before the first run, from its beginning; empty: nothing that the program brings.
Bytes image_of(const isa::Program& program, isa::Window window);

/// A stream of words, not all of which need be instructions: its bytes, its start, and what those that are
/// legal take.
Bytes image_of(std::span<const isa::InsnWords> words);
vdla_launch launch_of(std::span<const isa::InsnWords> words, std::uint32_t stall_limit);
std::uint64_t predicted_cycles(std::span<const isa::InsnWords> words, const isa::Geometry& geometry,
                               const isa::Timing& timing);

/// Options of the verifier for a step: the bytes that its inputs fill, and those that its outputs need.
isa::VerifyOptions verify_options(const DeviceStep& step);

}  // namespace vdla::runtime
