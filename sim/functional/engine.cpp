// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/engine.h"

#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "isa/codec/codec.h"
#include "isa/spec/errors.h"
#include "isa/spec/queues.h"
#include "isa/spec/registers.h"
#include "sim/functional/checker.h"
#include "sim/functional/core.h"
#include "sim/functional/digest.h"
#include "sim/functional/registers.h"
#include "sim/trace/event.h"
#include "support/error.h"

namespace vdla::sim {
namespace {

using isa::Register;
using isa::Unit;

struct QueuedInsn {
  std::uint32_t index;
  isa::Insn insn;
};
unsigned pops_of(const QueuedInsn& head) { return isa::pops_of(head.insn); }

/// An instruction that has done its work and still has tokens to give.
struct DoneInsn {
  std::uint32_t index;
  unsigned to_push;      ///< channels
  std::uint64_t digest;  ///< digest of what it wrote
};

/// One unit's queue, and what has left it but not retired. The next instruction may start while older ones
/// wait for room for their tokens, as in the hardware: otherwise programs would deadlock here that do not
/// there.
struct UnitQueue {
  std::deque<QueuedInsn> insns;
  unsigned popped = 0;  ///< channels from which the head has taken its token
  std::deque<DoneInsn> inflight;

  bool idle() const { return insns.empty() && inflight.empty(); }
};

// Long: an engine's interface, and the registers, queues and tokens behind it.
class FunctionalEngine final : public Engine {
 public:
  FunctionalEngine(const isa::Variant& variant, Memory memory, Simd simd, FunctionalHooks hooks)
      : hooks_(hooks),
        variant_(variant),
        memory_(std::move(memory)),
        registers_(variant.geometry),
        core_(variant.geometry, memory_, simd) {
    isa::validate(variant.geometry);
  }

  std::string_view name() const override { return "functional"; }
  const isa::Variant& variant() const override { return variant_; }

  std::uint32_t read_register(std::uint32_t offset) override {
    for (const UnitState& s : unit_states()) registers_.publish(s);
    return registers_.read(offset);
  }

  void write_register(std::uint32_t offset, std::uint32_t value) override {
    switch (registers_.write(offset, value)) {
      case RegisterFile::Request::None:
        return;
      case RegisterFile::Request::Start:
        return start();
      case RegisterFile::Request::SoftReset:
        return soft_reset();
    }
  }

  std::uint64_t memory_base() const override { return memory_.base(); }
  std::uint64_t memory_size() const override { return memory_.size(); }
  void read_memory(std::uint64_t address, std::span<std::byte> bytes) override {
    memory_.read(address, bytes);
  }
  void write_memory(std::uint64_t address, std::span<const std::byte> bytes) override {
    memory_.write(address, bytes);
    if (hooks_.checker != nullptr) hooks_.checker->host_wrote(address, bytes.size());
  }
  bool interrupt() const override { return registers_.interrupt(); }
  void set_trace(trace::Sink* sink) override {
    sink_ = sink;
    digest_.reset();
    if (!trace::wants_writes(sink)) return;
    digest_.emplace(variant_.geometry);
    digest_->keep_writes(sink->detail() == trace::Detail::Contents);
  }

  Stop run(std::uint64_t cycle_limit) override;
  std::vector<UnitState> unit_states() const override;

 private:
  void start();
  void soft_reset();
  void clear_run();
  bool step_fetch();
  bool dispatch(const isa::InsnWords& words);
  bool finish(const isa::FinishInsn& insn);
  bool step_round();
  bool step_scheduled();
  bool step_unit(unsigned unit);
  bool pop_tokens(unsigned unit);
  bool ready(unsigned unit) const;
  void execute(unsigned unit);
  bool complete(unsigned unit);
  bool deadlock();
  void fail(const isa::Fault& fault, Unit unit, std::uint32_t insn);
  bool units_idle() const;
  unsigned missing_tokens(unsigned unit, unsigned wanted) const;
  void count_bytes(const isa::Insn& insn);
  void emit(trace::EventType type, Unit unit, std::uint32_t insn, std::uint64_t begin,
            std::uint64_t bytes = 0, std::uint64_t digest = 0);

