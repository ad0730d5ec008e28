// SPDX-License-Identifier: Apache-2.0
// A timeline's file as tracks by name, on which slices may overlap.
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/timeline/encoder.h"
#include "sim/timeline/gzip.h"

namespace vdla::timeline {

/// Streams to `out`, which must outlive it; the file is complete after finish().
class Canvas {
 public:
  /// `process` is the name above all tracks.
  Canvas(std::ostream& out, Form form, std::string_view process);

  /// Tracks stand in the order of their places; slices come in order of their begin. One that overlaps
  /// another goes to a further track of the name.
  void draw(const std::string& track, int place, const Slice& slice);
  /// Sets a value of a counter, whose place is `first_place` or one after it.
  void count(const std::string& counter, int first_place, Unit unit, Cycle at, std::int64_t value);
  /// Number of a layer's colour.
  std::uint64_t colour_of(const std::string& layer);
  void finish();

 private:
  struct Lane {
    TrackId track;
    Cycle end;
  };

  std::optional<GzipBuffer> gzip_;
  std::optional<std::ostream> compressed_;
  std::unique_ptr<Encoder> encoder_;
  std::map<std::string, std::vector<Lane>> lanes_;  ///< tracks by name
  std::map<std::string, TrackId> counters_;
  std::map<std::string, std::uint64_t> colours_;
};

}  // namespace vdla::timeline
