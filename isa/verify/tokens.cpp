// SPDX-License-Identifier: Apache-2.0
#include "isa/verify/tokens.h"

#include <algorithm>
#include <deque>

#include "isa/spec/queues.h"

namespace vdla::isa {
namespace {

class TokenModel {
 public:
  TokenModel(std::span<const Insn> insns, const Geometry& geometry) : insns_(insns), geometry_(geometry) {
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
    unsigned popped = 0;  ///< channels from which the head has taken its token
    struct Inflight {
      std::uint32_t insn;
      unsigned to_push;  ///< channels without its token yet
    };
    std::deque<Inflight> inflight;  ///< started, not retired
    Clock clock{};                  ///< events that have completed when the head, or the next one, starts
    std::int32_t dispatched = 0;
  };

  std::deque<std::uint32_t>& channel(unsigned from, unsigned to) { return channels_[from][to]; }

  bool idle() const {
    return std::ranges::all_of(units_,
                               [](const UnitState& u) { return u.queue.empty() && u.inflight.empty(); });
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
      if (u.queue.size() >= geometry_.queue(static_cast<Unit>(unit))) break;
      u.queue.push_back(next);
      result_.positions[next] = u.dispatched++;
    }
    return result_.next_fetch != before;
  }

  unsigned missing_pops(unsigned unit) const {
    return pops_of(insns_[units_[unit].queue.front()]) & ~units_[unit].popped;
  }

  /// Takes the head's tokens, one by one as they come: one that is taken early leaves room in its channel.
  bool pop_tokens(unsigned unit) {
    UnitState& u = units_[unit];
    if (u.queue.empty()) return false;
    const std::uint32_t insn = u.queue.front();
    const unsigned missing = missing_pops(unit);
    for (unsigned from = 0; from < kQueueUnits; ++from) {
      if ((missing >> from & 1u) == 0 || channel(from, unit).empty()) continue;
      const std::uint32_t producer = channel(from, unit).front();
      channel(from, unit).pop_front();
      u.popped |= 1u << from;
      producers_[insn][from] = producer;
      for (unsigned v = 0; v < kQueueUnits; ++v)
        u.clock[v] = std::max(u.clock[v], result_.started[producer][v]);
      u.clock[from] = std::max(u.clock[from], result_.positions[producer] + 1);
    }
    return missing_pops(unit) != missing;
  }

  bool start(unsigned unit) {
    UnitState& u = units_[unit];
    if (u.queue.empty() || missing_pops(unit) != 0 || u.inflight.size() == kInflightDepth) return false;
    const std::uint32_t insn = u.queue.front();
    u.clock[unit] = result_.positions[insn];
    result_.started[insn] = u.clock;
    u.starts.push_back(insn);
    u.queue.pop_front();
    u.popped = 0;
    u.inflight.push_back({insn, pushes_of(insns_[insn])});
    return true;
  }

  /// Gives the tokens of the oldest instruction in flight, one by one as there is room; it retires with the
  /// last.
  bool retire(unsigned unit) {
    UnitState& u = units_[unit];
    if (u.inflight.empty()) return false;
    auto& [insn, to_push] = u.inflight.front();
    const unsigned before = to_push;
    for (unsigned to = 0; to < kQueueUnits; ++to) {
      if ((to_push >> to & 1u) == 0 || channel(unit, to).size() >= geometry_.token_depth) continue;
      channel(unit, to).push_back(insn);
      to_push &= ~(1u << to);
    }
    if (to_push != 0) return to_push != before;
    u.inflight.pop_front();
    return true;
  }

  bool step(unsigned unit) {
    const bool popped = pop_tokens(unit);
    const bool started = start(unit);
    return retire(unit) || started || popped;
  }

  void finish() {
    for (unsigned unit = 0; unit < kQueueUnits; ++unit) {
      const UnitState& u = units_[unit];
      if (!u.inflight.empty())
        result_.waits.push_back(
            {static_cast<Unit>(unit), u.inflight.front().insn, 0, u.inflight.front().to_push});
      else if (!u.queue.empty())
        result_.waits.push_back({static_cast<Unit>(unit), u.queue.front(), missing_pops(unit), 0});
    }
    if (!result_.waits.empty()) return;
    for (unsigned from = 0; from < kQueueUnits; ++from)
      for (unsigned to = 0; to < kQueueUnits; ++to)
        for (std::uint32_t insn : channel(from, to))
          result_.left.push_back({static_cast<Unit>(from), static_cast<Unit>(to), insn});
  }

  /// Takes the first of the program among the units' next instructions whose producers have all had their
  /// turn.
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
  std::vector<std::array<std::uint32_t, kQueueUnits>> producers_;  ///< producers by unit
  TokenRun result_;
};

}  // namespace

TokenRun run_tokens(std::span<const Insn> insns, const Geometry& geometry) {
  return TokenModel(insns, geometry).run();
}

}  // namespace vdla::isa
