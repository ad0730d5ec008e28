// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/bound.h"

#include <algorithm>

#include "sim/trace/stretches.h"

namespace vdla::trace {
namespace {

constexpr std::size_t kUnitStates = isa::kUnits.size();

std::size_t unit_index(isa::Unit unit) { return static_cast<std::size_t>(unit); }

/// A unit's activity or the number of bursts on the bus changes.
struct Change {
  Cycle at;
  bool begins;  ///< ends come first: spans of a unit follow each other
  bool on_bus;
  isa::Unit unit;
  Activity activity;
};

std::vector<Change> changes_of(std::span<const Event> run, unsigned bytes_per_cycle) {
  std::vector<Change> changes;
  const auto add = [&](Cycle begin, Cycle end, bool on_bus, const Event& e) {
    if (begin >= end) return;
    changes.push_back({begin, true, on_bus, e.unit, e.activity});
    changes.push_back({end, false, on_bus, e.unit, e.activity});
  };
  for (const Event& e : run) {
    if (e.type == EventType::Span && e.activity != Activity::Idle) add(e.begin, e.end, false, e);
    // Data come last: what lies before them is latency, or other bursts.
    if (e.type == EventType::Burst)
      add(std::max(e.begin, e.end - std::min(e.end, (e.bytes + bytes_per_cycle - 1) / bytes_per_cycle)),
          e.end, true, e);
  }
  std::ranges::sort(changes, [](const Change& a, const Change& b) {
    return a.at != b.at ? a.at < b.at : a.begins < b.begins;
  });
  return changes;
}

/// Activity of the machine in one cycle.
struct State {
  std::array<Activity, kUnitStates> doing;
  int bursts = 0;

  State() { doing.fill(Activity::Idle); }

  void take(const Change& c) {
    if (c.on_bus)
      bursts += c.begins ? 1 : -1;
    else
      doing[unit_index(c.unit)] = c.begins ? c.activity : Activity::Idle;
  }
  bool is(isa::Unit unit, Activity activity) const { return doing[unit_index(unit)] == activity; }
  bool either(Activity activity) const {
    return is(isa::Unit::Load, activity) || is(isa::Unit::Store, activity);
  }

  bool works(Resource resource) const {
    switch (resource) {
      case Resource::Array:
        return is(isa::Unit::Gemm, Activity::Busy);
      case Resource::Vector:
        return is(isa::Unit::Vector, Activity::Busy);
      case Resource::Bus:
        return bursts > 0 || either(Activity::Busy);
    }
    return false;
  }
  bool in_fixed_part(Resource resource) const {
    switch (resource) {
      case Resource::Array:
        return is(isa::Unit::Gemm, Activity::Setup);
      case Resource::Vector:
        return is(isa::Unit::Vector, Activity::Setup);
      case Resource::Bus:
        return false;
    }
    return false;
  }
  Loss loss(Resource resource) const {
    if (in_fixed_part(resource)) return Loss::StartUp;
    if (bursts == 0 && either(Activity::Memory)) return Loss::Latency;
    for (std::size_t r = 0; r < kResources; ++r)
      if (works(static_cast<Resource>(r))) return Loss::Dependences;
    return Loss::StartUp;
  }

  void account(Bound& bound, Cycle cycles) const {
    for (std::size_t r = 0; r < kResources; ++r) {
      const auto resource = static_cast<Resource>(r);
      if (works(resource))
        bound.works[r] += cycles;
      else
        bound.lost[r][static_cast<std::size_t>(loss(resource))] += cycles;
    }
  }
};

}  // namespace

Resource Bound::busiest() const {
  return static_cast<Resource>(std::ranges::max_element(works) - works.begin());
}

std::string_view Bound::by() const {
  const auto resource = static_cast<std::size_t>(busiest());
  Cycle rest = 0;
  for (const Cycle cycles : lost[resource]) rest += cycles;
  if (rest + works[resource] == 0) return {};
  constexpr Cycle kFull = 4;  // works kFull times as long as it does not
  if (works[resource] >= kFull * rest) return kResourceTexts[resource];
  const auto most = std::ranges::max_element(lost[resource]) - lost[resource].begin();
  return kLossTexts[static_cast<std::size_t>(most)];
}

Bound& Bound::operator+=(const Bound& other) {
  for (std::size_t r = 0; r < kResources; ++r) {
    works[r] += other.works[r];
    for (std::size_t l = 0; l < kLosses; ++l) lost[r][l] += other.lost[r][l];
  }
  return *this;
}

std::vector<Bound> bounds(std::span<const Event> run, const ProfileOptions& options,
                          const Stretches& stretches, Cycle begin, Cycle end) {
  std::vector<Bound> result(options.layers + 1);
  State state;
  Cycle at = begin;
  const auto until = [&](Cycle next) {
    if (next <= at) return;
    stretches.split(at, next, [&](std::size_t layer, Cycle cycles) { state.account(result[layer], cycles); });
    at = next;
  };
  for (const Change& change : changes_of(run, options.bus_bytes_per_cycle)) {
    until(std::min(change.at, end));
    state.take(change);
  }
  until(end);
  return result;
}

}  // namespace vdla::trace
