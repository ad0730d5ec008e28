// SPDX-License-Identifier: Apache-2.0
#include "isa/verify/tokens.h"

#include <algorithm>
#include <deque>

namespace vdla::isa {
namespace {

class Machine {
 public:
  Machine(std::span<const Insn> insns, const Geometry& geometry) : insns_(insns), geometry_(geometry) {
    result_.started.resize(insns.size());
    result_.positions.resize(insns.size());
    producers_.resize(insns.size(), {kNone, kNone, kNone, kNone});
  }

  TokenRun run() {
    bool progress = true;
    while (progress) {
      progress = dispatch();
      for (unsigned u = 0; u < kQueueUnits; ++u)
        while (step(u)) progress = true;
    }
    finish();
    order();
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct UnitState {
    std::vector<std::uint32_t> starts;  ///< instructions that have started
    std::deque<std::uint32_t> queue;
    bool started = false;  ///< the head has taken its tokens
    Clock clock{};         ///< what has completed when the head, or the next one, starts
    std::int32_t dispatched = 0;
  };

  std::deque<std::uint32_t>& channel(unsigned from, unsigned to) { return channels_[from][to]; }

  bool idle() const {
    return std::ranges::all_of(units_, [](const UnitState& u) { return u.queue.empty(); });
  }

  bool dispatch() {
    const std::uint32_t before = result_.next_fetch;
    for (std::uint32_t& next = result_.next_fetch; next < insns_.size(); ++next) {
      const auto unit = static_cast<unsigned>(unit_of(insns_[next]));
      if (unit >= kQueueUnits) {
        if (idle()) next = static_cast<std::uint32_t>(insns_.size());  // the run ends here
        break;
      }
      UnitState& u = units_[unit];
      if (u.queue.size() >= geometry_.queue_depth) break;
      u.queue.push_back(next);
      result_.positions[next] = u.dispatched++;
    }
    return result_.next_fetch != before;
  }

  unsigned missing(unsigned unit, unsigned pops) {
    unsigned mask = 0;
    for (unsigned from = 0; from < kQueueUnits; ++from)
      if ((pops >> from & 1u) != 0 && channel(from, unit).empty()) mask |= 1u << from;
    return mask;
  }

  unsigned full(unsigned unit, unsigned pushes) {
    unsigned mask = 0;
    for (unsigned to = 0; to < kQueueUnits; ++to)
      if ((pushes >> to & 1u) != 0 && channel(unit, to).size() >= geometry_.token_depth) mask |= 1u << to;
    return mask;
  }

  void start(unsigned unit, std::uint32_t insn) {
    UnitState& u = units_[unit];
    for (unsigned from = 0; from < kQueueUnits; ++from) {
      if ((pops_of(insns_[insn]) >> from & 1u) == 0) continue;
      const std::uint32_t producer = channel(from, unit).front();
      channel(from, unit).pop_front();
      producers_[insn][from] = producer;
      for (unsigned v = 0; v < kQueueUnits; ++v)
        u.clock[v] = std::max(u.clock[v], result_.started[producer][v]);
      u.clock[from] = std::max(u.clock[from], result_.positions[producer] + 1);
    }
    u.clock[unit] = result_.positions[insn];
    result_.started[insn] = u.clock;
    u.starts.push_back(insn);
    u.started = true;
  }

  /// Starts or completes the head of a unit's queue.
  bool step(unsigned unit) {
    UnitState& u = units_[unit];
    if (u.queue.empty()) return false;
    const std::uint32_t insn = u.queue.front();
    if (!u.started) {
      if (missing(unit, pops_of(insns_[insn])) != 0) return false;
      start(unit, insn);
      return true;
    }
    const unsigned pushes = pushes_of(insns_[insn]);
    if (full(unit, pushes) != 0) return false;
    for (unsigned to = 0; to < kQueueUnits; ++to)
      if ((pushes >> to & 1u) != 0) channel(unit, to).push_back(insn);
    u.queue.pop_front();
    u.started = false;
    return true;
  }

  void finish() {
    for (unsigned unit = 0; unit < kQueueUnits; ++unit) {
      UnitState& u = units_[unit];
      if (u.queue.empty()) continue;
      const std::uint32_t insn = u.queue.front();
      result_.waits.push_back({static_cast<Unit>(unit), insn,
                               u.started ? 0 : missing(unit, pops_of(insns_[insn])),
                               u.started ? full(unit, pushes_of(insns_[insn])) : 0});
    }
    if (!result_.waits.empty()) return;
    for (unsigned from = 0; from < kQueueUnits; ++from)
      for (unsigned to = 0; to < kQueueUnits; ++to)
        for (std::uint32_t insn : channel(from, to))
          result_.left.push_back({static_cast<Unit>(from), static_cast<Unit>(to), insn});
  }

  /// Of the units' next instructions whose producers have all had their turn, the first of the program.
  void order() {
    std::array<std::size_t, kQueueUnits> heads{};
    std::vector<bool> done(insns_.size());
    const auto ready = [&](std::uint32_t insn) {
      return std::ranges::all_of(producers_[insn],
                                 [&](std::uint32_t producer) { return producer == kNone || done[producer]; });
    };
    while (true) {
      unsigned unit = kQueueUnits;
      std::uint32_t first = kNone;
      for (unsigned u = 0; u < kQueueUnits; ++u) {
        if (heads[u] == units_[u].starts.size()) continue;
        const std::uint32_t insn = units_[u].starts[heads[u]];
        if (insn >= first || !ready(insn)) continue;
        first = insn;
        unit = u;
      }
      if (unit == kQueueUnits) return;
      ++heads[unit];
      done[first] = true;
      result_.order.push_back(first);
    }
  }

  std::span<const Insn> insns_;
  const Geometry& geometry_;
  std::array<UnitState, kQueueUnits> units_;
  std::array<std::array<std::deque<std::uint32_t>, kQueueUnits>, kQueueUnits> channels_;
  std::vector<std::array<std::uint32_t, kQueueUnits>> producers_;  ///< by producing unit
  TokenRun result_;
};

}  // namespace

TokenRun run_tokens(std::span<const Insn> insns, const Geometry& geometry) {
  return Machine(insns, geometry).run();
}

}  // namespace vdla::isa
