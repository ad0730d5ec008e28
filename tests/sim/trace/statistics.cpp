// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/trace/statistics.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "support/error.h"

namespace vdla::trace {
namespace {

/// The events from the last Start on.
std::span<const Event> last_run(const std::vector<Event>& events) {
  const auto start =
      std::find_if(events.rbegin(), events.rend(), [](const Event& e) { return e.type == EventType::Start; });
  if (start == events.rend()) return events;
  const auto at = static_cast<std::size_t>(events.rend() - start) - 1;
  return std::span(events).subspan(at);
}

void add_span(UnitStatistics& unit, const Event& e, Cycle& covered) {
  VDLA_CHECK_USER(e.begin >= covered && e.end >= e.begin)
      << "trace: span " << to_string(e.activity) << " of unit " << to_string(e.unit) << " is [" << e.begin
      << ", " << e.end << "), but the unit's cycles up to " << covered << " are already accounted for";
  unit.cycles[static_cast<std::size_t>(e.activity)] += e.end - e.begin;
  covered = e.end;
}

void add_bytes(UnitStatistics& unit, const Event& e) {
  (e.write ? unit.write_bytes : unit.read_bytes) += e.bytes;
}

}  // namespace

Statistics summarize(const std::vector<Event>& events) {
  Statistics s;
  const auto run = last_run(events);
  for (const Event& e : run) {
    if (e.type == EventType::Start) s.begin = e.begin;
    s.end = std::max(s.end, e.end);
  }
  std::array<Cycle, isa::kUnits.size()> covered;
  covered.fill(s.begin);
  for (const Event& e : run) {
    const auto index = static_cast<std::size_t>(e.unit);
    UnitStatistics& unit = s.units[index];
    switch (e.type) {
      case EventType::Span:
        add_span(unit, e, covered[index]);
        break;
      case EventType::Insn:
        ++unit.insns;
        break;
      case EventType::Burst:
        add_bytes(unit, e);
        break;
      case EventType::Start:
      case EventType::Dispatch:
      case EventType::Retire:
      case EventType::Done:
        break;
    }
  }
  for (UnitStatistics& unit : s.units) {
    const Cycle known = std::accumulate(unit.cycles.begin(), unit.cycles.end(), Cycle{0});
    unit.cycles[static_cast<std::size_t>(Activity::Idle)] += s.end - s.begin - known;
  }
  return s;
}

}  // namespace vdla::trace
