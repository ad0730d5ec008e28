// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/unit.h"

#include <algorithm>

#include "sim/functional/core.h"

namespace vdla::sim {
namespace {

/// Suspends until one of the marked channels changes.
void wait_any(const std::array<TokenChannel*, isa::kQueueUnits>& channels, unsigned mask,
              const sc_core::sc_event& (TokenChannel::*event)()) {
  sc_core::sc_event_or_list list;
  for (unsigned u = 0; u < isa::kQueueUnits; ++u)
    if (mask >> u & 1) list |= (channels[u]->*event)();
  sc_core::wait(list);
}

}  // namespace

QueueUnit::QueueUnit(sc_core::sc_module_name name, isa::Unit unit, const UnitLinks& links,
                     trace::Activity in_flight)
    : sc_module(name), unit_(unit), links_(links), spans_(links.reporter, unit, in_flight) {
  SC_HAS_PROCESS(QueueUnit);
  SC_THREAD(run_front);
  SC_THREAD(run_retire);
}

void QueueUnit::restart() {
  counters_ = {};
  for (TokenChannel* channel : links_.pops)
    if (channel != nullptr) channel->clear();
  reset();
}

void QueueUnit::finish_trace(Cycle end) {
  if (waiting_pops_ != 0) tell_pops(links_.queue.front().index);
  if (waiting_pushes_ != 0) tell_pushes();
  if (links_.reporter.on()) tell_work();
  spans_.finish(end);
}

void QueueUnit::run_front() {
  for (;;) {
    links_.queue.wait_pop();
    if (inflight_.empty() && idle_since_ < now()) since_ = std::max(since_, now());  // it came a cycle ago
    const QueuedInsn head = links_.queue.front();
    pop_tokens(head);
    const Cycle popped = now();
    while (!inflight_room_.can_push()) sc_core::wait(inflight_room_.less());
    wait_ready(head);
    spans_.reason(trace::Activity::Setup, head.index, popped, now() + 1);
    start(head);
  }
}

void QueueUnit::tell_pops(std::uint32_t insn) {
  spans_.reason(trace::Activity::Pop, insn, popping_since_, now(), waiting_pops_);
}

void QueueUnit::pop_tokens(const QueuedInsn& head) {
  pop_wait_ = now();
  unsigned missing = isa::pops_of(head.insn);
  while (true) {
    for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
      if ((missing >> u & 1) == 0 || !links_.pops[u]->can_pop()) continue;
      links_.pops[u]->pop();
      missing &= ~(1u << u);
    }
    waiting_pops_ = missing;
    if (missing == 0) break;
    popping_since_ = now();
    wait_any(links_.pops, missing, &TokenChannel::more);
    tell_pops(head.index);
  }
  counters_.token_stall += alone_until(now());
}

/// Cycles of the wait for tokens in which nothing was in flight. The last one in flight may retire in this
/// very cycle, before or after this process.
Cycle QueueUnit::alone_until(Cycle end) const {
  const Cycle alone = std::max(pop_wait_, idle_since_);
  return inflight_.empty() && end > alone ? end - alone : 0;
}

void QueueUnit::start(const QueuedInsn& head) {
  links_.queue.pop();
  since_ = std::max(since_, now() + 1);
  inflight_room_.push();
  if (inflight_.empty()) busy_since_ = std::max(now() + 1, idle_since_);
  inflight_.push_back({head.index, isa::pushes_of(head.insn), now(), dram_bytes(head.insn, links_.geometry)});
  spans_.enter(head.index, now());
  if (const auto fault = links_.execute(head.insn)) return links_.fail(*fault, unit_, head.index);
  if (links_.reporter.wants_digests()) inflight_.back().digest = links_.digest(head.insn);
  begin(head);
}

void QueueUnit::completes(Cycle done) {
  done_.push_back(done);
  since_ = std::max(since_, done + 1);
  done_known_.ring();
}

void QueueUnit::run_retire() {
  for (;;) {
    while (done_.empty()) sc_core::wait(done_known_.event());
    wait_until(std::max(done_.front(), next_retire_));
    done_.pop_front();
    push_tokens(inflight_.front());
    retire();
    next_retire_ = now() + 1;
  }
}

void QueueUnit::tell_pushes() {
  spans_.reason(trace::Activity::Push, inflight_.front().index, pushing_since_, now(), waiting_pushes_);
}

void QueueUnit::push_tokens(const Inflight& insn) {
  push_wait_ = now();
  unsigned left = insn.push;
  while (true) {
    for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
      if ((left >> u & 1) == 0 || !links_.pushes[u]->can_push()) continue;
      links_.pushes[u]->push();
      left &= ~(1u << u);
    }
    waiting_pushes_ = left;
    if (left == 0) break;
    pushing_since_ = now();
    wait_any(links_.pushes, left, &TokenChannel::less);
    tell_pushes();
  }
  counters_.token_stall += now() - push_wait_;
  completed_ = push_wait_;
}

void QueueUnit::retire() {
  const Inflight& insn = inflight_.front();
  trace::Event e;
  e.type = trace::EventType::Insn;
  e.unit = unit_;
  e.insn = insn.index;
  e.begin = insn.start;
  e.end = completed_ + 1;
  e.bytes = insn.bytes;
  if (links_.reporter.on()) links_.reporter.emit(e);
  e.type = trace::EventType::Retire;
  e.begin = e.end = now();
  e.bytes = 0;
  e.digest = insn.digest;
  links_.reporter.emit(e);
  spans_.leave(now());
  if (links_.reporter.on()) tell_work();
  spans_.flush(waiting_pops_ != 0 ? popping_since_ : now());
  inflight_room_.pop();
  since_ = std::max(since_, now() + 1);
  inflight_.pop_front();
  if (inflight_.empty()) {
    idle_since_ = now() + 1;
    counters_.busy += idle_since_ - busy_since_;
  }
  retired_.ring(1);
}

const sc_core::sc_event& QueueUnit::retired() {
  const sc_core::sc_event& event = retired_.event();
  if (idle_since_ > now()) retired_.ring(1);
  return event;
}

bool QueueUnit::idle() { return !links_.queue.can_pop() && inflight_.empty() && idle_since_ <= now(); }

UnitCounters QueueUnit::counters(Cycle end) const {
  UnitCounters c = counters_;
  if (!inflight_.empty() && end > busy_since_) c.busy += end - busy_since_;
  if (waiting_pops_ != 0) c.token_stall += alone_until(end);
  if (waiting_pushes_ != 0 && end > push_wait_) c.token_stall += end - push_wait_;
  return c;
}

UnitState QueueUnit::state() const {
  UnitState s{unit_};
  s.running = !inflight_.empty();
  s.has_insn = s.running || waiting_pops_ != 0;
  if (s.running)
    s.insn = inflight_.front().index;
  else if (s.has_insn)
    s.insn = links_.queue.front().index;
  s.waiting_pushes = waiting_pushes_;
  s.waiting_pops = s.running ? 0 : waiting_pops_;
  return s;
}

}  // namespace vdla::sim
