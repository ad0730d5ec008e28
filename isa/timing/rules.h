// SPDX-License-Identifier: Apache-2.0
// The closed forms of docs/timing.md: what the machine takes beside a cycle for each step and each beat.
// tests/sim/timing_cases.h holds the SystemC engine and the RTL to them.
#pragma once

#include <cstdint>

#include "isa/spec/field.h"
#include "isa/spec/geometry.h"

namespace vdla::isa {

/// Bus cycles of a beat of 8 bytes.
constexpr unsigned beat_cycles(const Timing& timing) {
  return timing.dram_bytes_per_cycle < 8 ? 8 / timing.dram_bytes_per_cycle : 1;
}

/// The cycle of a run in which the first instruction can be dispatched.
constexpr unsigned first_dispatch(const Timing& timing) {
  return timing.dram_latency + kInsnBytes / 8 * beat_cycles(timing) + 4;
}

/// From one dispatch to the next where the instruction is there; 8 beats where that is more.
inline constexpr unsigned kNextDispatch = 9;

/// A token that is given in a cycle can be taken so much later.
inline constexpr unsigned kTokenCycles = 1;
/// A gemm of n steps is done n + kGemmDrain cycles after its start.
inline constexpr unsigned kGemmDrain = 4;
/// A vector instruction of n steps is done n + kVectorDrain cycles after its start.
inline constexpr unsigned kVectorDrain = 9;
/// Cycles of the parameters of a scale that finds the stages empty.
inline constexpr unsigned kScaleParameters = 4;
/// Cycles of these parameters after other steps, when b changes or the next scale starts: the stages run
/// empty first.
inline constexpr unsigned kScaleChange = 12;
/// From a load's start until its first burst is on the bus.
inline constexpr unsigned kLoadStart = 5;
/// A store of one burst of b bus cycles is done b + kStoreEnd cycles after its start.
inline constexpr unsigned kStoreEnd = 11;

/// Cycles from the first address to the last data of `bursts` reads of `data` cycles each, asked for as soon
/// as the memory takes them: bound by the bus, or by the requests in flight.
constexpr std::uint64_t read_cycles(const Timing& timing, std::uint64_t bursts, std::uint64_t data) {
  const std::uint64_t latency = timing.dram_latency, outstanding = timing.dram_outstanding;
  if (latency <= (outstanding - 1) * data) return latency + bursts * data;
  const std::uint64_t rounds = (bursts - 1) / outstanding, rest = (bursts - 1) % outstanding + 1;
  return latency + rest * data + rounds * (latency + data);
}

/// Cycles of the bus that a store loses between two bursts: one where the bus takes a beat a cycle.
constexpr unsigned write_gap(const Timing& timing) { return beat_cycles(timing) == 1 ? 1 : 0; }

}  // namespace vdla::isa
