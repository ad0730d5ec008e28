// SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/lockstep.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "isa/asm/asm.h"
#include "isa/semantics/nest.h"
#include "isa/spec/registers.h"
#include "sim/trace/event.h"
#include "support/error.h"

namespace vdla::sim {
namespace {

using isa::Register;

struct Retire {
  std::uint32_t insn;
  trace::Cycle cycle;  ///< from the start
  std::uint64_t digest;
};

class RetireLog final : public trace::Sink {
 public:
  explicit RetireLog(bool digests) : digests_(digests) {}
  trace::Detail detail() const override { return digests_ ? trace::Detail::Writes : trace::Detail::Timeline; }
  void event(const trace::Event& e) override {
    // Events before the start belong to the program that was dropped.
    if (e.type == trace::EventType::Start) {
      start_ = e.begin;
      for (auto& retires : retires_) retires.clear();
    }
    if (e.type == trace::EventType::Retire)
      retires_[static_cast<unsigned>(e.unit) % isa::kQueueUnits].push_back(
          {e.insn, e.begin - start_, e.digest});
  }
  const std::vector<Retire>& of(unsigned unit) const { return retires_[unit]; }

 private:
  bool digests_;
  trace::Cycle start_ = 0;
  std::array<std::vector<Retire>, isa::kQueueUnits> retires_;
};

/// One engine, with what it has said so far.
struct Side {
  Engine& engine;
  RetireLog log;
  std::optional<Stop> stop{};

  bool running() const { return !stop || *stop == Stop::CycleLimit; }
  bool failed() { return (reg(Register::STATUS) & isa::kStatusError) != 0; }
  bool has_time() const { return engine.name() != "functional"; }
  std::uint32_t reg(Register r) { return engine.read_register(static_cast<std::uint32_t>(r)); }
};

class Lockstep {
 public:
  Lockstep(std::span<Engine* const> engines, const Job& job, const LockstepOptions& options)
      : job_(job), options_(options), windows_(place_windows(*engines[0], job)) {
    for (Engine* engine : engines) sides_.push_back({*engine, RetireLog(options.compare_digests)});
    compared_.resize(engines.size());
    const auto timed = std::ranges::find_if(sides_, &Side::has_time);
    if (options.compare_cycles && timed != sides_.end()) timed_ = &*timed;
  }

  LockstepResult run() {
    for (Side& side : sides_) {
      side.engine.set_trace(&side.log);
      start_job(side.engine, job_, windows_);
    }
    advance();
    for (Side& side : sides_) {
      side.engine.set_trace(nullptr);
      result_.cycles.push_back(side.reg(Register::CYCLES_LO) | std::uint64_t{side.reg(Register::CYCLES_HI)}
                                                                   << 32);
    }
    result_.equal = result_.difference.empty();
    return result_;
  }

 private:
  void advance() {
    std::uint64_t spent = 0;
    while (std::ranges::any_of(sides_, &Side::running)) {
      if (spent >= options_.cycle_limit) {
        result_.difference = "neither status nor retires differ, but the limit of " +
                             std::to_string(options_.cycle_limit) + " cycles is reached";
        return;
      }
      for (Side& side : sides_)
        if (side.running()) side.stop = side.engine.run(options_.slice);
      spent += options_.slice;
      for (std::size_t s = 1; s < sides_.size(); ++s)
        if (retires_differ(s)) return;
    }
    for (std::size_t s = 1; s < sides_.size(); ++s)
      if (counts_differ(sides_[0], sides_[s]) || status_differs(sides_[0], sides_[s]) ||
          counters_differ(sides_[s]))
        return;
    memory_differs();
  }

  static std::string name(const Side& side) { return std::string(side.engine.name()); }
  std::string insn_text(std::uint32_t index) const {
    std::string text = "instruction " + std::to_string(index);
    if (index < job_.program.insns.size()) text += " (" + isa::to_text(job_.program.insns[index]) + ")";
    const std::string source = job_.program.source_map.describe(index);
    return source.empty() ? text : text + " of " + source;
  }

