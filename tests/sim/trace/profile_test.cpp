// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/profile.h"

#include <gmock/gmock.h>

#include "support/error.h"
#include "tests/sim/trace/made_event.h"

namespace vdla::trace {
namespace {

using isa::Unit;

Event span(Unit unit, Activity activity, Cycle begin, Cycle end, std::uint32_t insn, unsigned peers = 0) {
  Event e = made(EventType::Span, unit, begin, end, insn);
  e.activity = activity;
  e.peers = static_cast<std::uint8_t>(peers);
  return e;
}

Event burst(Unit unit, Cycle at, std::uint64_t address, std::uint64_t bytes, bool write, std::uint32_t insn) {
  Event e = made(EventType::Burst, unit, at, at + 1, insn);
  e.address = address;
  e.bytes = bytes;
  e.write = write;
  return e;
}

/// Instruction i is of layer i; layer 2 has none.
ProfileOptions options() {
  ProfileOptions o;
  o.layers = 3;
  o.layer_of = [](std::uint32_t insn) { return insn; };
  o.windows[0] = {0x1000, 0x100};
  o.windows[3] = {0x2000, 0x100};
  o.bins = 10;
  return o;
}

std::vector<Event> small_run() {
  return {made(EventType::Start, Unit::Fetch, 10, 10),   burst(Unit::Fetch, 12, 0x1000, 64, false, 0),
          burst(Unit::Load, 20, 0x20f8, 16, false, 0),   span(Unit::Load, Activity::Memory, 12, 60, 0),
          span(Unit::Load, Activity::Busy, 60, 92, 0),   made(EventType::Retire, Unit::Load, 92, 92, 0),
          span(Unit::Gemm, Activity::Pop, 13, 93, 1, 1), span(Unit::Gemm, Activity::Busy, 93, 193, 1),
          burst(Unit::Store, 150, 0x2000, 32, true, 1),  made(EventType::Retire, Unit::Gemm, 193, 193, 1),
          made(EventType::Done, Unit::Fetch, 200, 200)};
}

constexpr auto unit(Unit u) { return static_cast<std::size_t>(u); }

TEST(Profile, EveryAccountAddsUp) {
  const Profile p = profile(small_run(), options());
  EXPECT_EQ(p.cycles, 190u);
  EXPECT_EQ(p.layers[0].cycles, 82u);
  EXPECT_EQ(p.layers[1].cycles, 101u);
  EXPECT_EQ(p.layers[2].cycles, 0u);
  EXPECT_EQ(p.rest.cycles, 7u);
  for (std::size_t u = 0; u < p.units.size(); ++u) {
    EXPECT_EQ(total(p.units[u]), p.cycles);
    for (const LayerProfile& l : p.layers) EXPECT_EQ(total(l.units[u]), l.cycles);
    EXPECT_EQ(total(p.rest.units[u]), p.rest.cycles);
  }
}

TEST(Profile, AWaitIsSplitWhereTheLayerEnds) {
  const Profile p = profile(small_run(), options());
  const Reason wait{Activity::Pop, 1};
  EXPECT_EQ(p.layers[0].units[unit(Unit::Gemm)].at(wait), 79u);
  EXPECT_EQ(p.layers[1].units[unit(Unit::Gemm)].at(wait), 1u);
  EXPECT_EQ(p.layers[1].own_busy[unit(Unit::Gemm)], 100u);
  EXPECT_EQ(to_string(wait), "pop load");
  EXPECT_EQ(to_string(Reason{Activity::Push, 6}), "push gemm,vector");
}

TEST(Profile, TrafficGoesToItsWindowAndItsLayer) {
  const Profile p = profile(small_run(), options());
  EXPECT_EQ(p.windows[0].read_bytes, 64u);
  EXPECT_EQ(p.windows[3].read_bytes, 16u);  // its last beat reaches past the window
  EXPECT_EQ(p.windows[3].write_bytes, 32u);
  EXPECT_EQ(p.layers[0].traffic.read_bytes, 16u);
  EXPECT_EQ(p.layers[1].traffic.write_bytes, 32u);
  EXPECT_EQ(p.rest.traffic.read_bytes, 64u);  // fetch's
}

TEST(Profile, BinsHoldEveryBusyCycleAndByte) {
  const Profile p = profile(small_run(), options());
  EXPECT_EQ(p.bin_cycles, 19u);
  ASSERT_EQ(p.bins.size(), 10u);
  Cycle busy = 0;
  std::uint64_t bytes = 0;
  for (const Bin& bin : p.bins) {
    EXPECT_LE(bin.busy[unit(Unit::Gemm)], p.bin_cycles);
    busy += bin.busy[unit(Unit::Gemm)];
    bytes += bin.traffic.read_bytes + bin.traffic.write_bytes;
  }
  EXPECT_EQ(busy, 100u);
  EXPECT_EQ(bytes, 112u);
}

TEST(Profile, RunsAreToldApartByTheirStart) {
  std::vector<Event> events = small_run();
  events.push_back(made(EventType::Start, Unit::Fetch, 1000, 1000));
  events.push_back(made(EventType::Done, Unit::Fetch, 1010, 1010));
  const auto runs = runs_of(events);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(profile(runs[0], options()).cycles, 190u);
  EXPECT_EQ(profile(runs[1], options()).cycles, 10u);
  EXPECT_TRUE(runs_of({}).empty());
}

TEST(Profile, FaultyEventsAreNamed) {
  const auto error_of = [](const Event& extra) -> std::string {
    std::vector<Event> events = small_run();
    events.push_back(extra);
    try {
      profile(events, options());
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(error_of(span(Unit::Gemm, Activity::Busy, 192, 194, 1)),
              testing::HasSubstr("span busy of unit gemm is [192, 194), but the unit's cycles up to 193"));
  EXPECT_THAT(error_of(burst(Unit::Load, 50, 0x9000, 8, false, 0)), testing::HasSubstr("is in no window"));
}

}  // namespace
}  // namespace vdla::trace
