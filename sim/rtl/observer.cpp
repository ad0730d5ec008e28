// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/observer.h"

#include "isa/codec/codec.h"
#include "isa/spec/registers.h"

namespace vdla::sim {
namespace {

using trace::Activity;
using trace::EventType;

constexpr unsigned kFetch = VDLA_RTL_UNITS;

bool bit(std::uint32_t mask, unsigned i) { return (mask >> i & 1u) != 0; }
isa::Unit unit_at(unsigned i) { return static_cast<isa::Unit>(i); }
std::uint8_t waiting_pops(std::uint32_t state) {
  return static_cast<std::uint8_t>(isa::number_at(isa::kUnitStateWaitingPops, state));
}
std::uint8_t waiting_pushes(std::uint32_t state) {
  return static_cast<std::uint8_t>(isa::number_at(isa::kUnitStateWaitingPushes, state));
}
std::uint8_t waiting_queue(std::uint32_t state) {
  return static_cast<std::uint8_t>(isa::number_at(isa::kFetchStateWaitingQueue, state));
}

}  // namespace

void InsnStream::write_register(std::uint32_t offset, std::uint32_t value) {
  constexpr auto kFirst = static_cast<std::uint32_t>(isa::Register::WINDOW0_BASE_LO);
  constexpr std::uint64_t kWord = UINT32_MAX;
  if (offset == static_cast<std::uint32_t>(isa::Register::INSN_OFFSET)) offset_ = value;
  if (offset < kFirst || offset >= kFirst + isa::kWindowCount * isa::kWindowStride) return;
  std::uint64_t& base = bases_[(offset - kFirst) / isa::kWindowStride];
  const std::uint32_t word = (offset - kFirst) % isa::kWindowStride;
  if (word == 0) base = (base & ~kWord) | value;
  if (word == 4) base = (base & kWord) | std::uint64_t{value} << 32;
}

isa::MoveWork InsnStream::work(std::uint32_t insn) const {
  const std::uint64_t address = begin() + std::uint64_t{insn} * isa::kInsnBytes;
  const std::byte* bytes = memory_.find(address, isa::kInsnBytes);
  if (bytes == nullptr) return {};
  const auto decoded = isa::try_decode(
      isa::words_from_bytes(std::span<const std::byte, isa::kInsnBytes>(bytes, isa::kInsnBytes)));
  const auto* move = decoded ? std::get_if<isa::MemoryInsn>(&*decoded) : nullptr;
  if (move == nullptr) return {};
  return isa::move_work(*move, variant_.geometry, variant_.timing,
                        bases_[static_cast<unsigned>(move->window)]);
}

std::uint32_t InsnStream::at(std::uint64_t address) const {
  return static_cast<std::uint32_t>((address - begin()) / isa::kInsnBytes);
}

Observer::Span Observer::unit_span(unsigned unit, const vdla_rtl_events& e) const {
  const std::uint32_t state = e.state[unit];
  Span s{Activity::Idle, 0, e.insn[unit]};
  const bool has = (state & isa::kUnitStateHasInsn) != 0, running = (state & isa::kUnitStateRunning) != 0;
  if (waiting_pushes(state) != 0) {
    s.activity = Activity::Push;
    s.peers = waiting_pushes(state);
  } else if (unit == static_cast<unsigned>(isa::Unit::Vector) && e.bank_stall) {
    s.activity = Activity::Bank;
  } else if (bit(e.work, unit)) {
    s.activity = Activity::Busy;
    if (unit == static_cast<unsigned>(isa::Unit::Gemm)) s.insn = units_[unit].latest;
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
  if (waiting_queue(e.fetch_state) != 0) {
    s.activity = Activity::Queue;
    s.peers = waiting_queue(e.fetch_state);
  } else if (e.drain) {
    s.activity = Activity::Drain;
  } else if (e.dispatch != 0) {
    s.activity = Activity::Busy;
  } else if ((e.fetch_state & isa::kFetchStateBusy) != 0) {
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

/// The index has gone on in the cycle in which fetch took the finish.
void Observer::end(std::uint64_t now, const vdla_rtl_outputs& out, const vdla_rtl_events& e) {
  running_ = running_ || e.run != 0;
  if (running_ && !out.busy) {
    point(EventType::Done, kFetch, fetch_index_, now);
    running_ = false;
  }
  fetch_index_ = e.fetch_index;
}

void Observer::start(unsigned unit, std::uint32_t insn, std::uint64_t now) {
  Unit& u = units_[unit];
  const isa::MoveWork work = insns_.work(insn);
  u.begin[insn % u.begin.size()] = now;
  u.bytes[insn % u.bytes.size()] = work.bytes;
  if (work.bursts != 0) moving_[unit].push_back({insn, work.bursts});
}

void Observer::retire(unsigned unit, std::uint32_t insn, std::uint64_t now) {
  Unit& u = units_[unit];
  trace::Event e;
  e.type = EventType::Insn;
  e.unit = unit_at(unit);
  e.insn = insn;
  e.begin = u.begin[insn % u.begin.size()];
  e.end = (u.pushing ? u.done : now) + 1;
  e.bytes = u.bytes[insn % u.bytes.size()];
  u.pushing = false;
  sink_.event(e);
  point(EventType::Retire, unit, insn, now);
}

void Observer::cycle(std::uint64_t now, const vdla_rtl_outputs& out, const vdla_rtl_events& e) {
  if (e.run) {
    point(EventType::Start, kFetch, 0, now);
    for (auto& moving : moving_) moving.clear();
  }
  end(now, out, e);
  for (unsigned u = 0; u < VDLA_RTL_UNITS; ++u) {
    if (bit(e.dispatch, u)) point(EventType::Dispatch, u, e.fetch_index, now);
    if (bit(e.start, u)) start(u, e.start_index[u], now);
    if (waiting_pushes(e.state[u]) != 0 && !units_[u].pushing) {
      units_[u].pushing = true;
      units_[u].done = now;
    }
    if (bit(e.retire, u)) retire(u, e.retire_index[u], now);
    span(u, now, unit_span(u, e));
    if (bit(e.start, u)) units_[u].latest = e.start_index[u];
  }
  span(kFetch, now, fetch_span(e));
}

void Observer::retires(std::uint64_t now, const vdla_rtl_outputs& out, const vdla_rtl_events& e,
                       WriteWatch& writes) {
  if (e.run) point(EventType::Start, kFetch, 0, now);
  end(now, out, e);
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
  e.unit = b.write ? isa::Unit::Store : b.load ? isa::Unit::Load : isa::Unit::Fetch;
  if (e.unit == isa::Unit::Fetch) {
    e.insn = insns_.at(b.address);
  } else if (auto& moving = moving_[static_cast<unsigned>(e.unit)]; !moving.empty()) {
    e.insn = moving.front().insn;
    if (--moving.front().bursts == 0) moving.pop_front();
  }
  sink_.event(e);
}

void Observer::flush(std::uint64_t now) {
  for (unsigned u = 0; u <= kFetch; ++u) span(u, now, Span{});
}

}  // namespace vdla::sim
