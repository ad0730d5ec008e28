// SPDX-License-Identifier: Apache-2.0
// Reads a timeline's file of any form back, by readers that share nothing with the encoders: code that protoc
// makes of perfetto_trace.proto, and a JSON parser.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vdla::timeline {

struct ReadSlice {
  std::uint64_t track = 0;
  std::uint64_t begin = 0, end = 0;
  std::string name, category;
  std::uint64_t colour = 0;  ///< JSON has none
  std::map<std::string, std::string> facts{};
  std::vector<std::uint64_t> flows_out{}, flows_in{};
};

struct ReadTimeline {
  std::string process;
  std::map<std::uint64_t, std::string> tracks;  ///< names, without the number of a lane
  std::vector<ReadSlice> slices;                ///< as they stand in the file
  std::map<std::string, std::map<std::uint64_t, std::int64_t>> counters;

  const std::string& track_of(const ReadSlice& slice) const { return tracks.at(slice.track); }
  /// Cycles by name of the slices of all tracks of a name.
  std::map<std::string, std::uint64_t> cycles(const std::string& track) const;
};

/// Fails the test that calls it where the file is not as its form says.
ReadTimeline read_timeline(const std::string& file);

/// Slices that Perfetto drops: those that begin inside of an open one of their track and end after it.
std::size_t dropped(const ReadTimeline& timeline);

}  // namespace vdla::timeline
