// SPDX-License-Identifier: Apache-2.0
#include "sim/check/explore.h"

#include <algorithm>
#include <memory>

#include "isa/random/draw.h"
#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "sim/functional/engine.h"
#include "support/error.h"

namespace vdla::sim {
namespace {

using isa::Register;
using isa::Unit;

/// Draws an order. Half of them choose among the ready units evenly; the others prefer one unit for a while,
/// which lets it run far ahead of the rest.
class RandomScheduler final : public Scheduler {
 public:
  explicit RandomScheduler(std::uint64_t seed) : draw_(seed), even_(draw_.one_in(2)) {}

  std::size_t choose(std::span<const Unit> ready) override {
    if (even_) return below(ready.size());
    if (draw_.one_in(16)) favourite_ = static_cast<Unit>(below(isa::kQueueUnits));
    const auto found = std::ranges::find(ready, favourite_);
    return found != ready.end() ? static_cast<std::size_t>(found - ready.begin()) : below(ready.size());
  }

 private:
  std::size_t below(std::size_t n) { return draw_.bits() % n; }

  isa::Draw draw_;
  bool even_;
  Unit favourite_ = Unit::Store;
};

/// Follows a list of choices, then always the first; next() makes the list of the next order.
class SystematicScheduler final : public Scheduler {
 public:
  std::size_t choose(std::span<const Unit> ready) override {
    if (at_ == choices_.size()) choices_.push_back({0, ready.size()});
    return choices_[at_++].taken;
  }
  /// False when that was the last order.
  bool next() {
    at_ = 0;
    while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().of) choices_.pop_back();
    if (choices_.empty()) return false;
    ++choices_.back().taken;
    return true;
  }

 private:
  struct Choice {
    std::size_t taken, of;
  };
  std::vector<Choice> choices_;
  std::size_t at_ = 0;
};

/// Result of one order.
struct Observation {
  Ending ending = Ending::Finished;
  std::string why;
  std::vector<CheckFinding> findings;
  bool written = true;
  std::vector<std::byte> outputs;
};

class Runner {
 public:
  Runner(const Experiment& experiment, const ExploreOptions& options)
      : experiment_(experiment),
        program_(experiment.program),
        options_(options),
        insns_(isa::insn_image(program_)),
        uops_(isa::uop_image(program_)) {
    constexpr std::uint64_t kPage = 4096;
    std::uint64_t at = kMemoryBase;
    for (unsigned w = 0; w < isa::kWindowCount; ++w) {
      windows_[w] = {at, program_.window_size(static_cast<isa::Window>(w))};
      std::uint64_t room = windows_[w].size;
      for (const auto* list : {&experiment.inputs, &experiment.outputs})
        for (const Stretch& s : *list)
          if (static_cast<unsigned>(s.window) == w) room = std::max(room, s.begin + s.bytes.size());
      at += (room + kPage) / kPage * kPage;
    }
    memory_bytes_ = at - kMemoryBase;
  }

  Observation run(Scheduler* scheduler) const {
    Observation seen;
    Checker checker(program_.geometry);
    const auto engine = make_functional_engine({"explored", program_.geometry, {}}, memory_bytes_,
                                               best_simd(), {&checker, scheduler});
    load(*engine);
    std::vector<isa::EntryPoint> entries = program_.entries;
    if (entries.empty()) entries.push_back({"", 0, static_cast<std::uint32_t>(program_.insns.size())});
    std::size_t known = 0;
    for (const isa::EntryPoint& entry : entries) {
      if (!run_entry(*engine, entry, seen)) break;
      for (; known < checker.findings().size(); ++known)
        seen.findings.push_back(moved(checker.findings()[known], entry));
    }
    for (; known < checker.findings().size(); ++known)
      seen.findings.push_back(moved(checker.findings()[known], entries.back()));
    if (seen.ending == Ending::Finished) look_at_outputs(*engine, checker, seen);
    return seen;
  }

 private:
  static CheckFinding moved(CheckFinding f, const isa::EntryPoint& entry) {
    f.insn += entry.first_insn;
    if (f.other) *f.other += entry.first_insn;
    return f;
  }

  static void set(Engine& engine, Register r, std::uint64_t value, std::uint32_t offset = 0) {
    engine.write_register(static_cast<std::uint32_t>(r) + offset, static_cast<std::uint32_t>(value));
  }

