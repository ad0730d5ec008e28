// SPDX-License-Identifier: Apache-2.0
// The register file of a simulated device: values, access rules, windows, error and interrupt state. What is
// dynamic (unit states, counters) the engine publishes before a read.
#pragma once

#include <array>
#include <cstdint>

#include "isa/semantics/state.h"
#include "isa/spec/registers.h"
#include "sim/contract.h"

namespace vdla::sim {

class RegisterFile {
 public:
  /// Request that a write makes of the machine.
  enum class Request : std::uint8_t { None, Start, SoftReset };

  explicit RegisterFile(const isa::Geometry& geometry);

  std::uint32_t read(std::uint32_t offset) const;
  Request write(std::uint32_t offset, std::uint32_t value);

  std::uint32_t get(isa::Register r) const { return values_[static_cast<std::uint32_t>(r) / 4]; }
  void set(isa::Register r, std::uint32_t value) { values_[static_cast<std::uint32_t>(r) / 4] = value; }
  /// A LO and HI pair, named by LO.
  std::uint64_t get_wide(isa::Register low) const;
  void set_wide(isa::Register low, std::uint64_t value);
  /// A register that each unit has, named by that of load.
  void set_of_unit(isa::Register of_load, unsigned unit, std::uint32_t value) {
    values_[(static_cast<std::uint32_t>(of_load) + unit * isa::kUnitStride) / 4] = value;
  }

  isa::Windows windows() const;

  bool running() const { return (get(isa::Register::STATUS) & isa::kStatusBusy) != 0; }
  bool interrupt() const;

  /// Status, errors, counters and unit states as at the start of a run.
  void begin_run();
  void finish(std::uint32_t sequence);
  void fail(const isa::Fault& fault, isa::Unit unit, std::uint32_t insn);
  /// Idle, no error; what the driver has written and raised interrupts stay.
  void soft_reset();

  void publish(const UnitState& state);

 private:
  void set_status(std::uint32_t status, std::uint32_t irq);

  std::array<std::uint32_t, isa::kRegisterSpace / 4> values_{};
};

}  // namespace vdla::sim
