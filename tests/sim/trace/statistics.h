// SPDX-License-Identifier: Apache-2.0
// Numbers derived from events: what each unit did with its cycles (adds up to the run).
#pragma once

#include <array>
#include <vector>

#include "sim/trace/event.h"

namespace vdla::trace {

struct UnitStatistics {
  std::array<Cycle, kActivities> cycles{};  ///< cycles by activity; the sum is the length of the run
  std::uint64_t insns = 0;
  std::uint64_t read_bytes =
      0;  ///< data that its instructions took from DRAM (fetch: the instructions themselves)
  std::uint64_t write_bytes = 0;

  Cycle operator[](Activity a) const { return cycles[static_cast<std::size_t>(a)]; }
};

struct Statistics {
  Cycle begin = 0;  ///< start of the run
  Cycle end = 0;    ///< done
  std::array<UnitStatistics, isa::kUnits.size()> units{};

  const UnitStatistics& operator[](isa::Unit u) const { return units[static_cast<std::size_t>(u)]; }
};

/// Statistics of the last run in the events. Throws UserError when the spans of a unit overlap or leave the
/// run.
Statistics summarize(const std::vector<Event>& events);

}  // namespace vdla::trace
