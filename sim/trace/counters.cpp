// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/counters.h"

#include <algorithm>

namespace vdla::trace {
namespace {

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const auto& unit : isa::kUnits)
    if (unit.code < isa::kQueueUnits) names.emplace_back(unit.text);
  return names;
}

std::size_t queue_of(isa::Unit unit) { return static_cast<std::size_t>(unit); }

}  // namespace

void Counters::event(const Event& e) {
  begin_ = std::min(begin_, e.begin);
  end_ = std::max(end_, e.end);
  const bool queued = queue_of(e.unit) < isa::kQueueUnits;
  switch (e.type) {
    case EventType::Burst:
      bytes_.push_back({e.begin, e.write ? 1u : 0u, static_cast<std::int64_t>(e.bytes)});
      bytes_.push_back({e.end, e.write ? 1u : 0u, -static_cast<std::int64_t>(e.bytes)});
      return;
    case EventType::Dispatch:
      if (queued) queues_.push_back({e.begin, queue_of(e.unit), 1});
      return;
    case EventType::Insn:
      if (queued) queues_.push_back({e.begin, queue_of(e.unit), -1});
      return;
    case EventType::Span:
      if (queued && e.activity == Activity::Busy) work_.push_back({e.begin, e.end, queue_of(e.unit)});
      return;
    case EventType::Start:
    case EventType::Retire:
    case EventType::Done:
      return;
  }
}

Cycle Counters::stretch() const { return std::max<Cycle>(1, (end_ - begin_ + kPoints - 1) / kPoints); }

void Counters::level(const std::string& track, const std::vector<std::string>& names,
                     std::vector<Change> changes, const std::function<void(const CounterPoint&)>& f) const {
  // Parts that leave in a cycle leave before those that come.
  std::ranges::sort(
      changes, [](const Change& a, const Change& b) { return a.at != b.at ? a.at < b.at : a.by < b.by; });
  std::vector<std::int64_t> now(names.size()), most(names.size()), told(names.size(), -1);
  const auto tell = [&](Cycle at) {
    if (most == told) return;
    CounterPoint point{track, at, {}};
    for (std::size_t i = 0; i < names.size(); ++i)
      point.values.emplace_back(names[i], static_cast<double>(most[i]));
    f(point);
    told = most;
  };
  for (std::size_t i = 0; i < changes.size();) {
    const Cycle number = (changes[i].at - begin_) / stretch();
    most = now;
    Cycle last = changes[i].at;
    for (; i < changes.size() && (changes[i].at - begin_) / stretch() == number; ++i) {
      // An instruction that was dispatched before the first event of a window would make less than nothing.
      std::int64_t& value = now[changes[i].series];
      value = std::max<std::int64_t>(0, value + changes[i].by);
      last = changes[i].at;
      if (i + 1 == changes.size() || changes[i + 1].at != last)
        for (std::size_t s = 0; s < now.size(); ++s) most[s] = std::max(most[s], now[s]);
    }
    if (stretch() == 1) most = now;  // counts of one cycle: what holds after its changes
    tell(begin_ + number * stretch());
    const bool quiet = i < changes.size() && (changes[i].at - begin_) / stretch() > number + 1;
    if (stretch() > 1 && (quiet || i == changes.size())) {
      most = now;
      tell(begin_ + (number + 1) * stretch());
    }
  }
}

void Counters::utilisation(const std::function<void(const CounterPoint&)>& f) const {
  if (work_.empty()) return;
  constexpr Cycle kLeast = 64;  // below that busy or not is all there is to see
  const Cycle width = std::max(kLeast, stretch());
  const std::vector<std::string> names = unit_names();
  std::vector<std::vector<Cycle>> busy((end_ - begin_) / width + 1, std::vector<Cycle>(names.size()));
  for (const Work& work : work_)
    for (Cycle at = work.begin; at < work.end;) {
      const Cycle bin = (at - begin_) / width, until = std::min(work.end, begin_ + (bin + 1) * width);
      busy[bin][work.series] += until - at;
      at = until;
    }
  for (std::size_t bin = 0; bin < busy.size(); ++bin) {
    CounterPoint point{"works, %", begin_ + bin * width, {}};
    for (std::size_t i = 0; i < names.size(); ++i)
      point.values.emplace_back(names[i], static_cast<double>(100 * busy[bin][i] / width));
    f(point);
  }
}

void Counters::for_each(const std::function<void(const CounterPoint&)>& f) const {
  if (end_ <= begin_) return;
  level("DRAM bytes in flight", {"read", "write"}, bytes_, f);
  level("instructions in queues", unit_names(), queues_, f);
  utilisation(f);
}

}  // namespace vdla::trace
