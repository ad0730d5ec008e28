// SPDX-License-Identifier: Apache-2.0
// Timelines of made-up events, in each form.
#include "sim/timeline/timeline.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "sim/timeline/tokens.h"
#include "support/temporary.h"
#include "tests/sim/timeline/read_timeline.h"
#include "tests/sim/trace/made_event.h"

namespace vdla::timeline {
namespace {

using isa::Unit;
using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;
using trace::Activity;
using trace::Event;
using trace::EventType;
using trace::made;

Event span(isa::Unit unit, Activity activity, Cycle begin, Cycle end, std::uint8_t peers = 0) {
  Event e = made(EventType::Span, unit, begin, end);
  e.activity = activity;
  e.peers = peers;
  return e;
}

/// A run of two layers, in which loads overlap: a second begins inside of the first and ends after it.
std::vector<Event> run_with_overlaps(Cycle at) {
  Event burst = made(EventType::Burst, isa::Unit::Load, at + 12, at + 70);
  burst.bytes = 256;
  burst.address = 0x1000;
  return {made(EventType::Start, isa::Unit::Fetch, at, at),
          made(EventType::Dispatch, isa::Unit::Load, at + 3, at + 3, 0),
          burst,
          span(isa::Unit::Load, Activity::Memory, at + 12, at + 60),
          span(isa::Unit::Load, Activity::Busy, at + 60, at + 92),
          made(EventType::Insn, isa::Unit::Load, at + 12, at + 92, 0),
          made(EventType::Insn, isa::Unit::Load, at + 50, at + 120, 1),
          made(EventType::Insn, isa::Unit::Load, at + 92, at + 130, 2),
          made(EventType::Retire, isa::Unit::Load, at + 92, at + 92, 0),
          span(isa::Unit::Gemm, Activity::Pop, at + 13, at + 93, 1),
          made(EventType::Insn, isa::Unit::Gemm, at + 93, at + 193, 3),
          made(EventType::Retire, isa::Unit::Gemm, at + 193, at + 193, 3),
          made(EventType::Done, isa::Unit::Fetch, at + 200, at + 200, 4)};
}

/// Instruction 3 is of the second layer, and pops what the first load pushes.
Label label(std::uint32_t insn) {
  static const std::vector<std::uint64_t> kToken{1};
  Label label{insn == 3 ? "conv \"b\"" : "conv a", insn == 3 ? 1u : 0u, insn == 1 ? "y=1" : ""};
  if (insn == 0) label.pushed = kToken;
  if (insn == 3) label.popped = kToken;
  return label;
}

class Timelines : public testing::TestWithParam<const char*> {
 protected:
  ReadTimeline drawn(const std::vector<Event>& events) {
    const std::string file = (folder_.path() / GetParam()).string();
    {
      std::ofstream out(file, std::ios::binary);
      Timeline timeline(out, form_of_name(file), "net on tiny", label);
      for (const Event& e : events) timeline.event(e);
      timeline.beside({"GPU", "pool", 10, 30, {{"op", "max_pool"}}});
    }
    return read_timeline(file);
  }
  const ReadSlice& named(const ReadTimeline& timeline, const std::string& name) {
    for (const ReadSlice& slice : timeline.slices)
      if (slice.name == name) return slice;
    ADD_FAILURE() << "no slice '" << name << "'";
    return timeline.slices.front();
  }

