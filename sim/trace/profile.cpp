// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/profile.h"

#include <algorithm>
#include <numeric>

#include "sim/trace/stretches.h"
#include "support/error.h"

namespace vdla::trace {
namespace {

constexpr std::size_t kUnitCount = isa::kUnits.size();

std::size_t index(isa::Unit unit) { return static_cast<std::size_t>(unit); }

void add(Traffic& traffic, const Event& burst) {
  (burst.write ? traffic.write_bytes : traffic.read_bytes) += burst.bytes;
}

class Profiler {
 public:
  Profiler(std::span<const Event> run, const ProfileOptions& options)
      : options_(options), begin_(begin_of(run)), end_(end_of(run)), stretches_(run, options, begin_, end_) {
    result_.cycles = end_ - begin_;
    result_.layers.resize(options.layers);
    result_.bin_cycles = std::max<Cycle>(1, (result_.cycles + options.bins - 1) / options.bins);
    result_.bins.resize((result_.cycles + result_.bin_cycles - 1) / result_.bin_cycles);
    covered_.fill(begin_);
    for (std::size_t part = 0; part < stretches_.parts().size(); ++part) {
      const auto& p = stretches_.parts()[part];
      layer(p.layer).cycles = p.end - stretches_.begin_of(part);
      layer(p.layer).end = p.end - begin_;
    }
  }

  Profile run(std::span<const Event> events) {
    for (const Event& e : events) {
      if (e.type == EventType::Span) span(e);
      if (e.type == EventType::Burst) burst(e);
    }
    for (std::size_t unit = 0; unit < kUnitCount; ++unit) account(unit, Reason{}, covered_[unit], end_);
    const std::vector<Bound> found = bounds(events, options_, stretches_, begin_, end_);
    for (std::size_t i = 0; i < found.size(); ++i) layer(i).bound = found[i];
    return std::move(result_);
  }

 private:
  static Cycle begin_of(std::span<const Event> run) {
    VDLA_CHECK_USER(!run.empty() && run.front().type == EventType::Start)
        << "trace: a run does not begin with its start";
    return run.front().begin;
  }
  static Cycle end_of(std::span<const Event> run) {
    Cycle end = 0;
    for (const Event& e : run) end = std::max(end, e.end);
    return end;
  }

  LayerProfile& layer(std::size_t number) {
    return number < result_.layers.size() ? result_.layers[number] : result_.rest;
  }

  void account(std::size_t unit, const Reason& reason, Cycle begin, Cycle end) {
    if (begin == end) return;
    result_.units[unit][reason] += end - begin;
    stretches_.split(begin, end,
                     [&](std::size_t l, Cycle cycles) { layer(l).units[unit][reason] += cycles; });
  }

  void span(const Event& e) {
    const std::size_t unit = index(e.unit);
    VDLA_CHECK_USER(e.begin >= covered_[unit] && e.end >= e.begin && e.end <= end_)
        << "trace: span " << to_string(e.activity) << " of unit " << isa::to_string(e.unit) << " is ["
        << e.begin << ", " << e.end << "), but the unit's cycles up to " << covered_[unit]
        << " are already accounted for";
    account(unit, Reason{}, covered_[unit], e.begin);
    account(unit, Reason{e.activity, e.peers}, e.begin, e.end);
    covered_[unit] = e.end;
    if (e.activity != Activity::Busy) return;
    if (e.unit != isa::Unit::Fetch) layer(options_.layer_of(e.insn)).own_busy[unit] += e.end - e.begin;
    for (Cycle at = e.begin; at < e.end;) {
      const Cycle bin = (at - begin_) / result_.bin_cycles;
      const Cycle until = std::min(e.end, begin_ + (bin + 1) * result_.bin_cycles);
      result_.bins[bin].busy[unit] += until - at;
      at = until;
    }
  }

  void burst(const Event& e) {
    const auto in =
        std::find_if(options_.windows.begin(), options_.windows.end(), [&](const WindowExtent& w) {
          // A burst is in whole beats, so it may begin before the first byte that it is for.
          return e.address + e.bytes > w.base && e.address < w.base + w.bytes;
        });
    VDLA_CHECK_USER(in != options_.windows.end()) << "trace: a burst of unit " << isa::to_string(e.unit)
                                                  << " at address " << e.address << " is in no window";
    add(result_.windows[static_cast<std::size_t>(in - options_.windows.begin())], e);
    add(result_.bins[std::min<Cycle>((e.begin - begin_) / result_.bin_cycles, result_.bins.size() - 1)]
            .traffic,
        e);
    add(layer(e.unit == isa::Unit::Fetch ? options_.layers : options_.layer_of(e.insn)).traffic, e);
  }

  const ProfileOptions& options_;
  Cycle begin_, end_;
  Stretches stretches_;
  Profile result_;
  std::array<Cycle, kUnitCount> covered_{};
};

}  // namespace

std::string peer_list(unsigned peers) {
  std::string text;
  for (const isa::NamedCode& unit : isa::kUnits)
    if (peers >> unit.code & 1) text += (text.empty() ? "" : ",") + std::string(unit.text);
  return text;
}

std::string to_string(const Reason& reason) {
  std::string text(to_string(reason.activity));
  if (reason.peers != 0) text += " " + peer_list(reason.peers);
  return text;
}

Cycle total(const Account& account) {
  return std::accumulate(account.begin(), account.end(), Cycle{0},
                         [](Cycle sum, const auto& row) { return sum + row.second; });
}

std::vector<std::span<const Event>> runs_of(std::span<const Event> events) {
  std::vector<std::span<const Event>> runs;
  std::size_t begin = events.size();
  for (std::size_t i = 0; i <= events.size(); ++i) {
    if (i < events.size() && events[i].type != EventType::Start) continue;
    if (begin < i) runs.push_back(events.subspan(begin, i - begin));
    begin = i;
  }
  return runs;
}

Profile profile(std::span<const Event> run, const ProfileOptions& options) {
  return Profiler(run, options).run(run);
}

}  // namespace vdla::trace
