// SPDX-License-Identifier: Apache-2.0
// A device's registers as a page of plain memory, for tests of transports that map it: what hardware would do
// at once happens in step(), which the test calls wherever time passes.
#pragma once

#include <cstdint>
#include <functional>

#include "isa/spec/registers.h"
#include "isa/spec/version.h"

namespace vdla::driver {

class FakePage {
 public:
  /// `registers`: isa::kRegisterSpace bytes; becomes a device that is idle.
  explicit FakePage(void* registers) : registers_(static_cast<volatile std::uint32_t*>(registers)) {
    set(isa::Register::MAGIC, isa::kMagic);
    set(isa::Register::ISA_VERSION, isa::kIsaVersion);
    set(isa::Register::STATUS, isa::kStatusIdle);
  }

  std::uint32_t get(isa::Register r) const { return registers_[static_cast<std::uint32_t>(r) / 4]; }
  void set(isa::Register r, std::uint32_t value) { registers_[static_cast<std::uint32_t>(r) / 4] = value; }
  bool raised() const { return get(isa::Register::IRQ_STATUS) != 0; }

  /// Takes what was written to CONTROL. What acknowledges an interrupt only takes effect with the next start.
  void step() {
    const std::uint32_t control = get(isa::Register::CONTROL);
    if (control == 0) return;
    set(isa::Register::CONTROL, 0);
    set(isa::Register::IRQ_STATUS, 0);
    if ((control & isa::kControlSoftReset) != 0) ++resets;
    if (stuck) return;
    set(isa::Register::STATUS, (control & isa::kControlStart) != 0 ? isa::kStatusBusy : isa::kStatusIdle);
    if ((control & isa::kControlStart) != 0) on_start();
  }

  /// The program ends.
  void finish(std::uint32_t sequence = 7) {
    set(isa::Register::SEQUENCE, sequence);
    set(isa::Register::STATUS, isa::kStatusIdle | isa::kStatusDone);
    set(isa::Register::IRQ_STATUS, isa::kIrqDone);
  }

  std::function<void()> on_start = [this] { finish(); };
  int resets = 0;
  bool stuck = false;  ///< a soft reset does not end

 private:
  volatile std::uint32_t* registers_;
};

}  // namespace vdla::driver
