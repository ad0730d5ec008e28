// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/statistics.h"

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

std::vector<GroupStatistics> summarize_groups(const std::vector<Event>& events, std::size_t groups,
                                              const std::function<std::size_t(std::uint32_t)>& group_of) {
  std::vector<GroupStatistics> rows(groups);
  std::vector<Cycle> last(groups, 0);
  const auto run = last_run(events);
  Cycle begin = 0;
  for (const Event& e : run) {
    if (e.type == EventType::Start) begin = e.begin;
    const std::size_t g = e.unit == isa::Unit::Fetch ? groups : group_of(e.insn);
    if (g >= groups) continue;
    if (e.type == EventType::Insn) ++rows[g].insns;
    if (e.type == EventType::Retire) last[g] = std::max(last[g], e.end);
    if (e.type == EventType::Burst) (e.write ? rows[g].write_bytes : rows[g].read_bytes) += e.bytes;
    if (e.type == EventType::Span && e.activity == Activity::Busy && e.unit == isa::Unit::Gemm)
      rows[g].gemm_busy += e.end - e.begin;
  }
  std::vector<std::size_t> order(groups);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return std::pair(last[a], a) < std::pair(last[b], b); });
  Cycle previous = begin;
  for (const std::size_t g : order) {
    if (last[g] == 0) continue;
    rows[g].cycles = last[g] - previous;
    previous = last[g];
  }
  return rows;
}

}  // namespace vdla::trace
