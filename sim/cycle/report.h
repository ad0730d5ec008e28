// SPDX-License-Identifier: Apache-2.0
// Records of the units' time: spans without overlap for the trace, counters for the registers. No SystemC
// here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/trace/event.h"

namespace vdla::sim {

/// Passes events on with the run's place on the engine's time axis.
class Reporter {
 public:
  void set_sink(trace::Sink* sink) {
    sink_ = sink;
    timeline_ = sink != nullptr && sink->detail() == trace::Detail::Timeline;
  }
  void set_origin(std::uint64_t origin) { origin_ = origin; }
  /// Whether a sink wants spans, bursts and the like.
  bool on() const { return timeline_; }
  bool wants_digests() const { return sink_ != nullptr && !timeline_; }
  bool wants_contents() const { return sink_ != nullptr && sink_->detail() == trace::Detail::Contents; }
  void wrote(isa::Unit unit, const trace::Writes& writes) const { sink_->wrote(unit, writes); }

  void emit(trace::Event e) const {
    if (sink_ == nullptr) return;
    e.begin += origin_;
    e.end += origin_;
    sink_->event(e);
  }
  void point(trace::EventType type, isa::Unit unit, std::uint32_t insn, std::uint64_t at) const;

 private:
  trace::Sink* sink_ = nullptr;
  bool timeline_ = false;
  std::uint64_t origin_ = 0;
};

/// Spans of one unit: of each cycle the strongest reason. Reasons may come in any order, but all of a cycle
/// before it is flushed.
class SpanWriter {
 public:
  /// `in_flight`: what is told of a cycle with an instruction in flight and no stronger reason.
  SpanWriter(const Reporter& reporter, isa::Unit unit, trace::Activity in_flight = trace::Activity::Setup)
      : reporter_(reporter), unit_(unit), in_flight_(in_flight) {}

  void reason(trace::Activity activity, std::uint32_t insn, std::uint64_t begin, std::uint64_t end,
              unsigned peers = 0) {
    if (reporter_.on() && std::max(begin, covered_) < end) add(activity, insn, begin, end, peers);
  }
  /// An instruction is in flight in the cycles after this one.
  void enter(std::uint32_t insn, std::uint64_t at);
  /// The oldest one is, in this cycle for the last time.
  void leave(std::uint64_t at);
  /// Writes all cycles before `end`.
  void flush(std::uint64_t end);
  /// Writes what is left.
  void finish(std::uint64_t end);

 private:
  struct Inflight {
    std::uint32_t insn;
    std::uint64_t begin, end;
  };
  struct Weaker {
    bool operator()(const trace::Event& a, const trace::Event& b) const;
  };

  void add(trace::Activity activity, std::uint32_t insn, std::uint64_t begin, std::uint64_t end,
           unsigned peers);
  void tell(trace::Event e);
  void write();

  const Reporter& reporter_;
  isa::Unit unit_;
  trace::Activity in_flight_;
  std::uint64_t covered_ = 0;
  std::vector<trace::Event> reasons_;
  std::deque<Inflight> inflight_;
  std::optional<trace::Event> open_;  ///< told, and not written: the next cycle may continue it
};

}  // namespace vdla::sim