  FunctionalHooks hooks_;
  isa::Variant variant_;
  Memory memory_;
  RegisterFile registers_;
  Core core_;
  trace::Sink* sink_ = nullptr;
  std::optional<trace::WriteDigest> digest_;  ///< when the sink wants digests
  isa::Windows windows_{};
  std::array<UnitQueue, isa::kQueueUnits> units_;
  std::array<std::array<unsigned, isa::kQueueUnits>, isa::kQueueUnits> tokens_{};  ///< [from][to]
  std::uint32_t fetched_ = 0;
  unsigned fetch_waits_ = 0;  ///< unit whose queue is full, one-hot
  bool fetching_ = false;     ///< from the start to FINISH or a reset; an error freezes it
  std::uint64_t time_ = 0;  ///< instructions that were executed: an order of events, no cycles, which read 0
};

void FunctionalEngine::emit(trace::EventType type, Unit unit, std::uint32_t insn, std::uint64_t begin,
                            std::uint64_t bytes, std::uint64_t digest) {
  if (sink_ == nullptr) return;
  if (digest_ && (type == trace::EventType::Dispatch || type == trace::EventType::Insn)) return;
  trace::Event e;
  e.type = type;
  e.unit = unit;
  e.insn = insn;
  e.begin = begin;
  e.end = type == trace::EventType::Insn ? begin + 1 : begin;
  e.bytes = bytes;
  e.digest = digest;
  sink_->event(e);
}

void FunctionalEngine::clear_run() {
  for (UnitQueue& unit : units_) unit = {};
  for (auto& row : tokens_) row.fill(0);
  fetched_ = 0;
  fetch_waits_ = 0;
  fetching_ = false;
}

void FunctionalEngine::start() {
  clear_run();
  registers_.begin_run();
  windows_ = registers_.windows();
  fetching_ = true;
  if (hooks_.checker != nullptr) hooks_.checker->start(windows_);
  emit(trace::EventType::Start, Unit::Fetch, 0, time_);
}

void FunctionalEngine::soft_reset() {
  clear_run();
  registers_.soft_reset();
}

Stop FunctionalEngine::run(std::uint64_t cycle_limit) {
  const std::uint64_t end = cycle_limit > ~std::uint64_t{0} - time_ ? ~std::uint64_t{0} : time_ + cycle_limit;
  while (registers_.running()) {
    if (time_ >= end) return Stop::CycleLimit;
    const bool progress = hooks_.scheduler == nullptr ? step_round() : step_scheduled();
    if (!progress && registers_.running() && !deadlock()) return Stop::Deadlock;
  }
  return Stop::Interrupt;
}

/// Without time the stall limit is reached at once; false when there is none.
bool FunctionalEngine::deadlock() {
  if (registers_.get(Register::STALL_LIMIT) == 0) return false;
  fail({isa::ErrorCode::Stall, 0}, Unit::Fetch, fetched_);
  return true;
}

bool FunctionalEngine::step_round() {
  bool progress = step_fetch();
  for (unsigned u = 0; u < isa::kQueueUnits && registers_.running(); ++u) progress |= step_unit(u);
  return progress;
}

/// Everything that is not the execution of an instruction happens as soon as it can; of the instructions that
/// can be executed the scheduler chooses one.
bool FunctionalEngine::step_scheduled() {
  bool progress = step_fetch();
  std::array<Unit, isa::kQueueUnits> choices;
  std::size_t count = 0;
  for (unsigned u = 0; u < isa::kQueueUnits && registers_.running(); ++u) {
    progress |= complete(u);
    progress |= pop_tokens(u);
    if (ready(u)) choices[count++] = static_cast<Unit>(u);
  }
  if (progress || count == 0) return progress;
  execute(static_cast<unsigned>(choices[hooks_.scheduler->choose({choices.data(), count})]));
  return true;
}

void FunctionalEngine::fail(const isa::Fault& fault, Unit unit, std::uint32_t insn) {
  registers_.fail(fault, unit, insn);
  emit(trace::EventType::Done, unit, insn, time_);
}

/// Fetches and dispatches one instruction, if its queue has room.
bool FunctionalEngine::step_fetch() {
  const std::uint64_t offset =
      registers_.get(Register::INSN_OFFSET) + std::uint64_t{fetched_} * isa::kInsnBytes;
  const isa::WindowRange& window = windows_[static_cast<unsigned>(isa::Window::Insn)];
  if ((window.base + offset) % isa::kInsnBytes != 0) {
    fail({isa::ErrorCode::Misaligned, window.base + offset}, Unit::Fetch, fetched_);
    return true;
  }
  if (fetched_ == registers_.get(Register::INSN_COUNT)) {
    fail({isa::ErrorCode::NoFinish, 0}, Unit::Fetch, fetched_);
    return true;
  }
  if (!isa::inside(window, offset, isa::kInsnBytes)) {
    fail({isa::ErrorCode::Window, offset}, Unit::Fetch, fetched_);
    return true;
  }
  const std::byte* bytes = memory_.find(window.base + offset, isa::kInsnBytes);
  if (bytes == nullptr) {
    fail({isa::ErrorCode::BusRead, window.base + offset}, Unit::Fetch, fetched_);
    return true;
  }
  return dispatch(isa::words_from_bytes(std::span<const std::byte, isa::kInsnBytes>(bytes, isa::kInsnBytes)));
}

bool FunctionalEngine::dispatch(const isa::InsnWords& words) {
  if (const isa::Rule* rule = isa::find_broken_rule(words, variant_.geometry)) {
    fail({isa::ErrorCode::IllegalInsn, isa::number_of(*rule)}, Unit::Fetch, fetched_);
    return true;
  }
  const isa::Insn insn = *isa::try_decode(words);
  if (const auto* last = std::get_if<isa::FinishInsn>(&insn)) return finish(*last);
  const Unit unit = isa::unit_of(insn);
  UnitQueue& queue = units_[static_cast<unsigned>(unit)];
  fetch_waits_ = queue.insns.size() >= variant_.geometry.queue(unit) ? 1u << static_cast<unsigned>(unit) : 0;
  if (fetch_waits_ != 0) return false;
  emit(trace::EventType::Dispatch, unit, fetched_, time_);
  registers_.set_wide(Register::READ_BYTES_LO,
                      registers_.get_wide(Register::READ_BYTES_LO) + isa::kInsnBytes);
  queue.insns.push_back({fetched_++, insn});
  return true;
}

bool FunctionalEngine::finish(const isa::FinishInsn& insn) {
  if (!units_idle()) return false;
  registers_.set_wide(Register::READ_BYTES_LO,
                      registers_.get_wide(Register::READ_BYTES_LO) + isa::kInsnBytes);
  emit(trace::EventType::Done, Unit::Fetch, fetched_, time_);
  if (hooks_.checker != nullptr) hooks_.checker->finish(fetched_, registers_.get(Register::INSN_COUNT));
  registers_.finish(insn.sequence);
  fetching_ = false;
  return true;
}

bool FunctionalEngine::units_idle() const {
  for (const UnitQueue& unit : units_)
    if (!unit.idle()) return false;
  return true;
}

unsigned FunctionalEngine::missing_tokens(unsigned unit, unsigned wanted) const {
  unsigned missing = 0;
  for (unsigned from = 0; from < isa::kQueueUnits; ++from)
    if ((wanted >> from & 1) != 0 && tokens_[from][unit] == 0) missing |= 1u << from;
  return missing;
}

/// Starts the next instruction and retires the oldest, as far as it can.
bool FunctionalEngine::step_unit(unsigned unit) {
  bool progress = pop_tokens(unit);
  if (ready(unit)) {
    execute(unit);
    progress = true;
  }
  if (registers_.running()) progress |= complete(unit);
  return progress;
}

/// Pops the head's tokens, one by one as they come; false when there was none.
bool FunctionalEngine::pop_tokens(unsigned unit) {
  UnitQueue& queue = units_[unit];
  if (queue.insns.empty()) return false;
  const unsigned before = queue.popped;
  const unsigned missing = pops_of(queue.insns.front()) & ~queue.popped;
  for (unsigned from = 0; from < isa::kQueueUnits; ++from) {
    if ((missing >> from & 1) == 0 || tokens_[from][unit] == 0) continue;
    --tokens_[from][unit];
    queue.popped |= 1u << from;
    if (hooks_.checker != nullptr) hooks_.checker->pop(from, unit);
  }
  return queue.popped != before;
}

/// The head has its tokens, and there is room behind it.
bool FunctionalEngine::ready(unsigned unit) const {
  const UnitQueue& queue = units_[unit];
  return !queue.insns.empty() && queue.popped == pops_of(queue.insns.front()) &&
         queue.inflight.size() < isa::kInflightDepth;
}

void FunctionalEngine::execute(unsigned unit) {
  UnitQueue& queue = units_[unit];
  const QueuedInsn& head = queue.insns.front();
  ++time_;
  if (hooks_.checker != nullptr) hooks_.checker->execute(unit, head.index, head.insn, core_.sram());
  if (const auto fault = core_.execute(head.insn, windows_)) {
    return fail(*fault, static_cast<Unit>(unit), head.index);
  }
  const std::uint64_t digest = digest_ ? digest_of(head.insn, core_.sram(), windows_, memory_, *digest_) : 0;
  if (digest_ && sink_->detail() == trace::Detail::Contents)
    sink_->wrote(static_cast<Unit>(unit), digest_->take_writes());
  count_bytes(head.insn);
  emit(trace::EventType::Insn, static_cast<Unit>(unit), head.index, time_ - 1,
       dram_bytes(head.insn, variant_.geometry));
  queue.inflight.push_back({head.index, isa::pushes_of(head.insn), digest});
  queue.insns.pop_front();
  queue.popped = 0;
}

/// Pushes tokens of the oldest instruction that is done, one by one as there is room; it retires with the
/// last. False when nothing could be done.
bool FunctionalEngine::complete(unsigned unit) {
  UnitQueue& queue = units_[unit];
  if (queue.inflight.empty()) return false;
  DoneInsn& oldest = queue.inflight.front();
  const unsigned before = oldest.to_push;
  for (unsigned to = 0; to < isa::kQueueUnits; ++to) {
    if ((oldest.to_push >> to & 1) == 0 || tokens_[unit][to] >= variant_.geometry.token_depth) continue;
    ++tokens_[unit][to];
    oldest.to_push &= ~(1u << to);
    if (hooks_.checker != nullptr) hooks_.checker->push(unit, to);
  }
  if (oldest.to_push != 0) return oldest.to_push != before;
  if (hooks_.checker != nullptr) hooks_.checker->retire(unit);
  emit(trace::EventType::Retire, static_cast<Unit>(unit), oldest.index, time_, 0, oldest.digest);
  queue.inflight.pop_front();
  return true;
}

void FunctionalEngine::count_bytes(const isa::Insn& insn) {
  const std::uint64_t bytes = dram_bytes(insn, variant_.geometry);
  const Register counter =
      isa::opcode_of(insn) == isa::Opcode::Store ? Register::WRITE_BYTES_LO : Register::READ_BYTES_LO;
  registers_.set_wide(counter, registers_.get_wide(counter) + bytes);
}

std::vector<UnitState> FunctionalEngine::unit_states() const {
  std::vector<UnitState> states;
  for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
    const UnitQueue& queue = units_[u];
    UnitState s{static_cast<Unit>(u)};
    s.running = !queue.inflight.empty();
    s.has_insn = !queue.idle();
    if (s.running) {
      s.insn = queue.inflight.front().index;
      s.waiting_pushes = queue.inflight.front().to_push;
    } else if (s.has_insn) {
      s.insn = queue.insns.front().index;
      s.waiting_pops = missing_tokens(u, pops_of(queue.insns.front()) & ~queue.popped);
    }
    states.push_back(s);
  }
  UnitState fetch{Unit::Fetch};
  fetch.has_insn = fetching_;
  fetch.insn = fetched_;
  fetch.waiting_pushes = fetch_waits_;
  states.push_back(fetch);
  return states;
}

}  // namespace

std::unique_ptr<Engine> make_functional_engine(const isa::Variant& variant, Memory memory, Simd simd,
                                               FunctionalHooks hooks) {
  return std::make_unique<FunctionalEngine>(variant, std::move(memory), simd, hooks);
}

}  // namespace vdla::sim
