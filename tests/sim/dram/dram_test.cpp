// SPDX-License-Identifier: Apache-2.0
// The DRAM model against closed forms, and its two faces (event-wise, cycle by cycle) against each other.
#include "sim/dram/dram.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "isa/timing/rules.h"
#include "support/error.h"

namespace vdla::dram {
namespace {

Config paper() { return make_config(isa::Timing{}, 8); }

TEST(Dram, FirstDataComesLatencyAfterTheAddress) {
  Dram dram(paper());
  const Burst b = dram.read(100, 32);
  EXPECT_EQ(b.first(), 148u);
  EXPECT_EQ(b.last(), 148u + 31);
  EXPECT_EQ(b.beat(5), 153u);
}

TEST(Dram, FullBurstsKeepTheBusBusyAtEightInFlight) {
  Dram dram(paper());
  Cycle now = 0;
  Cycle last = 0;
  constexpr unsigned kBursts = 100;
  for (unsigned i = 0; i < kBursts; ++i) {
    now = dram.read_accepted(now);
    last = dram.read(now, 32).last();
  }
  // 8 x 32 beats in flight cover the latency: only the first 48 cycles are lost.
  EXPECT_EQ(last, 48u + kBursts * 32 - 1);
}

TEST(Dram, ShortBurstsAreBoundByRequestsInFlight) {
  Dram dram(paper());
  Cycle now = 0, last = 0;
  constexpr unsigned kBursts = 80;
  for (unsigned i = 0; i < kBursts; ++i) {
    now = dram.read_accepted(now);
    last = dram.read(now, 1).last();
    if (i < 7) ++now;
  }
  // Little's law: eight one-beat reads per 48 + 1 cycles.
  EXPECT_EQ(last, 48u + 49 * (kBursts / 8 - 1) + 7);
}

TEST(Dram, RefusesTheNinthReadUntilTheFirstHasEnded) {
  Dram dram(paper());
  Cycle first_last = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const Burst b = dram.read(i, 32);
    if (i == 0) first_last = b.last();
  }
  EXPECT_EQ(dram.read_accepted(8), first_last + 1);
  EXPECT_THROW(dram.read(first_last, 32), InternalError);
  EXPECT_NO_THROW(dram.read(first_last + 1, 32));
}

TEST(Dram, WriteTakesTheGapBeforeReadDataAndContinuesBehindIt) {
  Dram dram(paper());
  dram.read(0, 32);                    // bus 48..79
  const Burst w = dram.write(30, 32);  // 31..47 and 80..94
  EXPECT_EQ(w.first(), 31u);
  EXPECT_EQ(w.beat(16), 47u);
  EXPECT_EQ(w.beat(17), 80u);
  EXPECT_EQ(w.last(), 94u);
  EXPECT_EQ(dram.response(w), 94u + paper().write_response);
}

TEST(Dram, ReadsAndWritesShareTheBandwidth) {
  Dram dram(paper());
  Cycle now = 0, last = 0;
  for (unsigned i = 0; i < 64; ++i) {
    now = dram.read_accepted(now);
    last = std::max(last, dram.read(now, 32).last());
    last = std::max(last, dram.write(now, 32).last());
  }
  EXPECT_GE(last + 1, 64u * 64);
  EXPECT_LE(last + 1, 64u * 64 + 48);
}

TEST(Dram, HalfWidthTakesTwoCyclesPerBeat) {
  isa::Timing timing;
  timing.dram_bytes_per_cycle = 4;
  Dram dram(make_config(timing, 8));
  const Burst b = dram.read(0, 4);
  EXPECT_EQ(b.first(), 49u);
  EXPECT_EQ(b.last(), 55u);
}

TEST(Dram, RefusesMoreBytesPerCycleThanTheBusCarries) {
  isa::Timing timing;
  timing.dram_bytes_per_cycle = 16;
  try {
    make_config(timing, 8);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("dram_bytes_per_cycle is 16, the data bus carries 8"));
  }
}

TEST(Dram, BeatsCountUnalignedEnds) {
  EXPECT_EQ(beats_of(0, 8, 8), 1u);
  EXPECT_EQ(beats_of(4, 8, 8), 2u);
  EXPECT_EQ(beats_of(7, 1, 8), 1u);
  EXPECT_EQ(beats_of(8, 256, 8), 32u);
}

