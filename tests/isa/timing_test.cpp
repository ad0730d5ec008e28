// SPDX-License-Identifier: Apache-2.0
// The closed forms against counting: every byte that the semantics moves is in exactly one burst; and the
// model of plans against the instructions that carry them out.
#include "isa/timing/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "isa/semantics/nest.h"
#include "isa/timing/rules.h"
#include "isa/timing/work.h"

namespace vdla::isa {
namespace {

MemoryInsn random_move(std::mt19937& random) {
  const auto pick = [&](unsigned low, unsigned high) { return low + random() % (high - low + 1); };
  MemoryInsn i;
  i.buffer = std::array{Buffer::Inp, Buffer::Wgt, Buffer::Out, Buffer::Par, Buffer::Uop}[pick(0, 4)];
  i.widen = i.buffer == Buffer::Par && pick(0, 1) == 1;
  i.run = static_cast<std::uint16_t>(pick(1, 4));
  i.x_count = static_cast<std::uint16_t>(pick(1, 4));
  i.y_count = static_cast<std::uint16_t>(pick(1, 3));
  i.z_count = static_cast<std::uint16_t>(pick(1, 2));
  i.dram_offset = pick(0, 5000);
  const unsigned run_bytes = i.run * piece_bytes_of(i, Geometry{});
  i.x_dram_stride = pick(0, 1) == 0 ? run_bytes : run_bytes + pick(0, 9);
  i.y_dram_stride = pick(0, 1) == 0 ? i.x_count * i.x_dram_stride : 5000;
  i.z_dram_stride = pick(0, 1) == 0 ? i.y_count * i.y_dram_stride : 20000;
  i.x_pad_before = static_cast<std::uint16_t>(pick(0, 2));
  i.y_pad_after = static_cast<std::uint16_t>(pick(0, 2));
  return i;
}

TEST(Timing, BurstsCoverExactlyTheBytesOfTheRuns) {
  std::mt19937 random(1);
  const Geometry g;
  for (int n = 0; n < 500; ++n) {
    const MemoryInsn insn = random_move(random);
    const std::uint64_t base = random() % 10000;
    std::vector<std::uint64_t> expected, covered;
    std::uint64_t pads = 0;
    for_each_run(insn, g, [&](const MemoryRun& run) {
      pads += run.pad ? insn.run : 0u;
      if (!run.pad)
        for (unsigned b = 0; b < insn.run * piece_bytes(insn, g); ++b)
          expected.push_back(base + run.offset + b);
      return true;
    });
    std::uint64_t bursts = 0, beats = 0;
    const Stretches s = stretches_of(insn, g);
    for_each_stretch(insn, s, [&](std::uint64_t offset, std::uint64_t joined) {
      for_each_burst(base + offset, joined, 256, [&](std::uint64_t address, unsigned bytes) {
        EXPECT_EQ(address / 256, (address + bytes - 1) / 256);
        ++bursts;
        beats += (address + bytes - 1) / 8 - address / 8 + 1;
        for (unsigned b = 0; b < bytes; ++b) covered.push_back(address + b);
      });
    });
    const std::uint64_t total = expected.size();
    std::ranges::sort(expected);
    std::ranges::sort(covered);
    ASSERT_EQ(covered, expected);
    const MoveWork work = move_work(insn, g, Timing{}, base);
    EXPECT_EQ(work, (MoveWork{total / piece_bytes(insn, g), pads, total, bursts, beats}));
  }
}

TEST(Timing, ContiguousPositionsAndRowsAreOneStretch) {
  MemoryInsn load;
  load.run = 2;
  load.x_count = 14;
  load.x_dram_stride = 32;
  load.y_count = 3;
  load.y_dram_stride = 448;
  EXPECT_EQ(stretches_of(load, Geometry{}).number(), 1u);
  EXPECT_EQ(stretches_of(load, Geometry{}).bytes, 1344u);
  load.y_dram_stride = 512;
  EXPECT_EQ(stretches_of(load, Geometry{}).number(), 3u);
  load.x_dram_stride = 64;
  EXPECT_EQ(stretches_of(load, Geometry{}).number(), 42u);
}

TEST(Timing, RowsThatTouchByChanceAreJoinedToo) {
  MemoryInsn load;  // two positions 32 bytes apart, the next row begins where the last position ended
  load.x_count = 2;
  load.x_dram_stride = 32;
  load.y_count = 2;
  load.y_dram_stride = 48;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches;
  for_each_stretch(load, stretches_of(load, Geometry{}),
                   [&](std::uint64_t at, std::uint64_t bytes) { stretches.emplace_back(at, bytes); });
  EXPECT_EQ(stretches, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 16}, {32, 32}, {80, 16}}));
  EXPECT_EQ(move_work(load, Geometry{}, Timing{}, 0).bursts, 3u);
}

