// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/engine.h"

#include <optional>
#include <utility>

#include "isa/spec/registers.h"
#include "sim/rtl/observer.h"
#include "sim/rtl/testbench.h"
#include "sim/rtl/write_watch.h"

namespace vdla::sim {
namespace {

using isa::Register;

/// Cycles in which nothing moves, beyond the memory's latency, after which nothing ever will.
constexpr std::uint64_t kQuietCycles = 1000;
/// Cycles from a write of CONTROL until the machine shows what it does.
constexpr int kControlCycles = 3;
/// Bytes that registers are mapped as; most of it is empty.
constexpr std::uint32_t kRegisterPage = 4096;

constexpr std::uint32_t offset_of(Register r) { return static_cast<std::uint32_t>(r); }

class VerilatedEngine final : public RtlEngine {
 public:
  VerilatedEngine(const isa::Variant& variant, Memory memory, const RtlOptions& options)
      : variant_(variant),
        memory_(std::move(memory)),
        bench_(variant, options, memory_),
        insns_(variant_, memory_) {}

  std::string_view name() const override { return "rtl"; }
  const isa::Variant& variant() const override { return variant_; }

  std::uint32_t read_register(std::uint32_t offset) override {
    return offset < kRegisterPage ? bench_.read_register(offset) : 0;
  }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    if (offset >= kRegisterPage) return;
    if (offset == offset_of(Register::STALL_LIMIT)) stall_limit_ = value;
    if (bench_.outputs().busy == 0)
      insns_.write_register(offset, value);  // they keep their values until it ends
    bench_.write_register(offset, value);
    if (offset == offset_of(Register::CONTROL))
      for (int i = 0; i < kControlCycles; ++i) bench_.tick();
  }

  std::uint64_t memory_base() const override { return memory_.base(); }
  std::uint64_t memory_size() const override { return memory_.size(); }
  void read_memory(std::uint64_t address, std::span<std::byte> bytes) override {
    memory_.read(address, bytes);
  }
  void write_memory(std::uint64_t address, std::span<const std::byte> bytes) override {
    memory_.write(address, bytes);
  }

  bool interrupt() const override { return bench_.outputs().irq != 0; }
  Stop run(std::uint64_t cycle_limit) override;
  std::vector<UnitState> unit_states() const override;
  void set_trace(trace::Sink* sink) override;
  void power_up(std::uint64_t seed) override {
    trace::Sink* sink = std::exchange(sink_, nullptr);
    set_trace(nullptr);  // it looks into the old machine
    bench_.power_up(seed);
    insns_.clear();
    stall_limit_ = latency_ = 0;
    set_trace(sink);
  }
  void hard_reset() override {
    bench_.hard_reset();
    insns_.clear();
    stall_limit_ = 0;
  }
  void disturb(const Disturbance& disturbance) override {
    bench_.disturb(disturbance);
    latency_ = disturbance.latency;
  }
  bool end_waves() override { return bench_.end_waves(); }

 private:
  isa::Variant variant_;
  Memory memory_;
  Testbench bench_;
  void watch_writes(trace::Sink& sink);

  InsnStream insns_;
  trace::Sink* sink_ = nullptr;
  std::optional<Observer> observer_;
  std::optional<WriteWatch> writes_;
  vdla_rtl_events events_{};  ///< events of the cycle
  std::uint64_t stall_limit_ = 0;
  std::uint64_t latency_ = 0;  ///< beyond that of the variant
};

Stop VerilatedEngine::run(std::uint64_t cycle_limit) {
  const std::uint64_t patience =
      kQuietCycles + 4ull * (variant_.timing.dram_latency + latency_) + stall_limit_;
  const std::uint64_t end = bench_.now() + std::min(cycle_limit, UINT64_MAX - bench_.now());
  const vdla_rtl_outputs& out = bench_.outputs();
  std::uint64_t quiet = 0;
  while (true) {
    if (out.irq || !out.busy) return Stop::Interrupt;
    if (bench_.now() >= end) return Stop::CycleLimit;
    if (quiet > patience) return Stop::Deadlock;
    bench_.tick();
    quiet = out.progress ? 0 : quiet + 1;
  }
}

std::vector<UnitState> VerilatedEngine::unit_states() const {
  vdla_rtl_events events;
  bench_.get_events(events);
  std::vector<UnitState> states;
  for (unsigned u = 0; u < VDLA_RTL_UNITS; ++u) {
    const std::uint32_t state = events.state[u];
    states.push_back({.unit = static_cast<isa::Unit>(u),
                      .has_insn = (state & isa::kUnitStateHasInsn) != 0,
                      .running = (state & isa::kUnitStateRunning) != 0,
                      .insn = events.insn[u],
                      .waiting_pops = isa::number_at(isa::kUnitStateWaitingPops, state),
                      .waiting_pushes = isa::number_at(isa::kUnitStateWaitingPushes, state)});
  }
  const bool fetching = (events.fetch_state & isa::kFetchStateBusy) != 0;
  states.push_back({isa::Unit::Fetch, fetching, fetching, events.fetch_index, 0,
                    isa::number_at(isa::kFetchStateWaitingQueue, events.fetch_state)});
  return states;
}

void VerilatedEngine::set_trace(trace::Sink* sink) {
  sink_ = sink;
  if (observer_) observer_->flush(bench_.now());
  observer_.reset();
  writes_.reset();
  bench_.on_cycle = bench_.on_edge = nullptr;
  bench_.on_burst = nullptr;
  bench_.on_write = nullptr;
  if (sink == nullptr) return;
  if (trace::wants_writes(sink)) return watch_writes(*sink);
  observer_.emplace(*sink, insns_);
  bench_.on_cycle = [this] {
    vdla_rtl_events events;
    bench_.get_events(events);
    observer_->cycle(bench_.now(), bench_.outputs(), events);
  };
  bench_.on_burst = [this](const BusBurst& burst) { observer_->burst(bench_.now(), burst); };
}

void VerilatedEngine::watch_writes(trace::Sink& sink) {
  writes_.emplace(variant_.geometry, bench_.model(), memory_);
  if (sink.detail() == trace::Detail::Contents) writes_->tell(sink);
  observer_.emplace(sink, insns_);
  bench_.on_cycle = [this] {
    bench_.get_events(events_);
    if (events_.run != 0) writes_->clear();
    writes_->before_edge();
  };
  bench_.on_write = [this](std::uint64_t address, unsigned strobes, bool last) {
    writes_->write_beat(address, strobes, last);
  };
  bench_.on_edge = [this] {
    writes_->after_edge();
    observer_->retires(bench_.now(), bench_.outputs(), events_, *writes_);
  };
}

}  // namespace

std::unique_ptr<RtlEngine> make_rtl_engine(const isa::Variant& variant, Memory memory,
                                           const RtlOptions& options) {
  isa::validate(variant.geometry);
  return std::make_unique<VerilatedEngine>(variant, std::move(memory), options);
}

}  // namespace vdla::sim
