// SPDX-License-Identifier: Apache-2.0
// The links between units, with the timing of the RTL's vdla_fifo and vdla_dep_gate: what is pushed in one
// cycle can be popped from the next on, and room that a pop makes is seen from the next cycle on. Both ends
// see the state at the start of a cycle, so the order in which processes run cannot matter.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "sim/cycle/clock.h"
#include "support/error.h"

namespace vdla::sim {

/// Occupancy of a bounded link as seen at the start of the current cycle; at most one push and one pop per
/// cycle.
class Occupancy {
 public:
  explicit Occupancy(std::size_t depth) : depth_(depth) {}

  bool can_push() { return roll(), !pushed_ && count_ < depth_; }
  bool can_pop() { return roll(), !popped_ && count_ > 0; }

  void push() {
    VDLA_CHECK(can_push()) << "push into a full link";
    pushed_ = true;
    more_.notify(cycles(1));
  }
  void pop() {
    VDLA_CHECK(can_pop()) << "pop from an empty link";
    popped_ = true;
    less_.notify(cycles(1));
    if (count_ > 1) more_.notify(cycles(1));  // the next one is at the head then
  }

  /// Something can be popped (pushed) that could not before. Wait on these, never poll.
  const sc_core::sc_event& more() const { return more_; }
  const sc_core::sc_event& less() const { return less_; }

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
  const sc_core::sc_event& more() const { return occupancy_.more(); }
  const sc_core::sc_event& less() const { return occupancy_.less(); }

  /// For processes that only use this channel.
  void wait_push(T value) {
    while (!can_push()) sc_core::wait(less());
    push(std::move(value));
  }
  void wait_pop() {
    while (!can_pop()) sc_core::wait(more());
  }

 private:
  Occupancy occupancy_;
  std::deque<T> items_;
};

/// A dependence channel: a counter of tokens.
using TokenChannel = Occupancy;

}  // namespace vdla::sim
