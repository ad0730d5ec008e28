// SPDX-License-Identifier: Apache-2.0
// The cover points of a run: what no program decides alone. Collected from the events of any engine; the
// points of programs are in isa/coverage.
#pragma once

#include <span>
#include <vector>

#include "isa/coverage/table.h"
#include "isa/program/program.h"
#include "sim/trace/event.h"

namespace vdla::trace {

// X(enumerator, "name", "doc")
#define VDLA_RUN_COVER_TABLES(X)                                                       \
  X(Channel, "channel",                                                                \
    "each token channel: a token is taken at once, is waited for, leaves the channel " \
    "empty, waits because the channel is full")                                        \
  X(Activity, "activity", "each reason of each unit for what it does with a cycle")    \
  X(Queue, "queue", "fetch waits for room in each queue")                              \
  X(Overlap, "overlap", "each two units have instructions in flight at once")          \
  X(Burst, "burst", "bursts of each unit on the bus, by length in beats")

#define VDLA_RUN_COVER_ENUMERATOR(name, text, doc) name,
enum class RunCover : std::uint8_t { VDLA_RUN_COVER_TABLES(VDLA_RUN_COVER_ENUMERATOR) };
#undef VDLA_RUN_COVER_ENUMERATOR

/// Whether an engine can report that a unit does this: docs/timing.md.
constexpr bool can_do(isa::Unit unit, Activity activity) {
  const bool fetch = unit == isa::Unit::Fetch;
  switch (activity) {
    case Activity::Busy:
      return true;
    case Activity::Idle:  // the cycles that no span covers
      return false;
    case Activity::Pop:
    case Activity::Push:
    case Activity::Setup:
      return !fetch;
    case Activity::Memory:
      return fetch || unit == isa::Unit::Load || unit == isa::Unit::Store;
    case Activity::Bank:
      return unit == isa::Unit::Vector;
    case Activity::Queue:
    case Activity::Drain:
      return fetch;
  }
  return false;
}

class RunCoverage {
 public:
  RunCoverage();

  /// The events of one run (from Start to Done) of a program.
  void note(const isa::Program& program, std::span<const Event> events);

  std::span<const isa::CoverTable> tables() const { return tables_; }
  std::span<isa::CoverTable> tables() { return tables_; }
  const isa::CoverTable& operator[](RunCover t) const { return tables_[static_cast<std::size_t>(t)]; }

 private:
  void note_span(const Event& e);
  void note_channels(const isa::Program& program, std::span<const Event> events);
  void note_overlaps(std::span<const Event> events);
  isa::CoverTable& table(RunCover t) { return tables_[static_cast<std::size_t>(t)]; }

  std::vector<isa::CoverTable> tables_;
};

}  // namespace vdla::trace
