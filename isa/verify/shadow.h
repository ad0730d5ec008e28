// SPDX-License-Identifier: Apache-2.0
// Shadow of a memory as ranges of equal history: the last access of each unit to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

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
  /// Calls f(begin, end, history) for the ranges that make up `interval`; f may change the history.
  template <class F>
  void visit(const Interval& interval, F&& f) {
    split(interval.begin);
    split(interval.end);
    auto at = ranges_.find(interval.begin);
    while (at->first < interval.end) {
      const std::uint64_t begin = at->first;
      auto next = std::next(at);
      f(begin, next->first, at->second);
      at = next;
    }
  }

  /// Visits the entries without a change.
  template <class F>
  void look(const Interval& interval, F&& f) const {
    for (auto at = std::prev(ranges_.upper_bound(interval.begin)); at->first < interval.end; ++at)
      f(std::max(at->first, interval.begin), std::min(std::next(at)->first, interval.end), at->second);
  }

  /// Joins neighbours of equal history inside the interval: keeps the map small.
  void join(const Interval& interval) {
    auto at = ranges_.lower_bound(interval.begin);
    if (at != ranges_.begin()) at = std::prev(at);
    while (std::next(at) != ranges_.end() && std::next(at)->first <= interval.end)
      if (std::next(at)->second == at->second)
        ranges_.erase(std::next(at));
      else
        ++at;
  }

  /// Drops the accesses; what is defined stays.
  void forget() {
    for (auto& [begin, history] : ranges_) history = History{.defined = history.defined};
    join({0, UINT64_MAX - 1});  // the last range is the end of the map
  }

 private:
  void split(std::uint64_t at) {
    auto after = ranges_.upper_bound(at);
    auto from = std::prev(after);
    if (from->first != at) ranges_.emplace_hint(after, at, from->second);
  }

  std::map<std::uint64_t, History> ranges_{{0, History{}}, {UINT64_MAX, History{}}};
};

}  // namespace vdla::isa
