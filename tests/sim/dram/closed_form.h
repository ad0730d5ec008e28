// SPDX-License-Identifier: Apache-2.0
// What docs/timing.md says about reads in a row: the memory's micro-benchmarks hold model and engines to it.
#pragma once

#include <cstdint>

#include "isa/spec/geometry.h"

namespace vdla::sim {

/// Cycles from the first address to the last data of `bursts` reads of `data` cycles each, asked for as soon
/// as the memory takes them: bound by the bus, or by the requests in flight.
inline std::uint64_t read_cycles(const isa::Timing& timing, std::uint64_t bursts, std::uint64_t data) {
  const std::uint64_t latency = timing.dram_latency, outstanding = timing.dram_outstanding;
  if (latency <= (outstanding - 1) * data) return latency + bursts * data;
  const std::uint64_t rounds = (bursts - 1) / outstanding, rest = (bursts - 1) % outstanding + 1;
  return latency + rest * data + rounds * (latency + data);
}

}  // namespace vdla::sim