  bool retires_differ(std::size_t s) {
    for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
      const std::size_t count = std::min({sides_[0].log.of(u).size(), sides_[s].log.of(u).size(),
                                          timed_ == nullptr ? SIZE_MAX : timed_->log.of(u).size()});
      for (; compared_[s][u] < count; ++compared_[s][u], ++result_.retires)
        if (retire_differs(u, compared_[s][u], s)) return true;
    }
    return false;
  }

  bool retire_differs(unsigned unit, std::size_t number, std::size_t s) {
    const Retire &a = sides_[0].log.of(unit)[number], &b = sides_[s].log.of(unit)[number];
    std::ostringstream text;
    text << isa::to_string(static_cast<isa::Unit>(unit)) << " retire " << number << ": ";
    if (a.insn != b.insn) {
      text << name(sides_[0]) << " retires " << insn_text(a.insn) << ", " << name(sides_[s]) << " "
           << insn_text(b.insn);
    } else if (options_.compare_writes && options_.compare_digests && a.digest != b.digest) {
      text << insn_text(a.insn) << " writes something else on " << name(sides_[s]) << " than on "
           << name(sides_[0]);
    } else if (timed_ != nullptr && sides_[s].has_time() && timed_->log.of(unit)[number].cycle != b.cycle) {
      text << insn_text(a.insn) << " retires in cycle " << timed_->log.of(unit)[number].cycle << " on "
           << name(*timed_) << ", in cycle " << b.cycle << " on " << name(sides_[s]);
    } else {
      return false;
    }
    result_.difference = text.str();
    return true;
  }

  bool counts_differ(Side& first, Side& second) {
    for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
      const auto &a = first.log.of(u), &b = second.log.of(u);
      // After an error nothing is said about what else was done.
      if (a.size() == b.size() || (first.failed() && second.failed())) continue;
      Side &behind = a.size() < b.size() ? first : second, &ahead = a.size() < b.size() ? second : first;
      const auto& longer = ahead.log.of(u);
      result_.difference = std::string(isa::to_string(static_cast<isa::Unit>(u))) + ": " + name(ahead) +
                           " retires " + insn_text(longer[std::min(a.size(), b.size())].insn) + ", " +
                           name(behind) + " never does\n" + describe(behind.engine.unit_states());
      return true;
    }
    return false;
  }

  bool status_differs(Side& first, Side& second) {
    if (*first.stop != *second.stop) {
      Side& stuck = *first.stop == Stop::Deadlock ? first : second;
      result_.difference = name(stuck) + " is stuck, " + name(&stuck == &first ? second : first) +
                           " is not\n" + describe(stuck.engine.unit_states());
      return true;
    }
    constexpr std::pair<Register, const char*> kStatus[] = {
        {Register::STATUS, "STATUS"},         {Register::ERROR_CODE, "ERROR_CODE"},
        {Register::ERROR_UNIT, "ERROR_UNIT"}, {Register::ERROR_INSN, "ERROR_INSN"},
        {Register::SEQUENCE, "SEQUENCE"},
    };
    for (const auto& [reg, text] : kStatus) {
      // The sequence number of a run that failed is that of an earlier one.
      if (reg == Register::SEQUENCE && first.failed()) continue;
      const std::uint32_t a = first.reg(reg), b = second.reg(reg);
      if (a == b) continue;
      result_.difference = std::string(text) + " is " + std::to_string(a) + " on " + name(first) + ", " +
                           std::to_string(b) + " on " + name(second);
      return true;
    }
    return false;
  }

  /// Cycles, bytes, and each unit's account of them, of a run that came to its end.
  bool counters_differ(Side& side) {
    if (timed_ == nullptr || timed_ == &side || !side.has_time() || side.failed()) return false;
    for (const isa::RegisterRow& row : isa::kRegisters) {
      if (row.offset < static_cast<std::uint32_t>(Register::CYCLES_LO) ||
          row.offset > static_cast<std::uint32_t>(Register::FETCH_SINCE))
        continue;
      const std::uint32_t a = timed_->engine.read_register(row.offset),
                          b = side.engine.read_register(row.offset);
      if (a == b) continue;
      result_.difference = "counter " + std::string(row.name) + " is " + std::to_string(a) + " on " +
                           name(*timed_) + ", " + std::to_string(b) + " on " + name(side);
      return true;
    }
    return false;
  }

