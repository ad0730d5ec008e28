// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/coverage.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace vdla::trace {
namespace {

using isa::CoverAxis;
using isa::kQueueUnits;
using isa::Unit;

enum ChannelState : std::size_t { kTaken, kWaited, kEmptied, kFull };
enum BurstUnit : std::size_t { kLoadReads, kStoreWrites, kFetchReads };
enum BurstLength : std::size_t { kOneBeat, kSome, kLongest };
/// Data of the longest burst that the bus of the machine carries.
constexpr std::uint64_t kBeatBytes = 8, kLongestBytes = 256;

CoverAxis units(std::size_t count, const char* name) {
  CoverAxis axis{name, {}};
  for (std::size_t u = 0; u < count; ++u) axis.labels.emplace_back(isa::kUnits[u].text);
  return axis;
}

CoverAxis activities() {
  CoverAxis axis{"activity", {}};
  for (const std::string_view text : kActivityTexts) axis.labels.emplace_back(text);
  return axis;
}

std::vector<CoverAxis> axes_of(RunCover t) {
  switch (t) {
    case RunCover::Channel:
      return {units(kQueueUnits, "from"),
              units(kQueueUnits, "to"),
              {"state", {"taken", "waited for", "emptied", "full"}}};
    case RunCover::Activity:
      return {units(isa::kUnits.size(), "unit"), activities()};
    case RunCover::Queue:
      return {units(kQueueUnits, "unit")};
    case RunCover::Overlap:
      return {units(kQueueUnits, "one"), units(kQueueUnits, "other")};
    case RunCover::Burst:
      return {{"unit", {"load reads", "store writes", "fetch reads"}}, {"beats", {"1", "2..31", "32"}}};
  }
  return {};
}

template <class F>
void exclude_if(isa::CoverTable& table, F&& excluded) {
  for (std::size_t p = 0; p < table.size(); ++p)
    if (excluded(table.index(p, 0), table.index(p, 1))) table.exclude(p);
}

bool bit(unsigned mask, std::size_t i) { return (mask >> i & 1u) != 0; }

}  // namespace

RunCoverage::RunCoverage() {
#define VDLA_RUN_COVER_TABLE(t, text, doc) tables_.emplace_back(text, doc, axes_of(RunCover::t));
  VDLA_RUN_COVER_TABLES(VDLA_RUN_COVER_TABLE)
#undef VDLA_RUN_COVER_TABLE
  exclude_if(table(RunCover::Channel), [](std::size_t from, std::size_t to) { return from == to; });
  exclude_if(table(RunCover::Activity), [](std::size_t unit, std::size_t activity) {
    return !can_do(static_cast<Unit>(unit), static_cast<Activity>(activity));
  });
  // fetch asks for whole instructions
  static_assert(isa::kInsnBytes > kBeatBytes);
  exclude_if(table(RunCover::Burst),
             [](std::size_t unit, std::size_t beats) { return unit == kFetchReads && beats == kOneBeat; });
  exclude_if(table(RunCover::Overlap), [](std::size_t one, std::size_t other) { return one >= other; });
}

void RunCoverage::note(const isa::Program& program, std::span<const Event> events) {
  for (const Event& e : events) {
    if (e.type == EventType::Span) note_span(e);
    if (e.type == EventType::Burst)
      table(RunCover::Burst)
          .hit({e.unit == Unit::Load    ? kLoadReads
                : e.unit == Unit::Store ? kStoreWrites
                                        : kFetchReads,
                e.bytes <= kBeatBytes     ? kOneBeat
                : e.bytes < kLongestBytes ? kSome
                                          : kLongest});
  }
  note_channels(program, events);
  note_overlaps(events);
}

void RunCoverage::note_span(const Event& e) {
  const auto unit = static_cast<std::size_t>(e.unit);
  table(RunCover::Activity).hit({unit, static_cast<std::size_t>(e.activity)});
  for (std::size_t peer = 0; peer < kQueueUnits; ++peer) {
    if (!bit(e.peers, peer)) continue;
    if (e.activity == Activity::Pop) table(RunCover::Channel).hit({peer, unit, kWaited});
    if (e.activity == Activity::Push) table(RunCover::Channel).hit({unit, peer, kFull});
    if (e.activity == Activity::Queue) table(RunCover::Queue).hit({peer});
  }
}

void RunCoverage::note_channels(const isa::Program& program, std::span<const Event> events) {
  // Tokens are taken when the instruction starts at the latest, given when it retires, and can be taken a
  // cycle later.
  struct Change {
    Cycle cycle;
    bool push;
    std::uint32_t insn;
    auto operator<=>(const Change&) const = default;
  };
  std::vector<Change> changes;
  std::set<std::tuple<std::uint32_t, std::size_t>> waited;
  for (const Event& e : events) {
    if (e.insn >= program.insns.size()) continue;
    if (e.type == EventType::Insn) changes.push_back({e.begin, false, e.insn});
    if (e.type == EventType::Retire) changes.push_back({e.begin, true, e.insn});
    if (e.type == EventType::Span && e.activity == Activity::Pop)
      for (std::size_t peer = 0; peer < kQueueUnits; ++peer)
        if (bit(e.peers, peer)) waited.insert({e.insn, peer});
  }
  std::ranges::sort(changes);
  std::array<std::array<int, kQueueUnits>, kQueueUnits> tokens{};
  for (const Change& c : changes) {
    const isa::Insn& insn = program.insns[c.insn];
    const auto unit = static_cast<std::size_t>(isa::unit_of(insn));
    for (std::size_t peer = 0; peer < kQueueUnits; ++peer) {
      if (c.push && bit(isa::pushes_of(insn), peer)) ++tokens[unit][peer];
      if (c.push || !bit(isa::pops_of(insn), peer)) continue;
      if (!waited.contains({c.insn, peer})) table(RunCover::Channel).hit({peer, unit, kTaken});
      if (--tokens[peer][unit] == 0) table(RunCover::Channel).hit({peer, unit, kEmptied});
    }
  }
}

void RunCoverage::note_overlaps(std::span<const Event> events) {
  std::array<std::vector<std::pair<Cycle, Cycle>>, kQueueUnits> flights;
  for (const Event& e : events)
    if (e.type == EventType::Insn && static_cast<std::size_t>(e.unit) < kQueueUnits)
      flights[static_cast<std::size_t>(e.unit)].push_back({e.begin, e.end});
  for (std::size_t one = 0; one < kQueueUnits; ++one)
    for (std::size_t other = one + 1; other < kQueueUnits; ++other) {
      const auto &a = flights[one], &b = flights[other];
      for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        if (a[i].first < b[k].second && b[k].first < a[i].second) {
          table(RunCover::Overlap).hit({one, other});
          break;
        }
        a[i].second < b[k].second ? ++i : ++k;
      }
    }
}

}  // namespace vdla::trace
