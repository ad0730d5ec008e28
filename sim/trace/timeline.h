// SPDX-License-Identifier: Apache-2.0
// Writes events as Trace Event JSON, which Perfetto and chrome://tracing open: one track per unit and one for
// the DRAM bus, and counter tracks (counters.h). One cycle is shown as one microsecond.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "sim/trace/counters.h"
#include "sim/trace/event.h"

namespace vdla::trace {

/// Text of an instruction for the timeline; empty parts are left out.
struct Label {
  std::string name;   ///< "gemm 12"
  std::string layer;  ///< where it comes from
  std::string loop;
};

/// Streams to `out`, which must outlive it; the file is complete after finish() or destruction.
class TimelineWriter final : public Sink {
 public:
  using Labeler = std::function<Label(std::uint32_t insn)>;

  explicit TimelineWriter(std::ostream& out, Labeler labeler = {});
  ~TimelineWriter() override;
  TimelineWriter(const TimelineWriter&) = delete;
  TimelineWriter& operator=(const TimelineWriter&) = delete;

  void event(const Event& e) override;
  void finish();

 private:
  void write_line(const std::string& json);
  void write_insn(const Event& e);
  void write_span(const Event& e);
  void write_burst(const Event& e);

  std::ostream& out_;
  Labeler labeler_;
  Counters counters_;
  bool first_ = true;
  bool finished_ = false;
};

}  // namespace vdla::trace
