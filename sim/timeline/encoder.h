// SPDX-License-Identifier: Apache-2.0
// Tracks, slices and values of counters, which a timeline is drawn of whatever its file's form.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "sim/timeline/form.h"
#include "sim/trace/event.h"

namespace vdla::timeline {

using trace::Cycle;
using TrackId = std::uint32_t;

struct Track {
  std::string name;
  int place = 0;      ///< tracks stand in this order
  unsigned lane = 0;  ///< number among the tracks of one name, from 0
};

enum class Unit : std::uint8_t { None, Bytes };

/// A fact about a slice, by name.
struct Fact {
  std::string_view name;
  std::variant<std::uint64_t, std::string_view> value;
};

struct Slice {
  std::string_view name;
  Cycle begin = 0, end = 0;
  std::string_view category{};  ///< empty: none
  std::uint64_t colour = 0;     ///< slices of one number look alike; 0: as their names say
  std::span<const Fact> facts{};
  std::span<const std::uint64_t> flows_out{};  ///< numbers of arrows that begin here
  std::span<const std::uint64_t> flows_in{};   ///< numbers of arrows that end here
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Numbers are the caller's, from 1 on; one for each track, also of counters.
  virtual void track(TrackId id, const Track& track) = 0;
  virtual void counter_track(TrackId id, const Track& track, Unit unit) = 0;
  /// Slices of a track come in order of time and do not overlap.
  virtual void slice(TrackId track, const Slice& slice) = 0;
  virtual void value(TrackId counter, Cycle at, std::int64_t value) = 0;
  virtual void finish() = 0;
};

/// Trace Event JSON; a cycle is shown as a microsecond. `process` is the name above all tracks. `out` must
/// outlive the encoder.
std::unique_ptr<Encoder> json_encoder(std::ostream& out, std::string_view process);
/// Packets of Perfetto; a cycle is shown as a nanosecond.
std::unique_ptr<Encoder> perfetto_encoder(std::ostream& out, std::string_view process);

}  // namespace vdla::timeline
