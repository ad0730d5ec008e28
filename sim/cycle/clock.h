// SPDX-License-Identifier: Apache-2.0
// Time inside the cycle-level engine: one clock cycle is one unit of SystemC's time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <systemc>

namespace vdla::sim {

using Cycle = std::uint64_t;

inline Cycle now() { return sc_core::sc_get_curr_simcontext()->time_stamp().value(); }
inline sc_core::sc_time cycles(Cycle n) { return sc_core::sc_time::from_value(n); }
/// Suspends the calling process until a cycle; returns at once when it has come.
inline void wait_until(Cycle cycle) {
  if (cycle > now()) sc_core::wait(cycles(cycle - now()));
}

/// The time of a process that need not wait while no other process does anything: it may be ahead of the
/// simulation's, up to the next event of any other. What it tells others must bear later cycles of its own.
class LocalTime {
 public:
  /// Never ahead of the cycle `horizon`, which outlives it.
  explicit LocalTime(const Cycle& horizon) : horizon_(horizon) {}

  Cycle at() const { return at_; }
  /// After a wait for an event.
  void catch_up() {
    at_ = std::max(at_, now());
    next_.reset();
  }
  /// Whether nothing happens from the simulation's time to that cycle, it included.
  bool quiet_until(Cycle cycle) {
    if (cycle >= horizon_ || sc_core::sc_pending_activity_at_current_time()) return false;
    if (!next_) next_ = now() + sc_core::sc_time_to_pending_activity().value();
    return *next_ > cycle;
  }
  /// Goes on to a cycle for which quiet_until() has just said so.
  void skip_to(Cycle cycle) { at_ = std::max(at_, cycle); }
  /// Goes on to a cycle, waits where it must.
  void go_to(Cycle cycle) {
    if (cycle > now() && !quiet_until(cycle)) {
      wait_until(cycle);
      catch_up();
    }
    skip_to(cycle);
  }

 private:
  const Cycle& horizon_;
  Cycle at_ = 0;
  /// Cycle of the first event to come. Until the process waits no other process adds events, and its own are
  /// at once.
  std::optional<Cycle> next_;
};

}  // namespace vdla::sim
