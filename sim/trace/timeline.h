// SPDX-License-Identifier: Apache-2.0
// Writes events as Trace Event JSON, which Perfetto and chrome://tracing open: one track per unit and one for
// the DRAM bus, counter tracks (counters.h), and those of what runs beside the device. One cycle is shown as
// one microsecond.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/trace/counters.h"
#include "sim/trace/event.h"

namespace vdla::trace {

/// Text of an instruction for the timeline; empty parts are left out.
struct Label {
  std::string name;   ///< "gemm 12"
  std::string layer;  ///< layer that it comes from
  std::string loop;
};

/// Work elsewhere, a kernel of a GPU: a slice of the track `track`.
struct Beside {
  std::string track, name;
  Cycle begin = 0, cycles = 0;
  std::vector<std::pair<std::string, std::string>> args;  ///< facts by name
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
  /// End of the events so far, in cycles of the timeline.
  Cycle now() const { return end_; }
  void beside(const Beside& other);
  /// The device stands still up to there: events that come later move on.
  void wait_until(Cycle at);
  void finish();

 private:
  void write_line(const std::string& json);
  void write_insn(const Event& e);
  void write_span(const Event& e);
  void write_burst(const Event& e);

  std::ostream& out_;
  Labeler labeler_;
  Counters counters_;
  std::map<std::string, int> other_tracks_;
  Cycle waited_ = 0;  ///< cycles by which events move on
  Cycle end_ = 0;     ///< end of events and waits
  bool first_ = true;
  bool finished_ = false;
};

}  // namespace vdla::trace
