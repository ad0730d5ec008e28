// SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/lockstep.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "isa/asm/asm.h"
#include "isa/semantics/nest.h"
#include "sim/trace/event.h"
#include "support/error.h"

namespace vdla::sim {
namespace {

using isa::Register;

struct Retire {
  std::uint32_t insn;
  trace::Cycle cycle;  ///< from the start
};

class RetireLog final : public trace::Sink {
 public:
  void event(const trace::Event& e) override {
    if (e.type == trace::EventType::Start) start_ = e.begin;
    if (e.type == trace::EventType::Retire)
      retires_[static_cast<unsigned>(e.unit) % isa::kQueueUnits].push_back({e.insn, e.begin - start_});
  }
  const std::vector<Retire>& of(unsigned unit) const { return retires_[unit]; }

 private:
  trace::Cycle start_ = 0;
  std::array<std::vector<Retire>, isa::kQueueUnits> retires_;
};

/// One engine of the two, with what it has said so far.
struct Side {
  Engine& engine;
  RetireLog log{};
  std::optional<Stop> stop{};

  bool running() const { return !stop || *stop == Stop::CycleLimit; }
  std::uint32_t reg(Register r) { return engine.read_register(static_cast<std::uint32_t>(r)); }
};

class Lockstep {
 public:
  Lockstep(Engine& a, Engine& b, const Job& job, const LockstepOptions& options)
      : job_(job), options_(options), sides_{Side{a}, Side{b}}, windows_(place_windows(a, job)) {}

  LockstepResult run() {
    for (Side& side : sides_) {
      side.engine.set_trace(&side.log);
      start_job(side.engine, job_, windows_);
    }
    advance();
    for (Side& side : sides_) side.engine.set_trace(nullptr);
    for (unsigned s = 0; s < 2; ++s)
      result_.cycles[s] =
          sides_[s].reg(Register::CYCLES_LO) | std::uint64_t{sides_[s].reg(Register::CYCLES_HI)} << 32;
    result_.equal = result_.difference.empty();
    return result_;
  }

 private:
  void advance() {
    std::uint64_t spent = 0;
    while (sides_[0].running() || sides_[1].running()) {
      if (spent >= options_.cycle_limit) {
        result_.difference = "neither status nor retires differ, but the limit of " +
                             std::to_string(options_.cycle_limit) + " cycles is reached";
        return;
      }
      for (Side& side : sides_)
        if (side.running()) side.stop = side.engine.run(options_.slice);
      spent += options_.slice;
      if (retires_differ()) return;
    }
    if (counts_differ() || status_differs()) return;
    memory_differs();
  }

  std::string name(unsigned side) const { return std::string(sides_[side].engine.name()); }
  std::string insn_text(std::uint32_t index) const {
    std::string text = "instruction " + std::to_string(index);
    if (index < job_.program.insns.size()) text += " (" + isa::to_text(job_.program.insns[index]) + ")";
    const std::string source = job_.program.source_map.describe(index);
    return source.empty() ? text : text + " of " + source;
  }

  bool retires_differ() {
    for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
      const auto &a = sides_[0].log.of(u), &b = sides_[1].log.of(u);
      for (std::size_t i = compared_[u]; i < std::min(a.size(), b.size()); ++i) {
        if (retire_differs(u, i, a[i], b[i])) return true;
        ++result_.retires;
      }
      compared_[u] = std::min(a.size(), b.size());
    }
    return false;
  }

  bool retire_differs(unsigned unit, std::size_t number, const Retire& a, const Retire& b) {
    std::ostringstream text;
    text << isa::to_string(static_cast<isa::Unit>(unit)) << " retire " << number << ": ";
    if (a.insn != b.insn) {
      text << name(0) << " retires " << insn_text(a.insn) << ", " << name(1) << " " << insn_text(b.insn);
    } else if (options_.compare_cycles && a.cycle != b.cycle) {
      text << insn_text(a.insn) << " retires in cycle " << a.cycle << " on " << name(0) << ", in cycle "
           << b.cycle << " on " << name(1);
    } else {
      return false;
    }
    result_.difference = text.str();
    return true;
  }

