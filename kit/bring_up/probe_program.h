// SPDX-License-Identifier: Apache-2.0
// A small program that shows how a device does: assembler text over windows of its own.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "isa/spec/geometry.h"
#include "isa/spec/memories.h"
#include "runtime/device/device.h"

namespace vdla::kit {

/// Returns assembler text of a load that reads the beginning of window act again and again for about
/// `cycles`.
std::string load_loop(const isa::Variant& variant, std::uint64_t cycles);

/// Throws DeviceError where the device, or the way to it, fails.
class ProbeProgram {
 public:
  /// Writes the program into memory, windows act and output (16 KiB each) beside it; probes and resets the
  /// device.
  ProbeProgram(const vdla_transport& transport, const isa::Variant& variant, const std::string& text);
  /// Resets the device before its memory is given back.
  ~ProbeProgram();
  ProbeProgram(const ProbeProgram&) = delete;
  ProbeProgram& operator=(const ProbeProgram&) = delete;

  void start();
  /// Returns whether the program has ended; reads the status once.
  bool ended();
  /// Waits for the end of the program.
  void wait();
  /// Time after which it has gone wrong, in the transport's unit.
  std::uint64_t timeout() const;

  /// Counters of the last run.
  vdla_counters counters();
  std::uint64_t cycles() { return counters().cycles; }

 private:
  void call(vdla_driver_status status);

  vdla_device device_{};
  std::array<runtime::DmaBlock, isa::kWindows.size()> windows_;  // given back after the reset
  vdla_launch launch_{};
  std::uint64_t predicted_cycles_ = 0;
};

}  // namespace vdla::kit
