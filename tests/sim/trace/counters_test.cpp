// SPDX-License-Identifier: Apache-2.0
// Counter tracks and windows of a timeline, from made-up events.
#include "sim/trace/counters.h"

#include <gmock/gmock.h>

#include "sim/trace/window.h"
#include "tests/sim/trace/made_event.h"

namespace vdla::trace {
namespace {

using isa::Unit;
using testing::ElementsAre;
using testing::Pair;

Event burst(Cycle begin, Cycle end, std::uint64_t bytes, bool write = false) {
  Event e = made(EventType::Burst, Unit::Load, begin, end);
  e.bytes = bytes;
  e.write = write;
  return e;
}

std::vector<std::pair<Cycle, double>> values(const std::vector<Event>& events, const std::string& track,
                                             const std::string& name) {
  Counters counters;
  for (const Event& e : events) counters.event(e);
  std::vector<std::pair<Cycle, double>> result;
  counters.for_each([&](const CounterPoint& point) {
    if (point.track != track) return;
    for (const auto& [key, value] : point.values)
      if (key == name) result.emplace_back(point.at, value);
  });
  return result;
}

TEST(Counters, BytesAreInFlightFromAddressToLastData) {
  const std::vector<Event> events{burst(30, 60, 256), burst(10, 40, 64), burst(40, 50, 8, true)};
  EXPECT_THAT(values(events, "DRAM bytes in flight", "read"),
              ElementsAre(Pair(10, 64), Pair(30, 320), Pair(40, 256), Pair(50, 256), Pair(60, 0)));
  EXPECT_THAT(values(events, "DRAM bytes in flight", "write"),
              ElementsAre(Pair(10, 0), Pair(30, 0), Pair(40, 8), Pair(50, 0), Pair(60, 0)));
}

TEST(Counters, AnInstructionWaitsFromItsDispatchToItsStart) {
  const std::vector<Event> events{
      made(EventType::Dispatch, Unit::Gemm, 5, 5), made(EventType::Dispatch, Unit::Gemm, 9, 9),
      made(EventType::Insn, Unit::Gemm, 12, 20), made(EventType::Insn, Unit::Gemm, 20, 30)};
  EXPECT_THAT(values(events, "instructions in queues", "gemm"),
              ElementsAre(Pair(5, 1), Pair(9, 2), Pair(12, 1), Pair(20, 0)));
}

TEST(Counters, ALongRunKeepsItsPeaksInFewPoints) {
  std::vector<Event> events;
  for (Cycle at = 0; at < 100'000; at += 10) events.push_back(burst(at, at + 5, at == 50'000 ? 4096 : 64));
  const auto read = values(events, "DRAM bytes in flight", "read");
  EXPECT_LE(read.size(), Counters::kPoints + 2);
  double most = 0;
  for (const auto& [at, value] : read) most = std::max(most, value);
  EXPECT_EQ(most, 4096);
  EXPECT_EQ(read.back().second, 0);
}

TEST(Counters, UtilisationIsTheShareOfBusyCycles) {
  Event busy = made(EventType::Span, Unit::Vector, 0, 96);
  busy.activity = Activity::Busy;
  const auto works = values({busy, made(EventType::Done, Unit::Fetch, 200, 200)}, "works, %", "vector");
  EXPECT_THAT(works, ElementsAre(Pair(0, 100), Pair(64, 50), Pair(128, 0), Pair(192, 0)));
}

TEST(Window, GoesFromTheFirstDispatchToTheLastRetire) {
  const std::vector<Event> run{
      made(EventType::Start, Unit::Fetch, 0, 0),      made(EventType::Dispatch, Unit::Load, 5, 5, 0),
      made(EventType::Insn, Unit::Load, 6, 15, 0),    made(EventType::Dispatch, Unit::Gemm, 10, 10, 1),
      made(EventType::Retire, Unit::Load, 15, 15, 0), made(EventType::Insn, Unit::Gemm, 16, 30, 1),
      made(EventType::Retire, Unit::Gemm, 30, 30, 1), made(EventType::Insn, Unit::Store, 31, 40, 2),
      made(EventType::Retire, Unit::Store, 40, 40, 2)};
  const auto one = [](std::uint32_t insn) { return insn == 1; };
  const std::vector<Event> window = window_of(run, one);
  ASSERT_EQ(window.size(), 5u) << "the load that is under way is there, start and store are not";
  EXPECT_EQ(window.front().begin, 6u);
  EXPECT_EQ(window.back().end, 30u);
  EXPECT_TRUE(window_of(run, [](std::uint32_t insn) { return insn == 7; }).empty());
  const std::vector<Event> cut = window_of(std::span(run).first(6), one);
  EXPECT_EQ(cut.size(), 4u) << "a run that ended early goes to its end";
}

}  // namespace
}  // namespace vdla::trace
