// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/observer.h"

namespace vdla::sim {
namespace {

using trace::Activity;
using trace::EventType;

constexpr unsigned kFetch = VDLA_RTL_UNITS;

bool bit(std::uint32_t mask, unsigned i) { return (mask >> i & 1u) != 0; }
isa::Unit unit_at(unsigned i) { return static_cast<isa::Unit>(i); }
std::uint8_t waiting_pops(std::uint32_t state) { return state >> 4 & 0xf; }
std::uint8_t waiting_pushes(std::uint32_t state) { return state >> 8 & 0xf; }

}  // namespace

Observer::Span Observer::unit_span(unsigned unit, const vdla_rtl_events& e) {
  const std::uint32_t state = e.state[unit];
  Span s{Activity::Idle, 0, e.insn[unit]};
  const bool has = bit(state, 0), running = bit(state, 1);
  if (waiting_pushes(state) != 0) {
    s.activity = Activity::Push;
    s.peers = waiting_pushes(state);
  } else if (unit == static_cast<unsigned>(isa::Unit::Vector) && e.bank_stall) {
    s.activity = Activity::Bank;
  } else if (bit(e.work, unit)) {
    s.activity = Activity::Busy;
  } else if (running) {
    const bool moves =
        unit == static_cast<unsigned>(isa::Unit::Load) || unit == static_cast<unsigned>(isa::Unit::Store);
    s.activity = moves ? Activity::Memory : Activity::Setup;
  } else if (waiting_pops(state) != 0) {
    s.activity = Activity::Pop;
    s.peers = waiting_pops(state);
  } else if (has) {
    s.activity = Activity::Setup;
  } else {
    s.insn = 0;
  }
  return s;
}

Observer::Span Observer::fetch_span(const vdla_rtl_events& e) {
  Span s{Activity::Idle, 0, e.fetch_index};
  if (waiting_pops(e.fetch_state) != 0) {
    s.activity = Activity::Queue;
    s.peers = waiting_pops(e.fetch_state);
  } else if (e.drain) {
    s.activity = Activity::Drain;
  } else if (e.dispatch != 0) {
    s.activity = Activity::Busy;
  } else if (bit(e.fetch_state, 0)) {
    s.activity = Activity::Memory;
  } else {
    s.insn = 0;
  }
  return s;
}

void Observer::span(unsigned unit, std::uint64_t now, const Span& span) {
  Unit& u = units_[unit];
  if (span == u.span) return;
  if (u.span.activity != Activity::Idle && now > u.span_begin) {
    trace::Event e;
    e.type = EventType::Span;
    e.unit = unit_at(unit);
    e.activity = u.span.activity;
    e.peers = u.span.peers;
    e.insn = u.span.insn;
    e.begin = u.span_begin;
    e.end = now;
    sink_.event(e);
  }
  u.span = span;
  u.span_begin = now;
}

void Observer::point(EventType type, unsigned unit, std::uint32_t insn, std::uint64_t now) {
  trace::Event e;
  e.type = type;
  e.unit = unit_at(unit);
  e.insn = insn;
  e.begin = e.end = now;
  sink_.event(e);
}

void Observer::retire(unsigned unit, std::uint32_t insn, std::uint64_t now) {
  Unit& u = units_[unit];
  trace::Event e;
  e.type = EventType::Insn;
  e.unit = unit_at(unit);
  e.insn = insn;
  e.begin = u.begin[insn % u.begin.size()];
  e.end = (u.pushing ? u.done : now) + 1;
  e.bytes = u.bytes;
  u.bytes = 0;
  u.pushing = false;
  sink_.event(e);
  point(EventType::Retire, unit, insn, now);
}

void Observer::cycle(std::uint64_t now, const vdla_rtl_outputs& out, const vdla_rtl_events& e) {
  if (e.run) point(EventType::Start, kFetch, 0, now);
  if (busy_ && !out.busy) point(EventType::Done, kFetch, e.fetch_index, now);
  busy_ = out.busy;
  load_index_ = e.load_index;
  store_index_ = e.insn[static_cast<unsigned>(isa::Unit::Store)];
  fetch_index_ = e.fetch_index;
  for (unsigned u = 0; u < VDLA_RTL_UNITS; ++u) {
    if (bit(e.dispatch, u)) point(EventType::Dispatch, u, e.fetch_index, now);
    if (bit(e.start, u)) units_[u].begin[e.start_index[u] % units_[u].begin.size()] = now;
    if (waiting_pushes(e.state[u]) != 0 && !units_[u].pushing) {
      units_[u].pushing = true;
      units_[u].done = now;
    }
    if (bit(e.retire, u)) retire(u, e.retire_index[u], now);
    span(u, now, unit_span(u, e));
  }
  span(kFetch, now, fetch_span(e));
}

void Observer::retires(std::uint64_t now, const vdla_rtl_outputs& out, const vdla_rtl_events& e,
                       WriteWatch& writes) {
  if (e.run) point(EventType::Start, kFetch, 0, now);
  if (busy_ && !out.busy) point(EventType::Done, kFetch, e.fetch_index, now);
  busy_ = out.busy;
  for (unsigned u = 0; u < VDLA_RTL_UNITS && e.retire != 0; ++u) {
    if (!bit(e.retire, u)) continue;
    trace::Event event;
    event.type = EventType::Retire;
    event.unit = unit_at(u);
    event.insn = e.retire_index[u];
    event.begin = event.end = now;
    event.digest = writes.take(u);
    sink_.event(event);
  }
}

void Observer::burst(std::uint64_t now, const BusBurst& b) {
  trace::Event e;
  e.type = EventType::Burst;
  e.write = b.write;
  e.begin = b.begin;
  e.end = now + 1;
  e.address = b.address;
  e.bytes = std::uint64_t{b.beats} * dram::kBusBytes;
  if (b.write) {
    e.unit = isa::Unit::Store;
    e.insn = store_index_;
  } else {
    e.unit = b.load ? isa::Unit::Load : isa::Unit::Fetch;
    e.insn = b.load ? load_index_ : fetch_index_;
  }
  if (e.unit != isa::Unit::Fetch) units_[static_cast<unsigned>(e.unit)].bytes += e.bytes;
  sink_.event(e);
}

void Observer::flush(std::uint64_t now) {
  for (unsigned u = 0; u <= kFetch; ++u) span(u, now, Span{});
}

}  // namespace vdla::sim
