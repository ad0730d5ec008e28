// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/engine.h"

#include <utility>

#include "isa/spec/registers.h"
#include "sim/cycle/machine.h"
#include "sim/dram/dram.h"
#include "sim/functional/registers.h"
#include "support/error.h"

namespace vdla::sim {
namespace {

using isa::Register;

class SystemcEngine final : public CycleEngine {
 public:
  SystemcEngine(const isa::Variant& variant, Memory memory, const CycleOptions& options)
      : variant_(checked(variant)),
        options_(options),
        memory_(std::move(memory)),
        registers_(variant.geometry),
        core_(variant_.geometry, memory_, best_simd()) {}

  std::string_view name() const override { return "systemc"; }
  const isa::Variant& variant() const override { return variant_; }
  std::uint64_t memory_base() const override { return memory_.base(); }
  std::uint64_t memory_size() const override { return memory_.size(); }
  void read_memory(std::uint64_t address, std::span<std::byte> bytes) override {
    memory_.read(address, bytes);
  }
  void write_memory(std::uint64_t address, std::span<const std::byte> bytes) override {
    memory_.write(address, bytes);
  }
  bool interrupt() const override { return registers_.interrupt(); }
  void set_trace(trace::Sink* sink) override { reporter_.set_sink(sink); }

  void stall(const Stalls& stalls) override {
    VDLA_CHECK_USER(stalls.rate() < Stalls::kAlways)
        << "links are held back in " << stalls.rate() << " of " << Stalls::kAlways << " cycles, needs fewer";
    machine_fits_ = machine_fits_ && stalls == options_.stalls;
    options_.stalls = stalls;
  }

  std::uint32_t read_register(std::uint32_t offset) override {
    publish();
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

  Stop run(std::uint64_t cycle_limit) override;

  std::vector<UnitState> unit_states() const override {
    if (machine_ != nullptr) return machine_->unit_states();
    std::vector<UnitState> states;
    for (unsigned u = 0; u < isa::kUnits.size(); ++u) states.push_back({static_cast<isa::Unit>(u)});
    return states;
  }

 private:
  static const isa::Variant& checked(const isa::Variant& variant) {
    isa::validate(variant.geometry);
    dram::make_machine_config(variant.timing);  // refuses what the hardware cannot have
    return variant;
  }

  void drop_machine();
  void start();
  void soft_reset();
  void publish();

  isa::Variant variant_;
  CycleOptions options_;
  Memory memory_;
  RegisterFile registers_;
  Core core_;
  Reporter reporter_;
  isa::Windows windows_{};
  std::unique_ptr<Machine> machine_;
  bool machine_fits_ = true;  ///< it was made with these options
  std::uint64_t time_ = 0;    ///< cycles of earlier machines
};

void SystemcEngine::drop_machine() {
  if (machine_ == nullptr) return;
  time_ += machine_->now() + 1;
  machine_.reset();
}

void SystemcEngine::start() {
  registers_.begin_run();
  windows_ = registers_.windows();
  if (machine_ == nullptr || !machine_fits_ || !machine_->can_start()) {
    drop_machine();
    machine_fits_ = true;
    reporter_.set_origin(time_);
    machine_ = std::make_unique<Machine>(variant_, options_, windows_, core_, memory_, reporter_);
  }
  machine_->start(registers_.get(Register::INSN_OFFSET), registers_.get(Register::INSN_COUNT));
}

void SystemcEngine::soft_reset() {
  drop_machine();
  registers_.soft_reset();
}

Stop SystemcEngine::run(std::uint64_t cycle_limit) {
  if (!registers_.running()) return Stop::Interrupt;
  switch (machine_->run(cycle_limit, registers_.get(Register::STALL_LIMIT))) {
    case Machine::End::Running:
      return Stop::CycleLimit;
    case Machine::End::Deadlock:
      return Stop::Deadlock;
    case Machine::End::Finished:
      registers_.finish(machine_->sequence());
      break;
    case Machine::End::Failed: {
      const Machine::Error& error = machine_->error();
      registers_.fail(error.fault, error.unit, error.insn);
      break;
    }
  }
  return Stop::Interrupt;
}

void SystemcEngine::publish() {
  for (const UnitState& s : unit_states()) registers_.publish(s);
  if (machine_ == nullptr) return;
  const MachineCounters c = machine_->counters();
  registers_.set_wide(Register::CYCLES_LO, c.cycles);
  registers_.set_wide(Register::READ_BYTES_LO, c.read_bytes);
  registers_.set_wide(Register::WRITE_BYTES_LO, c.write_bytes);
  for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
    registers_.set_of_unit(Register::LOAD_BUSY, u, static_cast<std::uint32_t>(c.units[u].busy));
    registers_.set_of_unit(Register::LOAD_TOKEN_STALL, u, static_cast<std::uint32_t>(c.units[u].token_stall));
    registers_.set_of_unit(Register::LOAD_SINCE, u, static_cast<std::uint32_t>(c.units[u].since));
  }
  registers_.set_of_unit(Register::LOAD_SINCE, isa::kQueueUnits, static_cast<std::uint32_t>(c.fetch_since));
}

}  // namespace

std::unique_ptr<CycleEngine> make_cycle_engine(const isa::Variant& variant, Memory memory,
                                               const CycleOptions& options) {
  return std::make_unique<SystemcEngine>(variant, std::move(memory), options);
}

}  // namespace vdla::sim
