// SPDX-License-Identifier: Apache-2.0
// Turns what the machine shows about each cycle into trace events.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "isa/timing/work.h"
#include "sim/memory.h"
#include "sim/rtl/abi.h"
#include "sim/rtl/testbench.h"
#include "sim/rtl/write_watch.h"
#include "sim/trace/event.h"

namespace vdla::sim {

/// The instructions that the device runs, as they lie in memory.
class InsnStream {
 public:
  InsnStream(const isa::Variant& variant, const Memory& memory) : variant_(variant), memory_(memory) {}

  /// As of a new machine, which knows no stream.
  void clear() {
    bases_ = {};
    offset_ = 0;
  }
  /// Looks for those that say where instructions and windows are.
  void write_register(std::uint32_t offset, std::uint32_t value);
  /// Work of an instruction on DRAM; nothing where there is none.
  isa::MoveWork work(std::uint32_t insn) const;
  /// The instruction that begins at an address.
  std::uint32_t at(std::uint64_t address) const;

 private:
  std::uint64_t begin() const { return bases_[static_cast<unsigned>(isa::Window::Insn)] + offset_; }

  const isa::Variant& variant_;
  const Memory& memory_;
  std::array<std::uint64_t, isa::kWindowCount> bases_{};
  std::uint32_t offset_ = 0;
};

class Observer {
 public:
  Observer(trace::Sink& sink, const InsnStream& insns) : sink_(sink), insns_(insns) {}

  void cycle(std::uint64_t now, const vdla_rtl_outputs& out, const vdla_rtl_events& events);
  void burst(std::uint64_t now, const BusBurst& burst);
  /// Instead of cycle() and burst(), after the clock edge: starts, retires with digests, ends.
  void retires(std::uint64_t now, const vdla_rtl_outputs& out, const vdla_rtl_events& events,
               WriteWatch& writes);
  /// Closes open spans.
  void flush(std::uint64_t now);

 private:
  struct Span {
    trace::Activity activity = trace::Activity::Idle;
    std::uint8_t peers = 0;
    std::uint32_t insn = 0;
    bool operator==(const Span&) const = default;
  };
  struct Unit {
    Span span;
    std::uint64_t span_begin = 0;
    /// Start cycle and bytes of DRAM, by instruction index modulo 64: more than are in flight.
    std::array<std::uint64_t, 64> begin{}, bytes{};
    std::uint64_t done = 0;  ///< first cycle of waiting to push
    bool pushing = false;
    std::uint32_t latest = 0;  ///< started before this cycle
  };

  Span unit_span(unsigned unit, const vdla_rtl_events& events) const;
  static Span fetch_span(const vdla_rtl_events& events);
  void span(unsigned unit, std::uint64_t now, const Span& span);
  void point(trace::EventType type, unsigned unit, std::uint32_t insn, std::uint64_t now);
  void end(std::uint64_t now, const vdla_rtl_outputs& out, const vdla_rtl_events& events);
  void start(unsigned unit, std::uint32_t insn, std::uint64_t now);
  void retire(unsigned unit, std::uint32_t insn, std::uint64_t now);

  /// An instruction that has bursts to come.
  struct Moving {
    std::uint32_t insn;
    std::uint64_t bursts;
  };

  trace::Sink& sink_;
  const InsnStream& insns_;
  std::array<Unit, VDLA_RTL_UNITS + 1> units_;  ///< the last is fetch
  bool running_ = false;
  std::uint32_t fetch_index_ = 0;                          ///< index in the cycle before
  std::array<std::deque<Moving>, VDLA_RTL_UNITS> moving_;  ///< moves in the order of their bursts
};

}  // namespace vdla::sim
