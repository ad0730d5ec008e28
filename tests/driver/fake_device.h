// SPDX-License-Identifier: Apache-2.0
// A device of plain registers behind the transport interface, for tests of the driver core: what happens
// after a start is scripted, and any function can be made to fail.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "driver/core/transport.h"
#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"

namespace vdla::driver {

class FakeDevice {
 public:
  static constexpr std::uint64_t kHash = 0x0123'4567'89ab'cdef;

  FakeDevice();
  FakeDevice(const FakeDevice&) = delete;
  FakeDevice& operator=(const FakeDevice&) = delete;

  const vdla_transport* transport() const { return &transport_; }
  std::uint32_t& at(isa::Register r) { return registers[static_cast<std::uint32_t>(r)]; }
  std::uint32_t& at(isa::Register r, unsigned step) {
    return registers[static_cast<std::uint32_t>(r) + step];
  }

  /// Raises done with this sequence number.
  void finish(std::uint32_t sequence);
  /// Raises an error.
  void fail(isa::ErrorCode code, isa::Unit unit, std::uint32_t insn, std::uint64_t address);

  std::map<std::uint32_t, std::uint32_t> registers;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> writes;  ///< in order
  std::function<vdla_wait_result(std::uint64_t timeout, std::uint64_t* spent)> on_wait;
  std::function<void(std::uint32_t control)> on_control;
  int fail_read_at = -1;   ///< offset whose reads fail
  int fail_write_at = -1;  ///< offset whose writes fail
  int waits = 0;
  std::function<int()> on_arm = [] { return 0; };         ///< called once transport_.arm_interrupt is set
  std::function<int()> on_hard_reset = [] { return 0; };  ///< called once transport_.hard_reset is set

  /// What a board's transport may have besides; before the probe.
  vdla_transport& options() { return transport_; }
  /// As a board has it: an interrupt that is let through, waits that double from 64 us on.
  void use_interrupt();
  void use_hard_reset();
  /// Every register reads all ones from now on.
  void die() { dead_ = true; }

 private:
  struct Calls;
  bool dead_ = false;
  vdla_transport transport_;
};

}  // namespace vdla::driver
