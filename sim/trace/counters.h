// SPDX-License-Identifier: Apache-2.0
// Counter tracks of a timeline: bytes in flight to and from DRAM, instructions that wait in the units'
// queues, and how busy units and bus are. Each track has at most kPoints values, so that it adds little to
// the file: beyond that a value is the most (of utilisation: the mean) of a stretch of cycles.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "sim/trace/event.h"

namespace vdla::trace {

/// A track's values at a cycle, by name.
struct CounterPoint {
  std::string track;
  Cycle at = 0;
  std::vector<std::pair<std::string, double>> values;
};

class Counters {
 public:
  static constexpr Cycle kPoints = 2000;

  /// Events may come in any order.
  void event(const Event& e);
  /// Calls f for each point, track by track, in order of time; a point that repeats the one before is left
  /// out.
  void for_each(const std::function<void(const CounterPoint&)>& f) const;

 private:
  struct Change {
    Cycle at;
    std::size_t series;
    std::int64_t by;
  };
  struct Work {
    Cycle begin, end;
    std::size_t series;
  };

  void level(const std::string& track, const std::vector<std::string>& names, std::vector<Change> changes,
             const std::function<void(const CounterPoint&)>& f) const;
  void utilisation(const std::function<void(const CounterPoint&)>& f) const;
  Cycle stretch() const;

  Cycle begin_ = UINT64_MAX, end_ = 0;
  std::vector<Change> bytes_, queues_;
  std::vector<Work> work_;
};

}  // namespace vdla::trace