TEST(Timing, PureFillAsksForNothing) {
  MemoryInsn load;
  load.x_count = 0;
  load.x_pad_before = 3;
  EXPECT_EQ(move_work(load, Geometry{}, Timing{}, 0), (MoveWork{0, 3, 0, 0, 0}));
}

TEST(Timing, StepsAndMacs) {
  GemmInsn gemm;
  gemm.levels[0].count = 3;
  gemm.levels[4].count = 5;
  gemm.uop_count = 7;
  EXPECT_EQ(steps_of(gemm), 105u);
  EXPECT_EQ(macs_of(gemm, Geometry{}), 105u * 256);
  VectorInsn vector;
  vector.levels[2].count = 9;
  EXPECT_EQ(steps_of(vector), 9u);
  EXPECT_EQ(steps_of(FinishInsn{}), 0u);
}

Work work_of(const Insn& insn, const Timing& t) {
  Work work;
  add_work(work, insn, Geometry{}, t);
  return work;
}

/// What is planned as runs of bytes costs what the instruction costs that moves them.
TEST(Timing, PlansCostWhatTheirInstructionsCost) {
  for (const Timing& t : {Timing{}, Timing{160, 2, 256, 4}}) {
    const MemoryCosts costs(t);
    for (const unsigned run : {1u, 3u, 16u, 40u}) {  // pieces of 16 bytes
      MemoryInsn move;
      move.run = static_cast<std::uint16_t>(run);
      move.x_count = 7;
      move.x_dram_stride = 4096;
      EXPECT_DOUBLE_EQ(work_of(move, t).memory, costs.move(7, 16 * run)) << run;
      move.x_dram_stride = 16 * run;  // one run
      EXPECT_DOUBLE_EQ(work_of(move, t).memory, costs.move(1, 7 * 16 * run)) << run;
    }
  }
  GemmInsn gemm;
  gemm.levels[4].count = 30;
  EXPECT_DOUBLE_EQ(work_of(gemm, Timing{}).gemm, gemm_cycles(30, 1));
  VectorInsn vector;
  vector.levels[4].count = 30;
  EXPECT_DOUBLE_EQ(work_of(vector, Timing{}).vector, vector_cycles(30, 1));
  EXPECT_DOUBLE_EQ(work_of(FinishInsn{}, Timing{}).total(), 0);
}

TEST(Timing, PaddingTakesTheSramsTime) {
  MemoryInsn fill;
  fill.x_count = 0;
  fill.x_pad_before = 500;
  EXPECT_DOUBLE_EQ(work_of(fill, Timing{}).memory, 500);
}

TEST(Timing, ARunWaitsForTheBusOrForARequestInFlight) {
  const MemoryCosts paper{Timing{}}, slow{Timing{160, 2, 256, 4}};
  const auto grows_by = [](const MemoryCosts& costs, std::int64_t bytes) {
    return costs.move(2, bytes) - costs.move(1, bytes);
  };
  EXPECT_DOUBLE_EQ(grows_by(paper, 256) - grows_by(paper, 128), 16);
  EXPECT_DOUBLE_EQ(grows_by(paper, 16), grows_by(paper, 32)) << "48 cycles for 8 requests";
  EXPECT_DOUBLE_EQ(grows_by(slow, 16), grows_by(slow, 256)) << "160 cycles for 2 requests";
  EXPECT_DOUBLE_EQ(slow.at_full_rate(256), 64);
}

/// For its first instruction, whose eight beats take two cycles each on a bus of half the width, and for its
/// first load.
TEST(Timing, ALayerWaitsForTheMemoryTwice) {
  EXPECT_DOUBLE_EQ(start_latency(Timing{160, 2, 256, 4}) - start_latency(Timing{}), 2 * (160 - 48) + 8);
}

TEST(Timing, UnitsOverlapUnlessTheyTakeTurns) {
  Work work;
  work.memory = 300;
  work.gemm = 1000;
  work.vector = 500;
  work.ends = 50;
  const double apart = work.total();
  EXPECT_GE(apart, 1050);
  EXPECT_LT(apart, 1100);
  work.in_turns = true;
  EXPECT_DOUBLE_EQ(work.total(), apart + 500);
  work.alone = 70;
  EXPECT_DOUBLE_EQ(work.total(), apart + 570);
  work.memory = 4000;
  EXPECT_GT(work.total(), 4050);
}

}  // namespace
}  // namespace vdla::isa
