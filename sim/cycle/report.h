// SPDX-License-Identifier: Apache-2.0
// What units tell about their time: spans without overlap for the trace, counters for the registers. No
// SystemC here.
#pragma once

#include <cstdint>
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
  /// Whether anybody wants spans, bursts and the like.
  bool on() const { return timeline_; }
  bool wants_digests() const { return sink_ != nullptr && !timeline_; }

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

/// Spans of one unit. Major ones (work) come in time order; minor ones (why there is no work) fill the gaps
/// between them, the stronger reason before the weaker where they overlap.
class SpanWriter {
 public:
  SpanWriter(const Reporter& reporter, isa::Unit unit) : reporter_(reporter), unit_(unit) {}

  void major(trace::Activity activity, std::uint32_t insn, std::uint64_t begin, std::uint64_t end);
  void minor(trace::Activity activity, std::uint32_t insn, std::uint64_t begin, std::uint64_t end,
             unsigned peers = 0);
  /// Writes the minor spans up to a cycle.
  void flush(std::uint64_t end);

 private:
  trace::Event span(trace::Activity activity, std::uint32_t insn, std::uint64_t begin,
                    std::uint64_t end) const;

  const Reporter& reporter_;
  isa::Unit unit_;
  std::uint64_t covered_ = 0;
  std::vector<trace::Event> waiting_;
};

}  // namespace vdla::sim
