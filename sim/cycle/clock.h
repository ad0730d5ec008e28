// SPDX-License-Identifier: Apache-2.0
// Time inside the cycle-level engine: one clock cycle is one unit of SystemC's time.
#pragma once

#include <cstdint>
#include <systemc>

namespace vdla::sim {

using Cycle = std::uint64_t;

inline Cycle now() { return sc_core::sc_time_stamp().value(); }
inline sc_core::sc_time cycles(Cycle n) { return sc_core::sc_time::from_value(n); }
/// Suspends the calling process until a cycle; returns at once when it has come.
inline void wait_until(Cycle cycle) {
  if (cycle > now()) sc_core::wait(cycles(cycle - now()));
}

}  // namespace vdla::sim