  Temporary folder_{std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "timelines"};
};

TEST_P(Timelines, NothingIsDroppedWhereInstructionsOverlap) {
  const ReadTimeline read = drawn(run_with_overlaps(10));
  EXPECT_EQ(dropped(read), 0u);
  EXPECT_EQ(read.process, "net on tiny");
  EXPECT_NE(named(read, "conv a load 0").track, named(read, "conv a load 1").track);
  EXPECT_EQ(named(read, "conv a load 0").track, named(read, "conv a load 2").track)
      << "a track is used again";
  EXPECT_EQ(read.track_of(named(read, "conv a load 1")), "load");
  EXPECT_EQ(read.track_of(named(read, "pool")), "GPU");
  EXPECT_EQ(named(read, "pool").facts.at("op"), "max_pool");
}

TEST_P(Timelines, SlicesSayTheirLayerLoopAndCycles) {
  const ReadTimeline read = drawn(run_with_overlaps(10));
  const ReadSlice& load = named(read, "conv a load 1");
  EXPECT_EQ(load.begin, 60u);
  EXPECT_EQ(load.end, 130u);
  EXPECT_EQ(load.category, "conv a");
  EXPECT_THAT(load.facts, ElementsAre(Pair("insn", "1"), Pair("layer", "conv a"), Pair("loop", "y=1")));
  EXPECT_EQ(load.colour, named(read, "conv a load 0").colour);
  if (!is_json(form_of_name(GetParam()))) {
    EXPECT_NE(load.colour, named(read, "conv \"b\" gemm 3").colour);
  }
  EXPECT_THAT(read.cycles("load cycles"), ElementsAre(Pair("busy", 32), Pair("memory", 48)));
  EXPECT_THAT(read.cycles("gemm cycles"), ElementsAre(Pair("pop load", 80)));
  EXPECT_THAT(named(read, "load read").facts,
              ElementsAre(Pair("address", "4096"), Pair("bytes", "256"), Pair("insn", "0")));
}

TEST_P(Timelines, LayersGoFromOneLastRetireToTheNext) {
  std::vector<Event> events = run_with_overlaps(10);
  EXPECT_THAT(
      drawn(events).cycles("layers"),
      UnorderedElementsAre(Pair("conv a", 92), Pair("conv \"b\"", 101), Pair("after the last layer", 7)));
  const std::vector<Event> next = run_with_overlaps(500);
  events.insert(events.end(), next.begin(), next.end());
  EXPECT_EQ(drawn(events).cycles("layers").at("conv a"), 2u * 92);
}

TEST_P(Timelines, ArrowsLeadFromPushToPop) {
  std::vector<Event> events = run_with_overlaps(10);
  const std::vector<Event> next = run_with_overlaps(500);
  events.insert(events.end(), next.begin(), next.end());
  const ReadTimeline read = drawn(events);
  std::vector<std::uint64_t> out, in;
  for (const ReadSlice& slice : read.slices) {
    out.insert(out.end(), slice.flows_out.begin(), slice.flows_out.end());
    in.insert(in.end(), slice.flows_in.begin(), slice.flows_in.end());
    EXPECT_EQ(slice.flows_out.size(), slice.name == "conv a load 0" ? 1u : 0u);
    EXPECT_EQ(slice.flows_in.size(), slice.name == "conv \"b\" gemm 3" ? 1u : 0u);
  }
  EXPECT_EQ(out, in);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_NE(out[0], out[1]) << "each run has tokens of its own";
}

TEST_P(Timelines, CountersHaveATrackForEachValue) {
  const ReadTimeline read = drawn(run_with_overlaps(10));
  EXPECT_THAT(read.counters.at("DRAM bytes in flight: read"), ElementsAre(Pair(22, 256), Pair(80, 0)));
  EXPECT_TRUE(read.counters.contains("instructions in queues: load"));
}

INSTANTIATE_TEST_SUITE_P(Forms, Timelines,
                         testing::Values("t.json", "t.json.gz", "t.pftrace", "t.pftrace.gz"),
                         [](const auto& form) {
                           std::string name(form.param);
                           std::erase(name, '.');
                           return name;
                         });

TEST(TimelineForm, FollowsTheFilesName) {
  EXPECT_EQ(form_of_name("a.b/t.pftrace.gz"), Form::PerfettoGzip);
  EXPECT_EQ(form_of_name("T.PFTRACE"), Form::PerfettoPlain);
  EXPECT_EQ(form_of_name("t.json.GZ"), Form::JsonGzip);
  for (const char* name : {"t.json", "-", "/dev/stdout", "pftrace"})
    EXPECT_EQ(form_of_name(name), Form::JsonText);
  for (std::uint32_t code = 1; code <= 4; ++code)
    EXPECT_EQ(static_cast<std::uint32_t>(*form_of_code(code)), code);
  EXPECT_FALSE(form_of_code(0) || form_of_code(5));
}

TEST(TimelineTokens, TheKthPushOfAChannelIsItsKthPop) {
  isa::Program program;
  isa::MemoryInsn load;
  load.push = 1 << static_cast<unsigned>(Unit::Gemm);
  isa::GemmInsn gemm;
  gemm.pop = 1 << static_cast<unsigned>(Unit::Load);
  program.insns = {load, load, gemm, load, gemm, isa::FinishInsn{}, gemm, load};
  const Tokens tokens = tokens_of(program);
  EXPECT_EQ(tokens.pushed[0], tokens.popped[2]);
  EXPECT_EQ(tokens.pushed[1], tokens.popped[4]);
  EXPECT_NE(tokens.pushed[0], tokens.pushed[1]);
  EXPECT_TRUE(tokens.pushed[3].empty()) << "nothing pops it";
  EXPECT_EQ(tokens.pushed[7], tokens.popped[6])
      << "a pop may stand before its push; channels are empty after finish";
}

}  // namespace
}  // namespace vdla::timeline
