// SPDX-License-Identifier: Apache-2.0
// Shadow of a memory as ranges of equal history: the last access of each unit to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>

#include "isa/spec/insn.h"
#include "isa/verify/footprint.h"

namespace vdla::isa {

/// Instruction of each unit's last read and write; kNone: never.
struct History {
  static constexpr std::int32_t kNone = -1;
  std::array<std::int32_t, kQueueUnits> reads{kNone, kNone, kNone, kNone};
  std::array<std::int32_t, kQueueUnits> writes{kNone, kNone, kNone, kNone};
  bool defined = false;
  bool operator==(const History&) const = default;
};

class Shadow {
 public:
  /// Calls f(begin, end, history) for the ranges that make up the intervals; f may change the history. What
  /// is equal to its neighbour then is one range with it: the map stays small.
  template <class F>
  void visit(std::span<const Interval> intervals, F&& f) {
    auto near = ranges_.begin();
    for (const Interval& interval : intervals) {
      near = containing(interval.begin, near);
      if (near->first != interval.begin)
        near = ranges_.emplace_hint(std::next(near), interval.begin, near->second);
      for (auto at = near; at->first < interval.end;) {
        auto next = std::next(at);
        if (next->first > interval.end) next = ranges_.emplace_hint(next, interval.end, at->second);
        f(at->first, next->first, at->second);
        at = next;
      }
      near = joined(near, interval.end);
    }
  }

  /// Visits the entries without a change.
  template <class F>
  void look(const Interval& interval, F&& f) const {
    for (auto at = std::prev(ranges_.upper_bound(interval.begin)); at->first < interval.end; ++at)
      f(std::max(at->first, interval.begin), std::min(std::next(at)->first, interval.end), at->second);
  }

  /// Drops the accesses; what is defined stays.
  void forget() {
    for (auto& [begin, history] : ranges_) history = History{.defined = history.defined};
    joined(ranges_.begin(), UINT64_MAX - 1);  // the last range is the end of the map
  }

 private:
  using Ranges = std::map<std::uint64_t, History>;

  /// The range that has the address. Intervals of a box mostly follow each other by a range or two, so those
  /// behind `near` are tried first.
  Ranges::iterator containing(std::uint64_t address, Ranges::iterator near) {
    constexpr int kTries = 4;
    for (int i = 0; i < kTries && near->first <= address; ++i, ++near)
      if (std::next(near)->first > address) return near;
    return std::prev(ranges_.upper_bound(address));
  }

  /// Joins neighbours from the one before `first` to the one that begins at `end`; returns the last of them.
  Ranges::iterator joined(Ranges::iterator first, std::uint64_t end) {
    auto at = first == ranges_.begin() ? first : std::prev(first);
    while (std::next(at) != ranges_.end() && std::next(at)->first <= end)
      if (std::next(at)->second == at->second)
        ranges_.erase(std::next(at));
      else
        ++at;
    return at;
  }

  Ranges ranges_{{0, History{}}, {UINT64_MAX, History{}}};
};

}  // namespace vdla::isa