// Micro-benchmarks: bandwidth, latency, requests in flight and burst length, each against the closed form, on
// both faces of the model.
TEST(Dram, ReadsInARowTakeTheCyclesOfTheClosedForm) {
  unsigned by_bus = 0, by_requests = 0;
  for (const unsigned latency : {1u, 7u, 48u, 200u})
    for (const unsigned outstanding : {1u, 2u, 8u, 16u})
      for (const unsigned bytes_per_cycle : {1u, 2u, 4u, 8u})
        for (const unsigned beats : {1u, 2u, 5u, 32u})
          for (const unsigned bursts : {1u, 2u, 16u, 37u}) {
            isa::Timing timing;
            timing.dram_latency = latency;
            timing.dram_outstanding = outstanding;
            timing.dram_bytes_per_cycle = bytes_per_cycle;
            const Cycle data = beats * (8 / bytes_per_cycle);
            const Cycle expected = isa::read_cycles(timing, bursts, data);
            ++(expected == latency + bursts * data ? by_bus : by_requests);

            Dram dram(make_config(timing, 8));
            Cycle now = 0, last = 0;
            for (unsigned i = 0; i < bursts; ++i) {
              now = dram.read_accepted(now);
              last = dram.read(now, beats).last();
              ++now;
            }
            EXPECT_EQ(last + 1, expected);

            CyclePort port(make_config(timing, 8));
            unsigned asked = 0;
            for (now = 0; asked < bursts || !port.idle(); ++now) {
              const bool ready = port.read_ready(now);
              if (const auto beat = port.read_data(now)) port.take_read_data(now);
              if (asked < bursts && ready) port.read_address(now, asked++, beats);
            }
            EXPECT_EQ(now, expected);
          }
  EXPECT_GT(by_bus, 100u);
  EXPECT_GT(by_requests, 100u);
}

TEST(Dram, WritesInARowTakeABeatAfterTheOther) {
  for (const unsigned bytes_per_cycle : {1u, 2u, 4u, 8u})
    for (const unsigned beats : {1u, 32u}) {
      isa::Timing timing;
      timing.dram_bytes_per_cycle = bytes_per_cycle;
      Dram dram(make_config(timing, 8));
      const Cycle data = beats * (8 / bytes_per_cycle);
      Burst last = dram.write(10, beats);
      EXPECT_EQ(last.last(), 10 + data);
      for (unsigned i = 1; i < 20; ++i) last = dram.write(10 + i, beats);
      EXPECT_EQ(last.last(), std::max<Cycle>(10 + 20 * data, 10 + 19 + data));
      EXPECT_EQ(dram.response(last), last.last() + 4);
    }
}

// Whatever the traffic: no cycle carries two beats, none is moved before its earliest time, reads stay in
// order.
TEST(Dram, PropertyReservationsAreDisjointAndInOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    isa::Timing timing;
    timing.dram_latency = 1 + random() % 60;
    timing.dram_outstanding = 1 + random() % 8;
    Dram dram(make_config(timing, 8));
    std::set<Cycle> used;
    Cycle now = 0, last_read = 0;
    for (int i = 0; i < 300; ++i) {
      now += random() % 20;
      const unsigned beats = 1 + random() % 32;
      const bool write = random() % 3 == 0;
      if (!write) now = dram.read_accepted(now);
      const Burst b = write ? dram.write(now, beats) : dram.read(now, beats);
      EXPECT_GE(b.first(), write ? now + 1 : now + timing.dram_latency);
      if (!write) {
        EXPECT_GE(b.first(), last_read);
        last_read = b.last();
      }
      for (unsigned k = 0; k < beats; ++k) EXPECT_TRUE(used.insert(b.beat(k)).second);
    }
  }
}

// A master that always takes and offers data sees the same cycles from both faces.
TEST(Dram, PropertyCyclePortEqualsEvents) {
  std::mt19937 random(2);
  Dram events(paper());
  CyclePort port(paper());
  std::deque<std::pair<std::uint32_t, Burst>> reads, writes;
  std::uint32_t tag = 0;
  for (Cycle now = 0; now < 20000; ++now) {
    const auto check = [&](auto& expected, std::optional<CyclePort::Beat> beat, auto take) {
      const auto due = [&] {
        if (expected.empty()) return false;
        const Burst& b = expected.front().second;
        for (unsigned k = 0; k < b.beats(); ++k)
          if (b.beat(k) == now) return true;
        return false;
      }();
      ASSERT_EQ(beat.has_value(), due) << "cycle " << now;
      if (!beat) return;
      EXPECT_EQ(beat->tag, expected.front().first);
      take();
      if (beat->last) expected.pop_front();
    };
    const bool can_read = port.read_ready(now);
    EXPECT_EQ(can_read, events.read_accepted(now) == now);
    check(reads, port.read_data(now), [&] { port.take_read_data(now); });
    check(writes, port.write_data(now), [&] { port.take_write_data(now); });
    if (port.write_response(now)) port.take_write_response();
    const unsigned beats = 1 + random() % 32;
    if (can_read && random() % 8 == 0) {
      port.read_address(now, tag, beats);
      reads.emplace_back(tag++, events.read(now, beats));
    }
    if (writes.size() < 2 && random() % 40 == 0) {
      port.write_address(now, tag, beats);
      writes.emplace_back(tag++, events.write(now, beats));
    }
  }
}

}  // namespace
}  // namespace vdla::dram