  bool memory_differs() {
    if (sides_[0].failed() || !options_.compare_writes) return false;
    for (unsigned w = 0; w < isa::kWindowCount; ++w) {
      const isa::WindowRange held = held_range(job_, windows_, w);
      std::vector<std::byte> expected(held.size), bytes(held.size);
      sides_[0].engine.read_memory(held.base, expected);
      for (std::size_t s = 1; s < sides_.size(); ++s) {
        sides_[s].engine.read_memory(held.base, bytes);
        if (bytes_differ(static_cast<isa::Window>(w), expected, bytes, sides_[s])) return true;
      }
    }
    return false;
  }

  bool bytes_differ(isa::Window window, const std::vector<std::byte>& expected,
                    const std::vector<std::byte>& bytes, const Side& side) {
    const auto [a, b] = std::ranges::mismatch(expected, bytes);
    if (a == expected.end()) return false;
    const auto offset =
        job_.origins[static_cast<unsigned>(window)] + static_cast<std::uint64_t>(a - expected.begin());
    std::ostringstream text;
    text << "window " << isa::to_string(window) << " byte " << offset << ": " << std::to_integer<int>(*a)
         << " on " << name(sides_[0]) << ", " << std::to_integer<int>(*b) << " on " << name(side);
    if (const auto writer = last_writer(window, offset)) text << "; written by " << insn_text(*writer);
    result_.difference = text.str();
    return true;
  }

  /// The last store in the stream that covers a byte.
  std::optional<std::uint32_t> last_writer(isa::Window window, std::uint64_t offset) const {
    const isa::Geometry& geometry = job_.program.geometry;
    for (std::size_t i = job_.program.insns.size(); i-- > 0;) {
      const auto* move = std::get_if<isa::MemoryInsn>(&job_.program.insns[i]);
      if (move == nullptr || move->opcode != isa::Opcode::Store || move->window != window) continue;
      const std::uint64_t bytes = std::uint64_t{move->run} * isa::piece_bytes(*move, geometry);
      const bool missed = isa::for_each_run(*move, geometry, [&](const isa::MemoryRun& run) {
        return offset < run.offset || offset >= run.offset + bytes;
      });
      if (!missed) return static_cast<std::uint32_t>(i);
    }
    return std::nullopt;
  }

  const Job& job_;
  const LockstepOptions& options_;
  std::vector<Side> sides_;
  Side* timed_ = nullptr;  ///< the first that has time, when cycles are compared
  isa::Windows windows_;
  std::vector<std::array<std::size_t, isa::kQueueUnits>> compared_;  ///< numbers compared, by engine
  LockstepResult result_;
};

}  // namespace

LockstepResult run_lockstep(std::span<Engine* const> engines, const Job& job,
                            const LockstepOptions& options) {
  VDLA_CHECK_USER(!engines.empty()) << "lock step without an engine, needs at least one";
  for (const Engine* engine : engines) {
    const isa::Variant &first = engines[0]->variant(), &other = engine->variant();
    VDLA_CHECK_USER(first.geometry == other.geometry)
        << "lock step of variants '" << first.name << "' and '" << other.name
        << "', which differ in geometry; needs one";
    VDLA_CHECK_USER(other.geometry == job.program.geometry)
        << "lock step of a program for another geometry than that of variant '" << other.name << "'";
  }
  return Lockstep(engines, job, options).run();
}

LockstepResult run_lockstep(Engine& a, Engine& b, const Job& job, const LockstepOptions& options) {
  Engine* const engines[] = {&a, &b};
  return run_lockstep(engines, job, options);
}

}  // namespace vdla::sim
