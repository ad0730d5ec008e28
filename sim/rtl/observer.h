// SPDX-License-Identifier: Apache-2.0
// Turns what the machine shows about each cycle into trace events.
#pragma once

#include <array>
#include <cstdint>

#include "sim/rtl/abi.h"
#include "sim/rtl/testbench.h"
#include "sim/rtl/write_watch.h"
#include "sim/trace/event.h"

namespace vdla::sim {

class Observer {
 public:
  explicit Observer(trace::Sink& sink) : sink_(sink) {}

  void cycle(std::uint64_t now, const vdla_rtl_outputs& out, const vdla_rtl_events& events);
  void burst(std::uint64_t now, const BusBurst& burst);
  /// Instead of cycle() and burst(), behind the clock edge: starts, retires with digests, ends.
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
    std::array<std::uint64_t, 64>
        begin{};             ///< start cycle, by instruction index modulo 64: more than are in flight
    std::uint64_t done = 0;  ///< first cycle of waiting to push
    bool pushing = false;
    std::uint64_t bytes = 0;  ///< moved since the last instruction ended
  };

  static Span unit_span(unsigned unit, const vdla_rtl_events& events);
  static Span fetch_span(const vdla_rtl_events& events);
  void span(unsigned unit, std::uint64_t now, const Span& span);
  void point(trace::EventType type, unsigned unit, std::uint32_t insn, std::uint64_t now);
  void retire(unsigned unit, std::uint32_t insn, std::uint64_t now);

  trace::Sink& sink_;
  std::array<Unit, VDLA_RTL_UNITS + 1> units_;  ///< the last is fetch
  bool busy_ = false;
  std::uint32_t load_index_ = 0, store_index_ = 0, fetch_index_ = 0;
};

}  // namespace vdla::sim
