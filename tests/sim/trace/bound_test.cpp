// SPDX-License-Identifier: Apache-2.0
// What bounds a layer, from made-up events.
#include "sim/trace/bound.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/trace/profile.h"

namespace vdla::trace {
namespace {

using isa::Unit;

Event begin_and_end(EventType type, Unit unit, Cycle begin, Cycle end) {
  Event e;
  e.type = type;
  e.unit = unit;
  e.begin = begin;
  e.end = end;
  return e;
}

Event stretch(Unit unit, Activity activity, Cycle begin, Cycle end) {
  Event e = begin_and_end(EventType::Span, unit, begin, end);
  e.activity = activity;
  return e;
}

Event read(Cycle begin, Cycle end, std::uint64_t bytes) {
  Event e = begin_and_end(EventType::Burst, Unit::Load, begin, end);
  e.address = 0x1000;
  e.bytes = bytes;
  return e;
}

/// One layer of 100 cycles with these events.
Profile layer_of(const std::vector<Event>& events, unsigned bytes_per_cycle = 8) {
  std::vector<Event> run{begin_and_end(EventType::Start, Unit::Fetch, 0, 0)};
  run.insert(run.end(), events.begin(), events.end());
  run.push_back(begin_and_end(EventType::Retire, Unit::Store, 100, 100));
  run.push_back(begin_and_end(EventType::Done, Unit::Fetch, 100, 100));
  ProfileOptions options;
  options.layers = 1;
  options.layer_of = [](std::uint32_t) { return 0; };
  options.windows[0] = {0x1000, 0x1000};
  options.bus_bytes_per_cycle = bytes_per_cycle;
  return profile(run, options);
}

Cycle works(const Bound& bound, Resource r) { return bound.works[static_cast<std::size_t>(r)]; }
Cycle lost(const Bound& bound, Resource r, Loss l) {
  return bound.lost[static_cast<std::size_t>(r)][static_cast<std::size_t>(l)];
}

TEST(Bound, EveryCycleIsToldApartOnceForEachResource) {
  const Profile p =
      layer_of({stretch(Unit::Load, Activity::Memory, 5, 50), read(10, 50, 128),
                stretch(Unit::Load, Activity::Busy, 50, 55), stretch(Unit::Gemm, Activity::Setup, 55, 60),
                stretch(Unit::Gemm, Activity::Busy, 60, 90)});
  const Bound& bound = p.layers[0].bound;
  for (std::size_t r = 0; r < kResources; ++r)
    EXPECT_EQ(bound.works[r] + std::accumulate(bound.lost[r].begin(), bound.lost[r].end(), Cycle{0}), 100u);
  EXPECT_EQ(works(bound, Resource::Array), 30u);
  EXPECT_EQ(works(bound, Resource::Bus), 16u + 5u);                 // 128 bytes, then pieces
  EXPECT_EQ(lost(bound, Resource::Array, Loss::Latency), 29u);      // 5 to 34
  EXPECT_EQ(lost(bound, Resource::Array, Loss::Dependences), 21u);  // while the bus works
  EXPECT_EQ(lost(bound, Resource::Array, Loss::StartUp), 20u);      // 0 to 5, setup, and the end
  EXPECT_EQ(bound.by(), "latency");
}

TEST(Bound, AResourceThatWorksInFourOfFiveCyclesBoundsTheLayer) {
  EXPECT_EQ(layer_of({stretch(Unit::Gemm, Activity::Busy, 0, 80)}).layers[0].bound.by(), "array");
  EXPECT_EQ(layer_of({stretch(Unit::Gemm, Activity::Busy, 0, 79)}).layers[0].bound.by(), "start-up");
  EXPECT_EQ(layer_of({stretch(Unit::Vector, Activity::Busy, 10, 99)}).layers[0].bound.by(), "vector unit");
  EXPECT_EQ(layer_of({read(0, 100, 700)}).layers[0].bound.by(), "bus");
}

TEST(Bound, ASlowerBusIsFullWithFewerBytes) {
  EXPECT_EQ(
      layer_of({stretch(Unit::Load, Activity::Memory, 0, 100), read(0, 100, 350)}, 8).layers[0].bound.by(),
      "latency");
  EXPECT_EQ(
      layer_of({stretch(Unit::Load, Activity::Memory, 0, 100), read(0, 100, 350)}, 4).layers[0].bound.by(),
      "bus");
}

TEST(Bound, UnitsThatTakeTurnsAreBoundByDependences) {
  const Profile p =
      layer_of({stretch(Unit::Gemm, Activity::Busy, 0, 50), stretch(Unit::Gemm, Activity::Pop, 50, 100),
                stretch(Unit::Vector, Activity::Pop, 0, 50), stretch(Unit::Vector, Activity::Busy, 50, 98)});
  EXPECT_EQ(p.layers[0].bound.busiest(), Resource::Array);
  EXPECT_EQ(p.layers[0].bound.by(), "dependences");
}

TEST(Bound, AStretchWithoutCyclesHasNone) { EXPECT_EQ(Bound{}.by(), ""); }

}  // namespace
}  // namespace vdla::trace