  bool counts_differ() {
    for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
      const auto &a = sides_[0].log.of(u), &b = sides_[1].log.of(u);
      // After an error nothing is said about what else was done.
      if (a.size() == b.size() || failed()) continue;
      const unsigned behind = a.size() < b.size() ? 0 : 1;
      const auto& longer = behind == 0 ? b : a;
      result_.difference = std::string(isa::to_string(static_cast<isa::Unit>(u))) + ": " + name(1 - behind) +
                           " retires " + insn_text(longer[std::min(a.size(), b.size())].insn) + ", " +
                           name(behind) + " never does\n" + describe(sides_[behind].engine.unit_states());
      return true;
    }
    return false;
  }

  bool failed() {
    return (sides_[0].reg(Register::STATUS) & sides_[1].reg(Register::STATUS) & isa::kStatusError) != 0;
  }

  bool status_differs() {
    if (*sides_[0].stop != *sides_[1].stop) {
      const unsigned stuck = *sides_[0].stop == Stop::Deadlock ? 0 : 1;
      result_.difference = name(stuck) + " is stuck, " + name(1 - stuck) + " is not\n" +
                           describe(sides_[stuck].engine.unit_states());
      return true;
    }
    constexpr std::pair<Register, const char*> kStatus[] = {
        {Register::STATUS, "STATUS"},         {Register::ERROR_CODE, "ERROR_CODE"},
        {Register::ERROR_UNIT, "ERROR_UNIT"}, {Register::ERROR_INSN, "ERROR_INSN"},
        {Register::SEQUENCE, "SEQUENCE"},
    };
    for (const auto& [reg, text] : kStatus) {
      const std::uint32_t a = sides_[0].reg(reg), b = sides_[1].reg(reg);
      if (a == b) continue;
      result_.difference = std::string(text) + " is " + std::to_string(a) + " on " + name(0) + ", " +
                           std::to_string(b) + " on " + name(1);
      return true;
    }
    return false;
  }

  bool memory_differs() {
    if (failed()) return false;
    for (unsigned w = 0; w < isa::kWindowCount; ++w) {
      std::vector<std::byte> bytes[2];
      for (unsigned s = 0; s < 2; ++s) {
        bytes[s].resize(windows_[w].size);
        sides_[s].engine.read_memory(windows_[w].base, bytes[s]);
      }
      const auto [a, b] = std::ranges::mismatch(bytes[0], bytes[1]);
      if (a == bytes[0].end()) continue;
      const auto offset = static_cast<std::uint64_t>(a - bytes[0].begin());
      std::ostringstream text;
      text << "window " << isa::to_string(static_cast<isa::Window>(w)) << " byte " << offset << ": "
           << std::to_integer<int>(*a) << " on " << name(0) << ", " << std::to_integer<int>(*b) << " on "
           << name(1);
      if (const auto writer = last_writer(static_cast<isa::Window>(w), offset))
        text << "; written by " << insn_text(*writer);
      result_.difference = text.str();
      return true;
    }
    return false;
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
  std::array<Side, 2> sides_;
  isa::Windows windows_;
  std::array<std::size_t, isa::kQueueUnits> compared_{};
  LockstepResult result_;
};

}  // namespace

LockstepResult run_lockstep(Engine& a, Engine& b, const Job& job, const LockstepOptions& options) {
  VDLA_CHECK_USER(a.variant().geometry == b.variant().geometry)
      << "lock step of variants '" << a.variant().name << "' and '" << b.variant().name
      << "', which differ in geometry; needs one";
  VDLA_CHECK_USER(a.variant().geometry == job.program.geometry)
      << "lock step of a program for another geometry than that of variant '" << a.variant().name << "'";
  return Lockstep(a, b, job, options).run();
}

}  // namespace vdla::sim
