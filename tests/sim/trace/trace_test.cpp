// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <numeric>

#include "sim/trace/recorder.h"
#include "support/error.h"
#include "tests/sim/trace/made_event.h"
#include "tests/sim/trace/statistics.h"

namespace vdla::trace {
namespace {

Event lasting(isa::Unit unit, Activity activity, Cycle begin, Cycle end, std::uint32_t insn = 0) {
  Event e = made(EventType::Span, unit, begin, end, insn);
  e.activity = activity;
  return e;
}

Event point(EventType type, isa::Unit unit, Cycle at, std::uint32_t insn = 0) {
  return made(type, unit, at, at, insn);
}

std::vector<Event> counted_run() {
  std::vector<Event> events;
  events.push_back(point(EventType::Start, isa::Unit::Fetch, 10));
  events.push_back(lasting(isa::Unit::Load, Activity::Memory, 12, 60, 0));
  events.push_back(lasting(isa::Unit::Load, Activity::Busy, 60, 92, 0));
  events.push_back(point(EventType::Retire, isa::Unit::Load, 92, 0));
  Event wait = lasting(isa::Unit::Gemm, Activity::Pop, 13, 93, 1);
  wait.peers = 1;
  events.push_back(wait);
  events.push_back(lasting(isa::Unit::Gemm, Activity::Busy, 93, 193, 1));
  events.push_back(point(EventType::Retire, isa::Unit::Gemm, 193, 1));
  events.push_back(point(EventType::Done, isa::Unit::Fetch, 200, 2));
  return events;
}

TEST(Statistics, ActivitiesOfEachUnitAddUpToTheRun) {
  const Statistics s = summarize(counted_run());
  EXPECT_EQ(s.begin, 10u);
  EXPECT_EQ(s.end, 200u);
  for (const UnitStatistics& unit : s.units)
    EXPECT_EQ(std::accumulate(unit.cycles.begin(), unit.cycles.end(), Cycle{0}), 190u);
  EXPECT_EQ(s[isa::Unit::Gemm][Activity::Pop], 80u);
  EXPECT_EQ(s[isa::Unit::Gemm][Activity::Idle], 10u);
}

TEST(Statistics, OnlyTheLastRunCounts) {
  std::vector<Event> events = counted_run();
  events.push_back(point(EventType::Start, isa::Unit::Fetch, 1000));
  events.push_back(point(EventType::Done, isa::Unit::Fetch, 1010));
  EXPECT_EQ(summarize(events)[isa::Unit::Gemm][Activity::Idle], 10u);
}

TEST(Statistics, OverlappingSpansAreAnError) {
  std::vector<Event> events = counted_run();
  events.push_back(lasting(isa::Unit::Gemm, Activity::Busy, 192, 194));
  try {
    summarize(events);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(),
                testing::HasSubstr("span busy of unit gemm is [192, 194), but the unit's cycles up to 193"));
  }
}

TEST(Fanout, PassesEventsToAll) {
  Recorder a, b;
  Fanout both({&a, &b});
  for (const Event& e : counted_run()) both.event(e);
  EXPECT_EQ(a.events(), counted_run());
  EXPECT_EQ(b.events(), a.events());
}

}  // namespace
}  // namespace vdla::trace
