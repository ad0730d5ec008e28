// SPDX-License-Identifier: Apache-2.0
// Frame of each of the four units around its data path, as the RTL's vdla_unit_front: the instruction queue,
// tokens popped one by one before the start, the list of instructions in flight, tokens pushed one by one
// after the end.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>

#include "isa/codec/insn.h"
#include "isa/semantics/state.h"
#include "isa/spec/queues.h"
#include "sim/contract.h"
#include "sim/cycle/channel.h"
#include "sim/cycle/report.h"

namespace vdla::sim {

struct QueuedInsn {
  std::uint32_t index = 0;
  isa::Insn insn;
};

/// Connections of a unit; everything outlives it.
struct UnitLinks {
  const isa::Geometry& geometry;
  Channel<QueuedInsn>& queue;
  std::array<TokenChannel*, isa::kQueueUnits> pops{};    ///< channels by producing unit; null for its own
  std::array<TokenChannel*, isa::kQueueUnits> pushes{};  ///< channels by consuming unit
  /// Does an instruction's work on the data.
  std::function<std::optional<isa::Fault>(const isa::Insn&)> execute;
  /// The digest of what an instruction that has just been executed wrote.
  std::function<std::uint64_t(const isa::Insn&)> digest;
  std::function<void(const isa::Fault&, isa::Unit, std::uint32_t insn)> fail;
  const Reporter& reporter;
};

struct UnitCounters {
  Cycle busy = 0;
  Cycle token_stall = 0;
};

// Long: one state machine, which the four units share.
class QueueUnit : public sc_core::sc_module {
 public:
  /// The device is started again; the unit is idle.
  void restart();
  UnitState state() const;
  /// Nothing queued that is visible, nothing in flight.
  bool idle();
  /// Rings in the cycle after the next retire, or after the last one if that was in this cycle. Wait on it at
  /// once.
  const sc_core::sc_event& retired();
  /// Counters of the cycles before `end`; waits that go on then are among them.
  UnitCounters counters(Cycle end) const;
  /// Cycle after the last in which the first instruction came, or one started, ended or retired.
  Cycle since() const { return since_; }
  void finish_trace(Cycle end);

 protected:
  /// `in_flight`: what a cycle is lost to in which the data path does nothing with an instruction in flight.
  QueueUnit(sc_core::sc_module_name name, isa::Unit unit, const UnitLinks& links, trace::Activity in_flight);

  virtual void reset() {}
  /// Suspends until the data path takes the next instruction.
  virtual void wait_ready(const QueuedInsn& insn) = 0;
  /// The data path takes an instruction in this cycle. It calls completes() for each, in order, now or later.
  virtual void begin(const QueuedInsn& insn) = 0;
  /// Tells spans() what the data path has done up to now.
  virtual void tell_work() {}

  /// The oldest instruction that has not completed does so in cycle `done`.
  void completes(Cycle done);

  SpanWriter& spans() { return spans_; }
  const UnitLinks& links() const { return links_; }

 private:
  struct Inflight {
    std::uint32_t index;
    unsigned push;
    Cycle start;
    std::uint64_t bytes;
    std::uint64_t digest = 0;
  };

  void run_front();
  void run_retire();
  void pop_tokens(const QueuedInsn& head);
  void start(const QueuedInsn& head);
  void push_tokens(const Inflight& insn);
  void tell_pops(std::uint32_t insn);
  void tell_pushes();
  void retire();
  Cycle alone_until(Cycle end) const;

  isa::Unit unit_;
  UnitLinks links_;
  SpanWriter spans_;
  Occupancy inflight_room_{isa::kInflightDepth};
  std::deque<Inflight> inflight_;
  std::deque<Cycle> done_;
  Doorbell done_known_, retired_;
  Cycle next_retire_ = 0;
  unsigned waiting_pops_ = 0, waiting_pushes_ = 0;
  Cycle completed_ = 0;                          ///< cycle in which the one that retires was done
  Cycle popping_since_ = 0, pushing_since_ = 0;  ///< with these tokens missing
  Cycle pop_wait_ = 0, push_wait_ = 0;  ///< cycles in which the instruction's first token was missing
  Cycle idle_since_ = 0;                ///< cycle from which nothing has been in flight
  Cycle busy_since_ = 0;
  Cycle since_ = 0;
  UnitCounters counters_;
};

}  // namespace vdla::sim
