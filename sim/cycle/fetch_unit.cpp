// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/fetch_unit.h"

#include <algorithm>

#include "isa/codec/codec.h"
#include "isa/spec/errors.h"

namespace vdla::sim {

FetchUnit::FetchUnit(sc_core::sc_module_name name, const FetchLinks& links)
    : sc_module(name), links_(links), spans_(links.reporter, isa::Unit::Fetch) {
  SC_HAS_PROCESS(FetchUnit);
  SC_THREAD(run_dispatch);
}

ReadClient FetchUnit::read_client() {
  return {*this, [this](const BurstRequest&, const dram::Burst& b, Cycle c) { return receive_beats(b, c); },
          isa::Unit::Fetch};
}

void FetchUnit::start(std::uint32_t offset, std::uint32_t count) {
  const isa::WindowRange& window = links_.windows[static_cast<unsigned>(isa::Window::Insn)];
  const std::uint64_t inside = offset < window.size ? (window.size - offset) / isa::kInsnBytes : 0;
  offset_ = offset;
  count_ = count;
  const bool aligned = (window.base + offset) % isa::kInsnBytes == 0;
  available_ = aligned ? static_cast<std::uint32_t>(std::min<std::uint64_t>(inside, count)) : 0;
  active_from_ = waiting_from_ = now() + 1;
  asked_ = index_ = 0;
  request_at_.reset();
  beats_.clear();
  used_.clear();
  used_before_ = 0;
  active_ = true;
  started_.notify(sc_core::SC_ZERO_TIME);
  asked_at_ = now();
  decide_request();
}

// --- requests ---

std::uint64_t FetchUnit::request_address() const {
  const std::uint64_t base = links_.windows[static_cast<unsigned>(isa::Window::Insn)].base;
  return base + offset_ + std::uint64_t{asked_} * isa::kInsnBytes;
}

/// Instructions of the next burst: up to the next multiple of the longest.
unsigned FetchUnit::next_insns() const {
  const auto to_boundary =
      static_cast<unsigned>((links_.burst_bytes - request_address() % links_.burst_bytes) / isa::kInsnBytes);
  return std::min(to_boundary, available_ - asked_);
}

/// Returns the cycle in which the unit decides to raise its request, which the bus sees a cycle later;
/// nothing while it is not known.
std::optional<Cycle> FetchUnit::request_time() const {
  const std::uint64_t beats = std::uint64_t{asked_ + next_insns()} * kInsnBeats;
  if (beats <= kBufferBeats) return asked_at_;
  const std::uint64_t need = beats - kBufferBeats;  // beats that must have been used
  if (need <= used_before_) return asked_at_;
  if (need - used_before_ > used_.size()) return std::nullopt;
  return std::max(asked_at_, used_[need - used_before_ - 1]);
}

void FetchUnit::decide_request() {
  if (request_at_ || asked_ == available_) return;
  const auto at = request_time();
  if (!at) return;
  request_at_ = *at + 1;
  changed();
}

BurstRequest FetchUnit::take(Cycle at) {
  const unsigned insns = next_insns();
  const BurstRequest request{request_address(), insns * isa::kInsnBytes, asked_, true};
  asked_ += insns;
  asked_at_ = at;
  request_at_.reset();
  decide_request();
  return request;
}

Cycle FetchUnit::receive_beats(const dram::Burst& burst, Cycle earliest) {
  Cycle free = earliest;
  for (unsigned beat = 0; beat < burst.beats(); ++beat) {
    free = std::max(free, burst.beat(beat)) + 1;
    beats_.push_back(free);  // can be used in the cycle after it came
  }
  beats_came_.ring();
  return free - 1;
}

// --- instructions ---

/// Uses the beats of one instruction from cycle `free` on; `free` becomes the cycle in which it is complete.
/// False while not all have come.
bool FetchUnit::receive(Cycle& free) {
  if (beats_.size() < kInsnBeats) return false;
  for (unsigned i = 0; i < kInsnBeats; ++i) {
    const Cycle used = std::max(free, beats_.front());
    beats_.pop_front();
    used_.push_back(used);
    if (used_.size() > 2 * kBufferBeats) {
      used_.pop_front();
      ++used_before_;
    }
    free = used + 1;
  }
  decide_request();
  return true;
}

void FetchUnit::run_dispatch() {
  for (;;) {
    while (!active_) sc_core::wait(started_);
    dispatch_all();
  }
}

void FetchUnit::dispatch_all() {
  Cycle free = active_from_;
  while (index_ < available_) {
    while (!receive(free)) sc_core::wait(beats_came_.event());
    dispatch(index_, free + 1);
    if (!active_) return;
    free = now();
    ++index_;
  }
  wait_until(std::max(free, active_from_) + (available_ > 0 ? 1 : 0));
  fail_exhausted();
}

void FetchUnit::fail_exhausted() {
  active_ = false, failed_ = true;
  const std::uint64_t start = links_.windows[static_cast<unsigned>(isa::Window::Insn)].base + offset_;
  if (start % isa::kInsnBytes != 0)
    links_.fail({isa::ErrorCode::Misaligned, start}, isa::Unit::Fetch, index_);
  else if (index_ < count_)
    links_.fail({isa::ErrorCode::Window, offset_ + std::uint64_t{index_} * isa::kInsnBytes}, isa::Unit::Fetch,
                index_);
  else
    links_.fail({isa::ErrorCode::NoFinish, 0}, isa::Unit::Fetch, index_);
}

/// Checks and dispatches in cycle `ready` or as soon as the queue has room.
void FetchUnit::dispatch(std::uint32_t index, Cycle ready) {
  wait_until(ready);
  spans_.reason(trace::Activity::Memory, index, waiting_from_, ready);
  const std::uint64_t base = links_.windows[static_cast<unsigned>(isa::Window::Insn)].base;
  const std::uint64_t address = base + offset_ + std::uint64_t{index} * isa::kInsnBytes;
  const std::byte* bytes = links_.memory.find(address, isa::kInsnBytes);
  if (bytes == nullptr) {
    active_ = false, failed_ = true;
    return links_.fail({isa::ErrorCode::BusRead, address}, isa::Unit::Fetch, index);
  }
  const auto words =
      isa::words_from_bytes(std::span<const std::byte, isa::kInsnBytes>(bytes, isa::kInsnBytes));
  if (const isa::Rule* rule = isa::find_broken_rule(words, links_.geometry)) {
    active_ = false, failed_ = true;
    return links_.fail({isa::ErrorCode::IllegalInsn, isa::number_of(*rule)}, isa::Unit::Fetch, index);
  }
  QueuedInsn queued{index, *isa::try_decode(words)};
  if (const auto* last = std::get_if<isa::FinishInsn>(&queued.insn)) return finish(*last, index);
  const auto unit = static_cast<unsigned>(isa::unit_of(queued.insn));
  const Cycle since = now();
  while (!links_.queues[unit]->can_push()) {
    waiting_ = 1u << unit;
    sc_core::wait(links_.queues[unit]->less());
  }
  if (waiting_ != 0) spans_.reason(trace::Activity::Queue, index, since, now(), waiting_);
  waiting_ = 0;
  spans_.reason(trace::Activity::Busy, index, now(), now() + 1);
  if (links_.reporter.on())
    links_.reporter.point(trace::EventType::Dispatch, static_cast<isa::Unit>(unit), index, now());
  spans_.flush(now());
  links_.queues[unit]->push(std::move(queued));
  since_ = now() + 1;
  waiting_from_ = now() + 1;
}

void FetchUnit::finish(const isa::FinishInsn& insn, std::uint32_t index) {
  const Cycle since = now();
  while (!std::ranges::all_of(links_.units, [](QueueUnit* u) { return u->idle(); })) {
    sc_core::sc_event_or_list retires;
    for (QueueUnit* unit : links_.units) retires |= unit->retired();
    sc_core::wait(retires);
  }
  spans_.reason(trace::Activity::Drain, index, since, now() + 1);
  active_ = false;
  since_ = now() + 1;
  links_.finish(insn.sequence);
}

UnitState FetchUnit::state() const {
  UnitState s{isa::Unit::Fetch};
  s.has_insn = active_ || failed_;
  s.insn = index_;
  s.waiting_pushes = waiting_;
  return s;
}

}  // namespace vdla::sim
