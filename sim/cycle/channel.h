// SPDX-License-Identifier: Apache-2.0
// The links between units, with the timing of the RTL's vdla_fifo and vdla_dep_gate: what is pushed in one
// cycle can be popped from the next on, and room that a pop makes is seen from the next cycle on. Both ends
// see the state at the start of a cycle, so the order in which processes run cannot matter.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "sim/cycle/clock.h"
#include "sim/cycle/stalls.h"
#include "support/error.h"

namespace vdla::sim {

/// Occupancy of a bounded link as seen at the start of the current cycle; at most one push and one pop per
/// cycle.
class Occupancy {
 public:
  explicit Occupancy(std::size_t depth) : depth_(depth) {}

  bool can_push() { return roll(), !pushed_ && count_ < depth_ && !push_stalls_.at(now()); }
  bool can_pop() { return roll(), !popped_ && count_ > 0 && !pop_stalls_.at(now()); }

  /// Holds its ends back from now on.
  void stall(const Stalls& push, const Stalls& pop) {
    push_stalls_ = push;
    pop_stalls_ = pop;
  }

  void push() {
    VDLA_CHECK(can_push()) << "push into a full link";
    pushed_ = true;
    if (std::exchange(more_wanted_, false)) more_.notify(cycles(1));
  }
  void pop() {
    VDLA_CHECK(can_pop()) << "pop from an empty link";
    popped_ = true;
    if (std::exchange(less_wanted_, false)) less_.notify(cycles(1));
  }

  /// Drops all values; no process waits any more.
  void clear() {
    count_ = 0;
    pushed_ = popped_ = false;
    stamp_ = now();
  }

  /// Event of the cycle in which something can be popped (pushed) that cannot be in this one. Wait on it at
  /// once, never poll: it is only notified on demand.
  const sc_core::sc_event& more() {
    roll();
    if (pushed_ || count_ > (popped_ ? 1u : 0u))
      more_.notify(cycles(pop_stalls_.free_from(now() + 1) - now()));
    else
      more_wanted_ = true;
    return more_;
  }
  const sc_core::sc_event& less() {
    roll();
    if (popped_ || count_ + (pushed_ ? 1 : 0) < depth_)
      less_.notify(cycles(push_stalls_.free_from(now() + 1) - now()));
    else
      less_wanted_ = true;
    return less_;
  }

 private:
  void roll() {
    if (stamp_ == now()) return;
    count_ = count_ + (pushed_ ? 1 : 0) - (popped_ ? 1 : 0);
    pushed_ = popped_ = false;
    stamp_ = now();
  }

  std::size_t depth_;
  std::size_t count_ = 0;
  Cycle stamp_ = 0;
  bool pushed_ = false, popped_ = false;
  bool more_wanted_ = false, less_wanted_ = false;
  Stalls push_stalls_, pop_stalls_;
  sc_core::sc_event more_, less_;
};

template <class T>
class Channel {
 public:
  explicit Channel(std::size_t depth) : occupancy_(depth) {}

  bool can_push() { return occupancy_.can_push(); }
  bool can_pop() { return occupancy_.can_pop(); }
  void push(T value) {
    occupancy_.push();
    items_.push_back(std::move(value));
  }
  /// The oldest item; needs can_pop().
  const T& front() const { return items_.front(); }
  T pop() {
    occupancy_.pop();
    T value = std::move(items_.front());
    items_.pop_front();
    return value;
  }
  /// Holds its input back, as vdla_fifo: a look into it sees what is there.
  void stall(const Stalls& push) { occupancy_.stall(push, {}); }
  const sc_core::sc_event& more() { return occupancy_.more(); }
  const sc_core::sc_event& less() { return occupancy_.less(); }

  /// Waits until there is something to take; for processes that wait for nothing else.
  void wait_pop() {
    while (!can_pop()) sc_core::wait(more());
  }

 private:
  Occupancy occupancy_;
  std::deque<T> items_;
};

/// An event that is only notified when a process has asked for it.
class Doorbell {
 public:
  /// Wait on it at once.
  const sc_core::sc_event& event() {
    wanted_ = true;
    return event_;
  }
  /// Suspends until it rings, or until a cycle to come.
  void wait_until(Cycle cycle) {
    wanted_ = true;
    event_.notify(cycles(cycle - now()));  // a ring comes earlier and takes its place
    sc_core::wait(event_);
  }
  void wait() { sc_core::wait(event()); }
  void ring(Cycle delay = 0) {
    if (!std::exchange(wanted_, false)) return;
    event_.notify(delay == 0 ? sc_core::SC_ZERO_TIME : cycles(delay));
  }

 private:
  bool wanted_ = false;
  sc_core::sc_event event_;
};

/// A dependence channel: a counter of tokens.
using TokenChannel = Occupancy;

}  // namespace vdla::sim
