// SPDX-License-Identifier: Apache-2.0
// Shadow of a buffer: per entry and unit the last read and the last write, as places in the unit's order, and
// the rows that hold values. Plain arrays, since instructions touch long runs of entries.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/verify/footprint.h"
#include "isa/verify/tokens.h"

namespace vdla::isa {

class BufferShadow {
 public:
  explicit BufferShadow(unsigned depth) : rows_(depth) {
    for (auto* list : {&reads_, &writes_})
      for (auto& unit : *list) unit.resize(depth, kNever);
  }

  struct Conflict {
    std::size_t unit = 0;
    std::int32_t place = 0;  ///< place in the unit's order
    bool write = false;      ///< whether it wrote
    Interval where;
  };

  /// Returns an earlier access of another unit to these entries that may still be under way: a write, or,
  /// before a write, a read.
  std::optional<Conflict> find_conflict(const Intervals& intervals, std::size_t unit, bool write,
                                        const Clock& completed) const {
    for (std::size_t v = 0; v < kQueueUnits; ++v) {
      if (v == unit) continue;
      if (auto found = find_late(intervals, writes_[v], completed[v]))
        return Conflict{v, found->first, true, found->second};
      if (!write) continue;
      if (auto found = find_late(intervals, reads_[v], completed[v]))
        return Conflict{v, found->first, false, found->second};
    }
    return std::nullopt;
  }

  void note(const Intervals& intervals, std::size_t unit, bool write, std::int32_t place) {
    std::vector<std::int32_t>& list = (write ? writes_ : reads_)[unit];
    for (const Interval& i : intervals)
      std::fill(list.begin() + at(i.begin), list.begin() + at(i.end), place);
  }

  void add_rows(const Intervals& intervals, RowMask rows) {
    for (const Interval& i : intervals)
      for (std::uint64_t e = i.begin; e < i.end; ++e) rows_[e] |= rows;
  }

  /// The first entries that lack one of `rows`, or every row (0).
  std::optional<Interval> find_unwritten(const Intervals& intervals, RowMask rows) const {
    const auto lacks = [&](RowMask has) { return rows == 0 ? has == 0 : (has & rows) != rows; };
    for (const Interval& i : intervals) {
      const auto end = rows_.begin() + at(i.end);
      const auto first = std::find_if(rows_.begin() + at(i.begin), end, lacks);
      if (first == end) continue;
      const auto last = std::find_if_not(first, end, lacks);
      return Interval{static_cast<std::uint64_t>(first - rows_.begin()),
                      static_cast<std::uint64_t>(last - rows_.begin())};
    }
    return std::nullopt;
  }

  std::vector<RowMask>& rows() { return rows_; }

 private:
  static constexpr std::int32_t kNever = -1;
  using Places = std::vector<std::int32_t>;

  static std::ptrdiff_t at(std::uint64_t entry) { return static_cast<std::ptrdiff_t>(entry); }

  /// The first entries whose place is not below `completed`.
  static std::optional<std::pair<std::int32_t, Interval>> find_late(const Intervals& intervals,
                                                                    const Places& places,
                                                                    std::int32_t completed) {
    for (const Interval& i : intervals) {
      std::int32_t latest = kNever;
      for (std::uint64_t e = i.begin; e < i.end; ++e) latest = std::max(latest, places[e]);
      if (latest < completed) continue;
      std::uint64_t begin = i.begin;
      while (places[begin] < completed) ++begin;
      std::uint64_t end = begin;
      while (end < i.end && places[end] == places[begin]) ++end;
      return std::pair(places[begin], Interval{begin, end});
    }
    return std::nullopt;
  }

  std::array<Places, kQueueUnits> reads_, writes_;
  std::vector<RowMask> rows_;
};

}  // namespace vdla::isa
