// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/timeline/read_timeline.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/sim/timeline/perfetto_trace.pb.h"

namespace vdla::timeline {
namespace {

/// The file's bytes, unpacked where they are gzip.
std::string unpacked(const std::string& file) {
  std::string bytes;
  const gzFile in = gzopen(file.c_str(), "rb");
  EXPECT_NE(in, nullptr) << file;
  std::vector<char> part(1 << 20);
  for (int got = 0; (got = gzread(in, part.data(), static_cast<unsigned>(part.size()))) > 0;)
    bytes.append(part.data(), static_cast<std::size_t>(got));
  EXPECT_EQ(gzclose(in), Z_OK) << file;
  return bytes;
}

class Packets {
 public:
  void add(const perfetto::TracePacket& packet) {
    EXPECT_EQ(packet.trusted_packet_sequence_id(), 1u);
    for (const auto& text : packet.interned_data().event_names()) names_[text.iid()] = text.name();
    for (const auto& text : packet.interned_data().event_categories()) categories_[text.iid()] = text.name();
    for (const auto& text : packet.interned_data().debug_annotation_names()) facts_[text.iid()] = text.name();
    if (packet.has_track_descriptor()) describe(packet.track_descriptor());
    if (packet.has_track_event()) event(packet.track_event(), packet.timestamp());
  }
  ReadTimeline take() {
    EXPECT_TRUE(open_.empty());
    return std::move(timeline_);
  }

 private:
  void describe(const perfetto::TrackDescriptor& track) {
    if (track.has_process()) {
      timeline_.process = track.process().process_name();
      process_ = track.uuid();
      EXPECT_EQ(track.child_ordering(), perfetto::TrackDescriptor::EXPLICIT);
      return;
    }
    EXPECT_EQ(track.parent_uuid(), process_);
    EXPECT_TRUE(timeline_.tracks.emplace(track.uuid(), track.name()).second) << track.uuid();
  }

  void event(const perfetto::TrackEvent& event, std::uint64_t at) {
    const std::uint64_t track = event.track_uuid();
    ASSERT_TRUE(timeline_.tracks.contains(track)) << track;
    switch (event.type()) {
      case perfetto::TrackEvent::TYPE_SLICE_BEGIN:
        EXPECT_TRUE(open_.emplace(track, begun(event, at)).second) << "slices nest";
        return;
      case perfetto::TrackEvent::TYPE_SLICE_END:
        ASSERT_TRUE(open_.contains(track));
        open_[track].end = at;
        timeline_.slices.push_back(open_[track]);
        open_.erase(track);
        return;
      default:
        EXPECT_EQ(event.type(), perfetto::TrackEvent::TYPE_COUNTER);
        timeline_.counters[timeline_.tracks[track]][at] = event.counter_value();
    }
  }

  ReadSlice begun(const perfetto::TrackEvent& event, std::uint64_t at) {
    ReadSlice slice{event.track_uuid(), at, at, names_.at(event.name_iid()), "", event.correlation_id()};
    if (event.category_iids_size() > 0) slice.category = categories_.at(event.category_iids(0));
    for (const auto& fact : event.debug_annotations())
      slice.facts[facts_.at(fact.name_iid())] =
          fact.has_uint_value() ? std::to_string(fact.uint_value()) : fact.string_value();
    slice.flows_out.assign(event.flow_ids().begin(), event.flow_ids().end());
    slice.flows_in.assign(event.terminating_flow_ids().begin(), event.terminating_flow_ids().end());
    return slice;
  }

  ReadTimeline timeline_;
  std::map<std::uint64_t, std::string> names_, categories_, facts_;
  std::map<std::uint64_t, ReadSlice> open_;
  std::uint64_t process_ = 0;
};

ReadTimeline read_packets(const std::string& bytes) {
  perfetto::Trace trace;
  EXPECT_TRUE(trace.ParseFromString(bytes));
  EXPECT_EQ(trace.packet_size() > 0 ? trace.packet(0).sequence_flags() : 0, 1u);
  Packets packets;
  for (const auto& packet : trace.packet()) packets.add(packet);
  return packets.take();
}

std::string without_lane(std::string name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end + 1 < name.size() && end != std::string::npos && name[end] == ' ') name.resize(end);
  return name;
}

ReadTimeline read_events(const std::string& bytes) {
  ReadTimeline timeline;
  const auto json = nlohmann::json::parse(bytes);
  for (const auto& e : json.at("traceEvents")) {
    const std::string kind = e.at("ph"), name = e.at("name");
    if (kind == "C") {
      timeline.counters[name][e.at("ts")] = e.at("args").at("value").get<std::int64_t>();
    } else if (name == "process_name") {
      timeline.process = e.at("args").at("name");
    } else if (name == "thread_name") {
      timeline.tracks[e.at("tid")] = without_lane(e.at("args").at("name"));
    } else if (kind == "X") {
      const std::uint64_t begin = e.at("ts");
      ReadSlice slice{e.at("tid"), begin, begin + e.at("dur").get<std::uint64_t>(), name, e.value("cat", "")};
      if (e.contains("args"))
        for (const auto& [fact, value] : e.at("args").items())
          slice.facts[fact] = value.is_string() ? value.get<std::string>() : value.dump();
      timeline.slices.push_back(slice);
    } else if (kind == "s" || kind == "f") {
      EXPECT_EQ(e.at("tid"), timeline.slices.back().track);
      EXPECT_EQ(e.at("ts"), timeline.slices.back().begin);
      (kind == "s" ? timeline.slices.back().flows_out : timeline.slices.back().flows_in)
          .push_back(e.at("id"));
    } else {
      EXPECT_EQ(name, "thread_sort_index");
    }
  }
  return timeline;
}

}  // namespace

std::map<std::string, std::uint64_t> ReadTimeline::cycles(const std::string& track) const {
  std::map<std::string, std::uint64_t> sums;
  for (const ReadSlice& slice : slices)
    if (track_of(slice) == track) sums[slice.name] += slice.end - slice.begin;
  return sums;
}

ReadTimeline read_timeline(const std::string& file) {
  const std::string bytes = unpacked(file);
  return bytes.starts_with('{') ? read_events(bytes) : read_packets(bytes);
}

std::size_t dropped(const ReadTimeline& timeline) {
  std::vector<ReadSlice> slices = timeline.slices;
  std::ranges::stable_sort(slices, {}, &ReadSlice::begin);
  std::map<std::uint64_t, std::vector<std::uint64_t>> open;
  std::size_t count = 0;
  for (const ReadSlice& slice : slices) {
    auto& ends = open[slice.track];
    while (!ends.empty() && ends.back() <= slice.begin) ends.pop_back();
    if (!ends.empty() && slice.end > ends.back())
      ++count;
    else
      ends.push_back(slice.end);
  }
  return count;
}

}  // namespace vdla::timeline
