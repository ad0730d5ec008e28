// SPDX-License-Identifier: Apache-2.0
#include "sim/host/attached_engine.h"

#include <utility>

#include "isa/spec/registers.h"

namespace vdla::sim {
namespace {

using isa::Register;

/// Time that passes at once while a program runs, in cycles or, on the functional engine, instructions. The
/// host sees the registers as they are between two of these.
constexpr std::uint64_t kSlice = 10'000;

constexpr std::uint32_t offset_of_register(Register r) { return static_cast<std::uint32_t>(r); }

}  // namespace

std::uint32_t AttachedEngine::read(std::uint32_t offset) {
  ++counts_.reads;
  return engine_.read_register(offset);
}

void AttachedEngine::write(std::uint32_t offset, std::uint32_t value) {
  ++counts_.writes;
  engine_.write_register(offset, value);
  if (offset != offset_of_register(Register::CONTROL)) return;
  if ((value & isa::kControlSoftReset) != 0 && std::exchange(active_, false))
    (void)engine_.run(kSlice);  // bursts in flight end, also where no program looks at the device any more
  if ((value & isa::kControlStart) != 0) active_ = true;
}

void AttachedEngine::advance() {
  switch (engine_.run(kSlice)) {
    case Stop::CycleLimit:
      return;
    case Stop::Deadlock:
      stuck_ = describe(engine_.unit_states());
      active_ = false;
      return;
    case Stop::Interrupt:
      return note_end();
  }
}

void AttachedEngine::note_end() {
  active_ = false;
  ++counts_.runs;
  counts_.last_cycles = engine_.read_register(offset_of_register(Register::CYCLES_LO)) |
                        std::uint64_t{engine_.read_register(offset_of_register(Register::CYCLES_HI))} << 32;
  counts_.cycles += counts_.last_cycles;
}

bool AttachedEngine::interrupt() {
  const bool high = engine_.interrupt();
  if (high && !high_) ++counts_.interrupts;
  return high_ = high;
}

}  // namespace vdla::sim
