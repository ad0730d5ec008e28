// SPDX-License-Identifier: Apache-2.0
// Numbers derived from events: what each unit did with its cycles (adds up to the run) and cycles and bytes
// per group of instructions (layers).
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "sim/trace/event.h"

namespace vdla::trace {

struct UnitStatistics {
  std::array<Cycle, kActivities> cycles{};  ///< by activity; the sum is the length of the run
  std::uint64_t insns = 0;
  std::uint64_t read_bytes =
      0;  ///< data that its instructions took from DRAM (fetch: the instructions themselves)
  std::uint64_t write_bytes = 0;

  Cycle operator[](Activity a) const { return cycles[static_cast<std::size_t>(a)]; }
};

/// A group of instructions, such as a layer. Its cycles run from the previous group's last retire to its own,
/// so that the groups add up to the run up to the last retire.
struct GroupStatistics {
  Cycle cycles = 0;
  Cycle gemm_busy = 0;
  std::uint64_t insns = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
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

/// One row per group 0..groups-1 of the last run; `group_of` says to which an instruction belongs (a value >=
/// groups: to none).
std::vector<GroupStatistics> summarize_groups(const std::vector<Event>& events, std::size_t groups,
                                              const std::function<std::size_t(std::uint32_t insn)>& group_of);

}  // namespace vdla::trace
