// SPDX-License-Identifier: Apache-2.0
// Draws events as a timeline: the layers, for each unit its instructions and what its cycles go to, bursts of
// DRAM, counters (sim/trace/counters.h), and what runs beside the device. Arrows lead from the instruction
// that pushes a token to the one that pops it. Whatever overlaps within a unit stands on several tracks of
// one name: Perfetto drops a slice that begins inside of another one of its track and ends after it.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/timeline/canvas.h"
#include "sim/trace/counters.h"
#include "sim/trace/event.h"

namespace vdla::timeline {

/// Origin of an instruction; empty parts are left out.
struct Label {
  static constexpr std::uint32_t kNoLayer = UINT32_MAX;
  std::string layer;                      ///< layer that it comes from
  std::uint32_t layer_number = kNoLayer;  ///< number of the layer in the program
  std::string loop;
  std::span<const std::uint64_t> pushed{}, popped{};  ///< as Tokens has them (sim/timeline/tokens.h)
};

/// Work elsewhere, a kernel of a GPU: a slice of the track `track`.
struct Beside {
  std::string track, name;
  Cycle begin = 0, cycles = 0;
  std::vector<std::pair<std::string, std::string>> args;  ///< facts by name
};

/// Streams to `out`, which must outlive it; the file is complete after finish() or destruction.
class Timeline final : public trace::Sink {
 public:
  using Labeler = std::function<Label(std::uint32_t insn)>;

  /// `process` is the name above all tracks.
  Timeline(std::ostream& out, Form form, std::string_view process, Labeler labeler = {});
  ~Timeline() override;
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  void event(const trace::Event& e) override;
  /// End of the events so far, in cycles of the timeline.
  Cycle now() const { return end_; }
  void beside(const Beside& other);
  /// The device stands still up to there: events that come later move on.
  void wait_until(Cycle at);
  void finish();

 private:
  /// A run of the device: from a start to the next one.
  struct Run {
    Cycle begin = 0, end = 0;
    std::vector<trace::Event> retires;  ///< with the layer's number in place of the instruction's
    std::map<std::uint32_t, std::string> layers;
  };

  void draw_insn(const trace::Event& e);
  void draw_span(const trace::Event& e);
  void draw_burst(const trace::Event& e);
  void note_retire(const trace::Event& e);
  void end_run();
  void draw_counters();
  std::vector<std::uint64_t> arrows(std::span<const std::uint64_t> tokens) const;

  Canvas canvas_;
  Labeler labeler_;
  trace::Counters counters_;
  std::optional<Run> run_;
  std::uint64_t runs_ = 0;
  Cycle waited_ = 0;  ///< cycles by which events move on
  Cycle end_ = 0;     ///< end of events and waits
  bool finished_ = false;
};

}  // namespace vdla::timeline
