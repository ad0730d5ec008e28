// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/timeline.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/trace/profile.h"
#include "support/json_dump.h"

namespace vdla::trace {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProcess = 1;
/// Each unit has two tracks, instructions and what the unit waits for, so that slices nest in each.
int insn_track(isa::Unit u) { return 2 * static_cast<int>(u); }
int span_track(isa::Unit u) { return insn_track(u) + 1; }
constexpr int kReadTrack = 100, kWriteTrack = 101, kFirstOtherTrack = 102;

Json slice(std::string name, int track, Cycle begin, Cycle end) {
  return {{"name", std::move(name)}, {"ph", "X"}, {"pid", kProcess}, {"tid", track}, {"ts", begin},
          {"dur", end - begin}};
}

Json track_name(int track, std::string_view name) {
  return {
      {"name", "thread_name"}, {"ph", "M"}, {"pid", kProcess}, {"tid", track}, {"args", {{"name", name}}}};
}

}  // namespace

TimelineWriter::TimelineWriter(std::ostream& out, Labeler labeler) : out_(out), labeler_(std::move(labeler)) {
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  for (const isa::NamedCode& unit : isa::kUnits) {
    const auto u = static_cast<isa::Unit>(unit.code);
    write_line(json_dump(track_name(insn_track(u), unit.text)));
    write_line(json_dump(track_name(span_track(u), std::string(unit.text) + " cycles")));
  }
  write_line(json_dump(track_name(kReadTrack, "dram read")));
  write_line(json_dump(track_name(kWriteTrack, "dram write")));
}

TimelineWriter::~TimelineWriter() { finish(); }

void TimelineWriter::finish() {
  if (std::exchange(finished_, true)) return;
  counters_.for_each([this](const CounterPoint& point) {
    Json json{{"name", point.track}, {"ph", "C"}, {"pid", kProcess}, {"ts", point.at}};
    for (const auto& [name, value] : point.values) json["args"][name] = value;
    write_line(json_dump(json));
  });
  out_ << "\n]}\n";
  out_.flush();
}

void TimelineWriter::write_line(const std::string& json) {
  out_ << (std::exchange(first_, false) ? "\n" : ",\n") << json;
}

void TimelineWriter::event(const Event& told) {
  Event e = told;
  e.begin += waited_;
  e.end += waited_;
  end_ = std::max(end_, e.end);
  counters_.event(e);
  switch (e.type) {
    case EventType::Insn:
      return write_insn(e);
    case EventType::Span:
      return write_span(e);
    case EventType::Burst:
      return write_burst(e);
    case EventType::Start:
    case EventType::Dispatch:
    case EventType::Retire:
    case EventType::Done:
      return;
  }
}

void TimelineWriter::beside(const Beside& other) {
  const auto [track, is_new] =
      other_tracks_.try_emplace(other.track, kFirstOtherTrack + static_cast<int>(other_tracks_.size()));
  if (is_new) write_line(json_dump(track_name(track->second, other.track)));
  Json json = slice(other.name, track->second, other.begin, other.begin + other.cycles);
  for (const auto& [name, text] : other.args) json["args"][name] = text;
  write_line(json_dump(json));
}

void TimelineWriter::wait_until(Cycle at) {
  if (at <= end_) return;
  waited_ += at - end_;
  end_ = at;
}

void TimelineWriter::write_insn(const Event& e) {
  const Label label = labeler_ ? labeler_(e.insn) : Label{};
  Json json = slice(
      label.name.empty() ? std::string(isa::to_string(e.unit)) + " " + std::to_string(e.insn) : label.name,
      insn_track(e.unit), e.begin, e.end);
  json["args"]["insn"] = e.insn;
  if (e.bytes != 0) json["args"]["bytes"] = e.bytes;
  if (!label.layer.empty()) json["args"]["layer"] = label.layer;
  if (!label.loop.empty()) json["args"]["loop"] = label.loop;
  write_line(json_dump(json));
}

void TimelineWriter::write_span(const Event& e) {
  if (e.activity == Activity::Idle || e.begin == e.end) return;
  std::string name{to_string(e.activity)};
  if (e.peers != 0) name += " " + peer_list(e.peers);
  Json json = slice(std::move(name), span_track(e.unit), e.begin, e.end);
  json["args"]["insn"] = e.insn;
  write_line(json_dump(json));
}

void TimelineWriter::write_burst(const Event& e) {
  // Bursts overlap from handshake to data, so they are drawn as asynchronous slices.
  const std::string id = std::to_string(e.begin) + "." + std::to_string(e.address);
  Json json = {{"name", std::string(isa::to_string(e.unit)) + (e.write ? " write" : " read")},
               {"cat", "dram"},
               {"ph", "b"},
               {"id", id},
               {"pid", kProcess},
               {"tid", e.write ? kWriteTrack : kReadTrack},
               {"ts", e.begin},
               {"args", {{"insn", e.insn}, {"bytes", e.bytes}, {"address", e.address}}}};
  write_line(json_dump(json));
  json["ph"] = "e";
  json["ts"] = e.end;
  json.erase("args");
  write_line(json_dump(json));
}

}  // namespace vdla::trace
