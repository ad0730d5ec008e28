// SPDX-License-Identifier: Apache-2.0
// Dependence tokens for what instructions wait for, in one pass: less what other tokens already order, and
// never more in flight than a channel holds.
// Waits, their transitive reduction by vector clocks, and the bound on tokens in flight.
#include "compiler/codegen/vdla/passes.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace vdla::codegen {
namespace {

/// A token from instruction `from` to instruction `to`.
struct Edge {
  std::int32_t from, to;
};

class TokenPass {
 public:
  explicit TokenPass(Stream& stream) : insns_(stream.insns), token_depth_(stream.geometry.token_depth) {}

  void run() {
    std::vector<Clock> done(insns_.size(), kNoClock);  // clock of what is complete when the instruction is
    std::array<Clock, isa::kQueueUnits> known;
    known.fill(kNoClock);
    for (std::size_t i = 0; i < insns_.size(); ++i) {
      const auto unit = static_cast<std::size_t>(isa::unit_of(insns_[i].insn));
      const auto index = static_cast<std::int32_t>(i);
      Clock clock = known[unit];
      wait_for(unit, index, insns_[i].after, done, clock);
      clock[unit] = index;
      known[unit] = clock;
      done[i] = clock;
      insns_[i].after = kNoClock;
    }
    write_flags();
  }

 private:
  /// Adds the tokens that `latest` needs beyond what `clock` knows; the latest producer first, as it may know
  /// of the others.
  void wait_for(std::size_t unit, std::int32_t index, const Clock& latest, const std::vector<Clock>& done,
                Clock& clock) {
    std::array<std::size_t, isa::kQueueUnits> order;
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, std::greater{}, [&](std::size_t u) { return latest[u]; });
    for (std::size_t from : order) {
      if (from == unit || latest[from] <= clock[from]) continue;
      add_edge(edges_[from][unit], {latest[from], index});
      const Clock& learnt = done[static_cast<std::size_t>(latest[from])];
      for (std::size_t u = 0; u < isa::kQueueUnits; ++u) clock[u] = std::max(clock[u], learnt[u]);
    }
  }

  /// Adds an edge. Where the channel would overflow in program order, the last waiting consumer takes the new
  /// token instead of its own: it waits for more than it needs, and the new consumer, which comes after it,
  /// needs no token.
  void add_edge(std::vector<Edge>& channel, Edge edge) {
    std::size_t waiting = 0;
    for (auto it = channel.rbegin(); it != channel.rend() && it->to > edge.from; ++it) ++waiting;
    if (waiting < token_depth_) {
      channel.push_back(edge);
    } else {
      channel.back().from = edge.from;
    }
  }

  void write_flags() {
    std::vector<std::pair<unsigned, unsigned>> flags(insns_.size());
    for (std::size_t from = 0; from < isa::kQueueUnits; ++from) {
      for (std::size_t to = 0; to < isa::kQueueUnits; ++to) {
        for (const Edge& edge : edges_[from][to]) {
          flags[static_cast<std::size_t>(edge.from)].second |= 1u << to;
          flags[static_cast<std::size_t>(edge.to)].first |= 1u << from;
        }
      }
    }
    for (std::size_t i = 0; i < insns_.size(); ++i)
      isa::set_tokens(insns_[i].insn, flags[i].first, flags[i].second);
  }

  std::vector<StreamInsn>& insns_;
  const std::size_t token_depth_;
  std::array<std::array<std::vector<Edge>, isa::kQueueUnits>, isa::kQueueUnits> edges_;
};

}  // namespace

/// Sets pop and push of every instruction and leaves no wait. Channels never hold more than token_depth
/// tokens when the stream runs in program order, so that order is one that the machine can always take: the
/// stream is free of deadlock for every queue depth.
void insert_tokens(Stream& stream) { TokenPass(stream).run(); }

}  // namespace vdla::codegen