  void load(Engine& engine) const {
    const auto fill = [&](isa::Window w, std::uint64_t begin, std::span<const std::byte> bytes) {
      if (!bytes.empty()) engine.write_memory(windows_[static_cast<unsigned>(w)].base + begin, bytes);
    };
    fill(isa::Window::Insn, 0, insns_);
    fill(isa::Window::Uop, 0, uops_);
    fill(isa::Window::Const, 0, program_.constants);
    for (const Stretch& s : experiment_.inputs) fill(s.window, s.begin, s.bytes);
    for (unsigned w = 0; w < isa::kWindowCount; ++w) {
      const std::uint32_t offset = w * isa::kWindowStride;
      set(engine, Register::WINDOW0_BASE_LO, windows_[w].base, offset);
      set(engine, Register::WINDOW0_BASE_HI, windows_[w].base >> 32, offset);
      set(engine, Register::WINDOW0_SIZE_LO, windows_[w].size, offset);
      set(engine, Register::WINDOW0_SIZE_HI, windows_[w].size >> 32, offset);
    }
  }

  /// False when the program cannot go on.
  bool run_entry(Engine& engine, const isa::EntryPoint& entry, Observation& seen) const {
    set(engine, Register::INSN_OFFSET, std::uint64_t{entry.first_insn} * isa::kInsnBytes);
    set(engine, Register::INSN_COUNT, entry.insn_count);
    set(engine, Register::IRQ_STATUS, ~0u);
    set(engine, Register::CONTROL, isa::kControlStart | isa::kControlIrqEnable);
    switch (engine.run(options_.max_insns)) {
      case Stop::Interrupt:
        break;
      case Stop::Deadlock:
        seen.ending = Ending::Deadlock;
        seen.why = describe(engine.unit_states());
        return false;
      case Stop::CycleLimit:
        seen.ending = Ending::LimitReached;
        return false;
    }
    const auto status = engine.read_register(static_cast<std::uint32_t>(Register::STATUS));
    if ((status & isa::kStatusError) == 0) return true;
    seen.ending = Ending::Error;
    seen.why = to_string(
        static_cast<isa::ErrorCode>(engine.read_register(static_cast<std::uint32_t>(Register::ERROR_CODE))));
    return false;
  }

  void look_at_outputs(Engine& engine, const Checker& checker, Observation& seen) const {
    for (const Stretch& s : experiment_.outputs) {
      const std::uint64_t address = windows_[static_cast<unsigned>(s.window)].base + s.begin;
      std::vector<std::byte> bytes(s.bytes.size());
      engine.read_memory(address, bytes);
      seen.outputs.insert(seen.outputs.end(), bytes.begin(), bytes.end());
      seen.written = seen.written && checker.defined(address, bytes.size());
    }
  }

  const Experiment& experiment_;
  const isa::Program& program_;
  const ExploreOptions& options_;
  std::vector<std::byte> insns_, uops_;
  isa::Windows windows_;
  std::uint64_t memory_bytes_ = 0;
};

void add(const Observation& seen, Exploration& result) {
  if (result.orders++ == 0) {
    result.ending = seen.ending;
    result.why = seen.why;
    result.outputs = seen.outputs;
  }
  result.outputs_agree =
      result.outputs_agree && seen.ending == result.ending && seen.outputs == result.outputs;
  result.outputs_written = result.outputs_written && seen.written;
  for (const CheckFinding& f : seen.findings)
    if (!std::ranges::any_of(result.findings, [&](const CheckFinding& known) {
          return known.kind == f.kind && known.insn == f.insn && known.other == f.other;
        }))
      result.findings.push_back(f);
}

}  // namespace

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::Finished:
      return "finished";
    case Ending::Error:
      return "error";
    case Ending::Deadlock:
      return "deadlock";
    case Ending::LimitReached:
      return "limit reached";
  }
  return "";
}

Exploration explore(const Experiment& experiment, const ExploreOptions& options) {
  const Runner runner(experiment, options);
  Exploration result;
  add(runner.run(nullptr), result);
  const auto done = [&] { return options.stop_at_fault && !result.clean(); };
  for (unsigned i = 0; i < options.random_orders && !done(); ++i) {
    RandomScheduler scheduler(options.seed + i);
    add(runner.run(&scheduler), result);
  }
  SystematicScheduler scheduler;
  for (unsigned i = 0; i < options.systematic_orders && !result.all_orders && !done(); ++i) {
    add(runner.run(&scheduler), result);
    result.all_orders = !scheduler.next();
  }
  return result;
}

}  // namespace vdla::sim
