// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/registers.h"

#include <algorithm>

#include "isa/spec/registers.h"
#include "isa/spec/version.h"

namespace vdla::sim {
namespace {

using isa::Register;

/// The row that describes an offset, the groups of windows 1 to 7 included; null when unmapped.
const isa::RegisterRow* register_row(std::uint32_t offset) {
  constexpr auto kWindows = static_cast<std::uint32_t>(Register::WINDOW0_BASE_LO);
  if (offset >= kWindows && offset < kWindows + isa::kWindowCount * isa::kWindowStride)
    offset = kWindows + (offset - kWindows) % isa::kWindowStride;
  const auto row = std::ranges::find(isa::kRegisters, offset, &isa::RegisterRow::offset);
  return row == isa::kRegisters.end() ? nullptr : &*row;
}

}  // namespace

RegisterFile::RegisterFile(const isa::Geometry& geometry) {
  set(Register::MAGIC, isa::kMagic);
  set(Register::ISA_VERSION, isa::kIsaVersion);
  set_wide(Register::GEOMETRY_HASH_LO, isa::geometry_hash(geometry));
  set(Register::BUILD_ID, isa::kSimulatedBuild);
  set(Register::ADDRESS_BITS, isa::kSimulatedAddressBits);
  for (std::size_t i = 0; i < isa::kGeometryFields.size(); ++i)
    set(isa::geometry_register(i), geometry.*isa::kGeometryFields[i].member);
  set(Register::STATUS, isa::kStatusIdle);
}

std::uint32_t RegisterFile::read(std::uint32_t offset) const {
  return register_row(offset) == nullptr ? 0 : values_[offset / 4];
}

RegisterFile::Request RegisterFile::write(std::uint32_t offset, std::uint32_t value) {
  const isa::RegisterRow* row = register_row(offset);
  if (row == nullptr) return Request::None;
  switch (row->access) {
    case isa::Access::Fixed:
    case isa::Access::ReadOnly:
      return Request::None;
    case isa::Access::WriteOneToClear:
      values_[offset / 4] &= ~value;
      return Request::None;
    case isa::Access::ReadWriteIdle:
      if (running()) return Request::None;
      break;
    case isa::Access::ReadWrite:
      break;
  }
  if (offset != static_cast<std::uint32_t>(Register::CONTROL)) {
    values_[offset / 4] = value;
    return Request::None;
  }
  set(Register::CONTROL, value & isa::kControlIrqEnable);
  if (value & isa::kControlSoftReset) return Request::SoftReset;
  return value & isa::kControlStart && !running() ? Request::Start : Request::None;
}

std::uint64_t RegisterFile::get_wide(Register low) const {
  const auto at = static_cast<std::uint32_t>(low) / 4;
  return values_[at] | std::uint64_t{values_[at + 1]} << 32;
}

void RegisterFile::set_wide(Register low, std::uint64_t value) {
  const auto at = static_cast<std::uint32_t>(low) / 4;
  values_[at] = static_cast<std::uint32_t>(value);
  values_[at + 1] = static_cast<std::uint32_t>(value >> 32);
}

isa::Windows RegisterFile::windows() const {
  isa::Windows windows;
  auto at = static_cast<std::uint32_t>(Register::WINDOW0_BASE_LO) / 4;
  for (isa::WindowRange& window : windows) {
    window.base = values_[at] | std::uint64_t{values_[at + 1]} << 32;
    window.size = values_[at + 2] | std::uint64_t{values_[at + 3]} << 32;
    at += isa::kWindowStride / 4;
  }
  return windows;
}

bool RegisterFile::interrupt() const {
  return (get(Register::CONTROL) & isa::kControlIrqEnable) != 0 && get(Register::IRQ_STATUS) != 0;
}

void RegisterFile::set_status(std::uint32_t status, std::uint32_t irq) {
  set(Register::STATUS, status);
  set(Register::IRQ_STATUS, get(Register::IRQ_STATUS) | irq);
}

void RegisterFile::begin_run() {
  set(Register::STATUS, isa::kStatusBusy);
  for (const Register r : {Register::ERROR_CODE, Register::ERROR_UNIT, Register::ERROR_INSN}) set(r, 0);
  for (const Register r :
       {Register::ERROR_ADDR_LO, Register::CYCLES_LO, Register::READ_BYTES_LO, Register::WRITE_BYTES_LO})
    set_wide(r, 0);
  for (unsigned u = 0; u <= isa::kQueueUnits; ++u) {
    publish({static_cast<isa::Unit>(u)});
    set_of_unit(Register::LOAD_SINCE, u, 0);
    if (u == isa::kQueueUnits) continue;
    set_of_unit(Register::LOAD_BUSY, u, 0);
    set_of_unit(Register::LOAD_TOKEN_STALL, u, 0);
  }
}

void RegisterFile::finish(std::uint32_t sequence) {
  set(Register::SEQUENCE, sequence);
  set_status(isa::kStatusIdle | isa::kStatusDone, isa::kIrqDone);
}

void RegisterFile::fail(const isa::Fault& fault, isa::Unit unit, std::uint32_t insn) {
  set(Register::ERROR_CODE, static_cast<std::uint32_t>(fault.code));
  set(Register::ERROR_UNIT, static_cast<std::uint32_t>(unit));
  set(Register::ERROR_INSN, insn);
  set_wide(Register::ERROR_ADDR_LO, fault.address);
  set_status(isa::kStatusIdle | isa::kStatusError, isa::kIrqError);
}

void RegisterFile::soft_reset() {
  begin_run();
  set(Register::STATUS, isa::kStatusIdle);
}

void RegisterFile::publish(const UnitState& s) {
  const auto unit = static_cast<unsigned>(s.unit);
  set_of_unit(Register::LOAD_INSN, unit, s.insn);
  using isa::placed_at;
  const std::uint32_t state = s.unit == isa::Unit::Fetch
                                  ? placed_at(isa::kFetchStateBusy, s.has_insn) |
                                        placed_at(isa::kFetchStateWaitingQueue, s.waiting_pushes)
                                  : placed_at(isa::kUnitStateHasInsn, s.has_insn) |
                                        placed_at(isa::kUnitStateRunning, s.running) |
                                        placed_at(isa::kUnitStateWaitingPops, s.waiting_pops) |
                                        placed_at(isa::kUnitStateWaitingPushes, s.waiting_pushes);
  set_of_unit(Register::LOAD_STATE, unit, state);
}

}  // namespace vdla::sim
