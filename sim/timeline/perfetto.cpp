// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <ostream>

#include "sim/timeline/encoder.h"
#include "sim/timeline/wire.h"

namespace vdla::timeline {
namespace {

// Numbers of fields and values in Perfetto's public protos; tests/sim/timeline/perfetto_trace.proto has the
// same ones for the test that reads timelines back.
namespace trace_file {
constexpr unsigned kPacket = 1;
}
namespace packet {
constexpr unsigned kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                   kTrackDescriptor = 60;
constexpr unsigned kStateCleared = 1, kNeedsState = 2;
}  // namespace packet
namespace descriptor {
constexpr unsigned kUuid = 1, kName = 2, kProcess = 3, kParent = 5, kCounter = 8, kChildOrdering = 11,
                   kSiblingRank = 12;
constexpr unsigned kExplicitOrder = 3;
constexpr unsigned kPid = 1, kProcessName = 6;
constexpr unsigned kCounterUnit = 3;
constexpr unsigned kCount = 2, kSizeBytes = 3;
}  // namespace descriptor
namespace event {
constexpr unsigned kCategory = 3, kFact = 4, kType = 9, kName = 10, kTrack = 11, kCounterValue = 30,
                   kFlow = 47, kLastFlow = 48, kCorrelation = 52;
constexpr unsigned kSliceBegin = 1, kSliceEnd = 2, kCounter = 4;
constexpr unsigned kFactName = 1, kFactNumber = 3, kFactText = 6;
}  // namespace event
namespace interned {
constexpr unsigned kCategories = 1, kNames = 2, kFactNames = 3;
constexpr unsigned kNumber = 1, kText = 2;
}  // namespace interned

/// The process stands above all tracks: its number is none of theirs, which have 32 bits.
constexpr std::uint64_t kProcessUuid = std::uint64_t{1} << 32;
constexpr unsigned kOnlySequence = 1, kOnlyPid = 1;

class PerfettoEncoder final : public Encoder {
 public:
  PerfettoEncoder(std::ostream& out, std::string_view process) : out_(out) {
    Message of_process;
    of_process.number(descriptor::kPid, kOnlyPid);
    of_process.text(descriptor::kProcessName, process);
    Message track;
    track.number(descriptor::kUuid, kProcessUuid);
    track.message(descriptor::kProcess, of_process);
    track.number(descriptor::kChildOrdering, descriptor::kExplicitOrder);
    write_track(track, packet::kStateCleared);
  }

  void track(TrackId id, const Track& track) override { write_track(described(id, track), 0); }

  void counter_track(TrackId id, const Track& track, Unit unit) override {
    Message counter;
    counter.number(descriptor::kCounterUnit,
                   unit == Unit::Bytes ? descriptor::kSizeBytes : descriptor::kCount);
    Message message = described(id, track);
    message.message(descriptor::kCounter, counter);
    write_track(message, 0);
  }

  void slice(TrackId track, const Slice& slice) override {
    Message event = event_of(event::kSliceBegin, track);
    event.number(event::kName, number_of(interned::kNames, slice.name));
    if (!slice.category.empty())
      event.number(event::kCategory, number_of(interned::kCategories, slice.category));
    for (const Fact& fact : slice.facts) event.message(event::kFact, annotation(fact));
    for (const std::uint64_t flow : slice.flows_out) event.fixed(event::kFlow, flow);
    for (const std::uint64_t flow : slice.flows_in) event.fixed(event::kLastFlow, flow);
    if (slice.colour != 0) event.number(event::kCorrelation, slice.colour);
    write_event(event, slice.begin);
    write_event(event_of(event::kSliceEnd, track), slice.end);
  }

  void value(TrackId counter, Cycle at, std::int64_t value) override {
    Message event = event_of(event::kCounter, counter);
    event.number(event::kCounterValue, static_cast<std::uint64_t>(value));
    write_event(event, at);
  }

  void finish() override { out_.flush(); }

 private:
  static Message described(TrackId id, const Track& track) {
    Message message;
    message.number(descriptor::kUuid, id);
    message.number(descriptor::kParent, kProcessUuid);
    message.text(descriptor::kName, track.name);
    message.number(descriptor::kSiblingRank, static_cast<std::uint64_t>(track.place));
    return message;
  }

  static Message event_of(unsigned type, TrackId track) {
    Message event;
    event.number(event::kType, type);
    event.number(event::kTrack, track);
    return event;
  }

  Message annotation(const Fact& fact) {
    Message message;
    message.number(event::kFactName, number_of(interned::kFactNames, fact.name));
    if (const auto* number = std::get_if<std::uint64_t>(&fact.value))
      message.number(event::kFactNumber, *number);
    else
      message.text(event::kFactText, std::get<std::string_view>(fact.value));
    return message;
  }

  /// Returns the text's number in its table; the next packet brings a new one along.
  std::uint64_t number_of(unsigned table, std::string_view text) {
    auto& numbers = numbers_[table];
    if (const auto known = numbers.find(text); known != numbers.end()) return known->second;
    const std::uint64_t number = numbers.size() + 1;
    numbers.emplace(text, number);
    Message entry;
    entry.number(interned::kNumber, number);
    entry.text(interned::kText, text);
    new_texts_.message(table, entry);
    return number;
  }

  void write_event(const Message& event, Cycle at) {
    Message message;
    message.number(packet::kTimestamp, at);
    message.message(packet::kTrackEvent, event);
    if (!new_texts_.empty()) message.message(packet::kInternedData, new_texts_);
    new_texts_.clear();
    write(message, packet::kNeedsState);
  }

  void write_track(const Message& track, unsigned flags) {
    Message message;
    message.message(packet::kTrackDescriptor, track);
    write(message, flags);
  }

  void write(Message& message, unsigned flags) {
    message.number(packet::kSequence, kOnlySequence);
    if (flags != 0) message.number(packet::kSequenceFlags, flags);
    Message file;
    file.message(trace_file::kPacket, message);
    out_ << file.bytes();
  }

  std::ostream& out_;
  std::map<unsigned, std::map<std::string, std::uint64_t, std::less<>>> numbers_;
  Message new_texts_;
};

}  // namespace

std::unique_ptr<Encoder> perfetto_encoder(std::ostream& out, std::string_view process) {
  return std::make_unique<PerfettoEncoder>(out, process);
}

}  // namespace vdla::timeline
