// SPDX-License-Identifier: Apache-2.0
// The rules of docs/timing.md in closed form, unit by unit: each claim is the exact cycle, counted from the
// first one of the run. Engines are run one cycle at a time, so what is done in cycle c was not in c - 1. One
// list of cases that the SystemC engine's test and the hardware's instantiate.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "isa/codec/codec.h"
#include "isa/spec/operations.h"
#include "isa/spec/registers.h"
#include "isa/timing/rules.h"
#include "isa/variants/variants.h"
#include "sim/trace/recorder.h"
#include "tests/sim/program.h"

namespace vdla::sim {

using EngineFactory = std::function<std::unique_ptr<Engine>(const isa::Variant&)>;

class UnitTiming : public testing::TestWithParam<EngineFactory> {
 protected:
  using Cycle = std::uint64_t;

  /// When what happened in a run.
  struct Times {
    std::map<std::uint32_t, Cycle> dispatch, start, retire;
    std::map<std::uint32_t, std::vector<trace::Event>> bursts;
    Cycle cycles = 0;
  };

  UnitTiming() { use(isa::load_variant("paper")); }

  void use(const isa::Variant& variant) {
    variant_ = variant;
    engine_ = GetParam()(variant_);
    bench_ = std::make_unique<Bench>(*engine_);
    bench_->put(isa::Window::Uop, 0, std::vector<std::uint64_t>(64, 0));
  }
  void use_memory(unsigned latency, unsigned outstanding, unsigned bytes_per_cycle) {
    isa::Variant variant = variant_;
    variant.timing.dram_latency = latency;
    variant.timing.dram_outstanding = outstanding;
    variant.timing.dram_bytes_per_cycle = bytes_per_cycle;
    use(variant);
  }
  const isa::Geometry& geometry() const { return variant_.geometry; }
  Cycle latency() const { return variant_.timing.dram_latency; }
  /// Cycles of a beat.
  Cycle beat() const { return isa::beat_cycles(variant_.timing); }
  /// Of the first instruction.
  Cycle first_start() const { return isa::first_dispatch(variant_.timing) + 1; }

  /// Runs a stream and FINISH cycle by cycle.
  Times run(std::vector<isa::Insn> stream);

  isa::Variant variant_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Bench> bench_;
};

inline UnitTiming::Times UnitTiming::run(std::vector<isa::Insn> stream) {
  stream.push_back(isa::FinishInsn{});
  trace::Recorder recorder;
  engine_->set_trace(&recorder);
  bench_->start(stream);
  Times times;
  std::size_t seen = 0;
  Cycle begin = 0;
  std::optional<Cycle> ahead;  // of the events' cycles against the steps
  constexpr Cycle kLimit = 100'000;
  for (Cycle step = 0;; ++step) {
    if (step == kLimit) {
      ADD_FAILURE() << "no end in " << kLimit << " cycles";
      break;
    }
    const Stop stop = engine_->run(1);
    for (; seen < recorder.events().size(); ++seen) {
      const trace::Event& e = recorder.events()[seen];
      if (e.type == trace::EventType::Start) begin = e.begin;
      if (e.type == trace::EventType::Dispatch) times.dispatch[e.insn] = e.begin - begin;
      if (e.type == trace::EventType::Insn) times.start[e.insn] = e.begin - begin;
      if (e.type == trace::EventType::Burst) {
        times.bursts[e.insn].push_back(e);
        times.bursts[e.insn].back().begin -= begin;
        times.bursts[e.insn].back().end -= begin;
      }
      if (e.type != trace::EventType::Retire) continue;
      times.retire[e.insn] = e.begin - begin;
      // Seen in its own cycle, not told of before or after.
      if (!ahead) ahead = e.begin - step;
      EXPECT_EQ(e.begin - step, *ahead) << "retire of instruction " << e.insn;
    }
    if (stop != Stop::CycleLimit) {
      EXPECT_EQ(stop, Stop::Interrupt);
      break;
    }
  }
  engine_->set_trace(nullptr);
  EXPECT_EQ(bench_->reg(isa::Register::ERROR_CODE), 0u);
  times.cycles = bench_->cycles();
  return times;
}

// --- instructions ---

inline isa::GemmInsn gemm_steps(unsigned steps, unsigned pop = 0, unsigned push = 0) {
  isa::GemmInsn i;
  i.init = true;
  i.levels[4] = {static_cast<std::uint16_t>(steps), 1, 1, 0};
  i.pop = static_cast<std::uint8_t>(pop);
  i.push = static_cast<std::uint8_t>(push);
  return i;
}

inline isa::VectorInsn vector_steps(unsigned steps, isa::Buffer a = isa::Buffer::Acc,
                                    isa::Buffer dst = isa::Buffer::Out) {
  isa::VectorInsn i;
  i.a_buffer = a;
  i.dst_buffer = dst;
  i.init = true;
  i.levels[4] = {static_cast<std::uint16_t>(steps), 1, 1, 0};
  return i;
}

inline isa::VectorInsn scale_steps(unsigned steps) {
  isa::VectorInsn i = vector_steps(steps);
  i.op = isa::VectorOp::Scale;
  i.b_kind = isa::VectorB::Par;
  return i;
}

/// A load of padding alone.
inline isa::MemoryInsn pads(isa::Buffer buffer, unsigned count, unsigned pop = 0, unsigned push = 0) {
  isa::MemoryInsn i = load_insn(buffer, isa::Window::Input, 0, 0, 1, pop, push);
  i.x_count = 0;
  i.x_pad_before = static_cast<std::uint16_t>(count);
  return i;
}

// --- fetch ---

TEST_P(UnitTiming, FetchDispatchesTheFirstInstructionWhenItsEighthBeatIsChecked) {
  for (const auto& [latency, bytes] : {std::pair{48u, 8u}, {1u, 8u}, {160u, 2u}, {20u, 4u}}) {
    use_memory(latency, 8, bytes);
    const Times t = run({gemm_steps(1)});
    // Asked at 1, on the bus at 2; the eighth beat is in the buffer a cycle after it came, used there, and
    // the instruction is dispatched two cycles later.
    EXPECT_EQ(t.dispatch.at(0), 2 + latency + 8 * beat() - 1 + 1 + 2);
    EXPECT_EQ(t.start.at(0), t.dispatch.at(0) + 1);
    EXPECT_EQ(t.start.at(0), first_start());
  }
}

TEST_P(UnitTiming, FetchTakesNineCyclesForEachInstructionOrEightBeats) {
  for (const unsigned bytes : {8u, 4u, 2u}) {
    use_memory(48, 8, bytes);
    const Times t = run({gemm_steps(1), gemm_steps(1), gemm_steps(1), gemm_steps(1)});
    for (unsigned i = 1; i < 4; ++i)
      EXPECT_EQ(t.dispatch.at(i), t.dispatch.at(i - 1) + std::max<Cycle>(isa::kNextDispatch, 8 * beat()));
  }
}

TEST_P(UnitTiming, FetchWaitsForRoomInAQueue) {
  // The first instruction works, the queue behind it is full; the next enters when the second has left it.
  const unsigned depth = geometry().queue(isa::Unit::Gemm);
  std::vector<isa::Insn> stream{gemm_steps(1000)};
  for (unsigned i = 0; i < depth + 2; ++i) stream.push_back(gemm_steps(20));
  const Times t = run(stream);
  ASSERT_LT(t.dispatch.at(depth), t.start.at(1));
  EXPECT_EQ(t.start.at(1), t.start.at(0) + 1000);
  EXPECT_EQ(t.dispatch.at(depth + 1), t.start.at(1) + 1);
  EXPECT_EQ(t.dispatch.at(depth + 2), t.start.at(2) + 1);
}

TEST_P(UnitTiming, CyclesEndTwoAfterTheLastRetire) {
  for (const unsigned steps : {1u, 2u, 1000u}) {
    const Times t = run({gemm_steps(steps)});
    // FINISH is fetched behind it; it waits for the retire, or comes later.
    EXPECT_EQ(t.cycles, std::max(t.retire.at(0) + 1, t.dispatch.at(0) + isa::kNextDispatch) + 1);
  }
}

// --- tokens, what is in flight ---

TEST_P(UnitTiming, ATokenIsTakenInTheCycleAfterItWasGiven) {
  const Times t = run({pads(isa::Buffer::Inp, 40, 0, kToGemm), gemm_steps(4, kToLoad, kToVector),
                       [] {
                         isa::VectorInsn i = vector_steps(8);
                         i.pop = kToGemm;
                         i.push = kToStore;
                         return i;
                       }(),
                       store_insn(isa::Window::Output, 0, 0, 1, kToVector)});
  EXPECT_EQ(t.start.at(1), t.retire.at(0) + isa::kTokenCycles);
  EXPECT_EQ(t.start.at(2), t.retire.at(1) + isa::kTokenCycles);
  EXPECT_EQ(t.start.at(3), t.retire.at(2) + isa::kTokenCycles);
}

TEST_P(UnitTiming, AFullChannelHoldsARetireUntilTheCycleAfterATokenWasTaken) {
  const unsigned depth = geometry().token_depth;
  std::vector<isa::Insn> stream{gemm_steps(1000), gemm_steps(8, kToLoad)};
  for (unsigned i = 0; i < depth + 1; ++i) stream.push_back(pads(isa::Buffer::Inp, 1, 0, kToGemm));
  for (unsigned i = 0; i < depth; ++i) stream.push_back(gemm_steps(8, kToLoad));
  const Times t = run(stream);
  // The second gemm instruction takes its token as soon as it is at the head of the queue; the channel is
  // full again with the last of the loads, and so nothing waits.
  for (unsigned i = 0; i <= depth; ++i) EXPECT_EQ(t.retire.at(2 + i), t.start.at(2 + i) + 2);
  EXPECT_EQ(t.start.at(1), t.start.at(0) + 1000);

  std::vector<isa::Insn> full{gemm_steps(1000)};
  for (unsigned i = 0; i < depth + 1; ++i) full.push_back(pads(isa::Buffer::Inp, 1, 0, kToGemm));
  for (unsigned i = 0; i < depth + 1; ++i) full.push_back(gemm_steps(8, kToLoad));
  const unsigned last_load = depth + 1, first_waiting = depth + 2;
  // This time all instructions of gemm come behind the loads: the head of its queue takes a token early.
  const Times u = run(full);
  EXPECT_EQ(u.retire.at(last_load - 1), u.start.at(last_load - 1) + 2);
  EXPECT_EQ(u.retire.at(last_load), u.dispatch.at(first_waiting) + 1 + 1);
}

TEST_P(UnitTiming, SixteenInstructionsOfAUnitMayBeInFlight) {
  // Nobody takes gemm's tokens to store before the vector unit is done: depth of them fill the channel, the
  // next sixteen are done and stay in flight, one more cannot start.
  const unsigned depth = geometry().token_depth, inflight = 16;
  isa::VectorInsn late = vector_steps(400);
  late.levels[3] = {2, 0, 0, 0};
  late.push = kToStore;
  std::vector<isa::Insn> stream{late};
  for (unsigned i = 0; i < depth + inflight + 1; ++i) stream.push_back(gemm_steps(1, 0, kToStore));
  isa::MemoryInsn first = store_insn(isa::Window::Output, 0, 0, 1, kToVector | kToGemm);
  stream.push_back(first);
  for (unsigned i = 0; i < depth + inflight; ++i)
    stream.push_back(store_insn(isa::Window::Output, 0, 0, 1, kToGemm));
  const Times t = run(stream);
  const unsigned full = depth;  // the last that finds room: instructions 1 to depth
  EXPECT_EQ(t.retire.at(full), t.start.at(full) + 5);
  EXPECT_GT(t.retire.at(full + 1), t.start.at(full + 1) + 5);
  const unsigned over = depth + inflight + 1;  // finds the list full
  EXPECT_GT(t.start.at(over), t.dispatch.at(over) + 1);
  EXPECT_EQ(t.start.at(over), t.retire.at(full + 1) + 1);
}

// --- gemm ---

TEST_P(UnitTiming, GemmIsDoneFourCyclesAfterItsLastStepAndInstructionsFollowWithoutAGap) {
  for (const char* name : {"paper", "tiny"}) {
    use(isa::load_variant(name));
    const Times t = run({gemm_steps(50), gemm_steps(20), gemm_steps(7), gemm_steps(1)});
    EXPECT_EQ(t.start.at(0), first_start());
    EXPECT_EQ(t.retire.at(0), t.start.at(0) + 50 + isa::kGemmDrain);
    EXPECT_EQ(t.start.at(1), t.start.at(0) + 50);
    EXPECT_EQ(t.retire.at(1), t.retire.at(0) + 20);
    EXPECT_EQ(t.retire.at(2), t.retire.at(1) + 7);
    EXPECT_EQ(t.retire.at(3), t.start.at(3) + 1 + isa::kGemmDrain);
  }
}

TEST_P(UnitTiming, GemmTakesACycleForEachMicroOpOfEachIteration) {
  isa::GemmInsn i = gemm_steps(3);
  i.levels[1] = {5, 0, 0, 0};
  i.uop_count = 7;
  const Times t = run({load_insn(isa::Buffer::Uop, isa::Window::Uop, 0, 0, 7, 0, kToGemm), [&] {
                         i.pop = kToLoad;
                         return i;
                       }()});
  EXPECT_EQ(t.retire.at(1), t.start.at(1) + 3 * 5 * 7 + isa::kGemmDrain);
}

// --- vector ---

TEST_P(UnitTiming, EveryVectorOperationTakesACycleForEachStepAndNineToEnd) {
  std::map<unsigned, unsigned> operations;  // how often, by code
  for (const char* name : {"paper", "tiny"}) {
    use(isa::load_variant(name));
    for (const isa::Operation& op : isa::kOperations)
      for (const isa::VectorB b_kind : {isa::VectorB::None, isa::VectorB::Par})
        for (const isa::Buffer dst : {isa::Buffer::Out, isa::Buffer::Inp, isa::Buffer::Acc}) {
          if (op.keeps_b()) continue;  // the next test
          SCOPED_TRACE(testing::Message() << name << ", " << op.text << " to " << isa::to_string(dst));
          const auto legal = [&](isa::Buffer a) {
            isa::VectorInsn i = vector_steps(40, a, dst);
            i.op = op.op;
            i.b_kind = b_kind;
            i.a_base = static_cast<std::uint16_t>(geometry().acc_depth / isa::kAccBanks);
            return isa::find_broken_rule(isa::Insn(i), geometry()) == nullptr ? std::optional(i)
                                                                              : std::nullopt;
          };
          const auto i = legal(isa::Buffer::Acc) ? legal(isa::Buffer::Acc) : legal(isa::Buffer::Inp);
          if (!i) continue;  // avg has no operand b
          ++operations[static_cast<unsigned>(op.op)];
          const Times t = run({*i, *i});
          EXPECT_EQ(t.retire.at(0), t.start.at(0) + 40 + isa::kVectorDrain);
          EXPECT_EQ(t.start.at(1), t.start.at(0) + 40);
          EXPECT_EQ(t.retire.at(1), t.retire.at(0) + 40);
        }
  }
  EXPECT_EQ(operations.size(), std::ranges::count(isa::kOperations, false, &isa::Operation::keeps_b));
}

TEST_P(UnitTiming, ScaleReadsItsParametersInFourCyclesOnceTheStagesAreEmpty) {
  const Times t = run({scale_steps(30)});
  EXPECT_EQ(t.retire.at(0), t.start.at(0) + 30 + isa::kVectorDrain + isa::kScaleParameters);
  // When b changes, eight cycles more pass until the stages are empty.
  isa::VectorInsn blocks = scale_steps(30);
  blocks.levels[2] = {3, 0, 0, 3};
  EXPECT_EQ(run({blocks}).retire.at(0),
            t.start.at(0) + 90 + isa::kVectorDrain + isa::kScaleParameters + 2 * isa::kScaleChange);
  // The next instruction reads its own, the same or not.
  const Times two = run({scale_steps(30), scale_steps(20)});
  EXPECT_EQ(two.retire.at(1), two.retire.at(0) + 20 + isa::kScaleChange);
}

TEST_P(UnitTiming, ScaleReadsItsParametersWhereTheyChangeNotLater) {
  isa::VectorInsn scale = scale_steps(64);
  scale.levels[3] = {2, 0, 0, 3};
  const Times t = run({scale, pads(isa::Buffer::Par, 100), pads(isa::Buffer::Out, 12)});
  // Load holds the port of out for twelve cycles while steps of the second block are in stage 9.
  const Cycle second = t.start.at(0) + 6 + 64 + 12 + 8;
  ASSERT_GT(t.retire.at(2), second + 12);
  ASSERT_LT(t.retire.at(2), second + 64);
  EXPECT_EQ(t.retire.at(0), t.start.at(0) + 128 + 9 + 4 + 12 + 12);
}

TEST_P(UnitTiming, AStepThatReadsWhatTheOneBeforeWritesWaitsUntilThatIsThrough) {
  isa::VectorInsn chain = vector_steps(10, isa::Buffer::Acc, isa::Buffer::Acc);
  chain.levels[4] = {10, 1, 1, 0};
  chain.dst_base = 1;  // writes i + 1, reads i
  const Times t = run({chain});
  EXPECT_EQ(t.retire.at(0), t.start.at(0) + 9 * 9 + 1 + 9);
}

TEST_P(UnitTiming, VectorWaitsForTheBankThatGemmReadsAndNotForTheOther) {
  const unsigned half = geometry().acc_depth / isa::kAccBanks;
  isa::GemmInsn accumulating = gemm_steps(200);
  accumulating.init = false;
  isa::VectorInsn other = vector_steps(30);
  other.a_base = static_cast<std::uint16_t>(half);
  const Times free = run({accumulating, other});
  EXPECT_EQ(free.retire.at(1), free.start.at(1) + 30 + 9);
  const Times held = run({accumulating, vector_steps(30)});
  // Gemm's last read is in stage 3 of its last step; stage 1 moves in the cycle after.
  const Cycle last_read = held.start.at(0) + 200 + 3;
  EXPECT_EQ(held.retire.at(1), last_read + 1 + 29 + 8);
  // A gemm that only writes the bank keeps nobody from reading it.
  const Times writing = run({gemm_steps(200), vector_steps(30)});
  EXPECT_EQ(writing.retire.at(1), writing.start.at(1) + 30 + 9);
}

TEST_P(UnitTiming, VectorWaitsToWriteTheBankThatGemmWrites) {
  const Times t = run({gemm_steps(200), vector_steps(30, isa::Buffer::Inp, isa::Buffer::Acc)});
  // Gemm reads inp until its last step is in stage 2, which is what holds the vector unit here.
  EXPECT_EQ(t.retire.at(1), t.start.at(0) + 200 + 2 + 1 + 29 + 8);
  isa::VectorInsn from_out = vector_steps(30, isa::Buffer::Out, isa::Buffer::Acc);
  const Times w = run({gemm_steps(200), from_out});
  // The first step stands in stage 8 until gemm's last write (its stage 4), writes in the next cycle, and the
  // last of the thirty is in stage 9 thirty cycles later.
  EXPECT_EQ(w.retire.at(1), w.start.at(0) + 200 + 4 + 1 + 29 + 1);
}

TEST_P(UnitTiming, VectorWaitsWhileLoadWritesItsResultBuffer) {
  for (const isa::Buffer buffer : {isa::Buffer::Inp, isa::Buffer::Out}) {
    const Times t =
        run({vector_steps(100, isa::Buffer::Acc, buffer), pads(buffer, 25), pads(isa::Buffer::Wgt, 25)});
    EXPECT_EQ(t.retire.at(0), t.start.at(0) + 100 + 9 + 25);
    EXPECT_EQ(t.retire.at(1), t.start.at(1) + 1 + 25);
  }
}

// --- load ---

TEST_P(UnitTiming, OneBurstOfLoadIsOnTheBusAfterFiveCyclesAndPlacedBehindItsBeats) {
  for (const auto& [latency, bytes] : {std::pair{48u, 8u}, {1u, 8u}, {160u, 2u}, {20u, 4u}}) {
    use_memory(latency, 8, bytes);
    const unsigned pieces = 16, beats = 32;
    const Times t = run({gemm_steps(1), gemm_steps(1), gemm_steps(1),
                         load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, pieces)});
    ASSERT_EQ(t.bursts.at(3).back().begin, t.start.at(3) + isa::kLoadStart);
    EXPECT_EQ(t.retire.at(3), t.start.at(3) + isa::kLoadStart + latency + beats * beat() - 1 + 1);
  }
}

TEST_P(UnitTiming, ALongLoadTakesTheBusForItself) {
  constexpr unsigned kPieces = 500;
  for (const unsigned bytes : {8u, 4u}) {
    use_memory(48, 8, bytes);
    const Times t = run({load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, kPieces)});
    EXPECT_EQ(t.retire.at(0), t.start.at(0) + isa::kLoadStart + latency() + kPieces * 2 * beat());
  }
}

TEST_P(UnitTiming, ARunIsAskedForPartByPartAndFoundAheadOfItsData) {
  // Sixteen runs of a piece, each in a 256-byte block of its own, one asked for in each cycle as long as the
  // memory takes them: eight, and the next when the data of the first has come.
  isa::MemoryInsn i = load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1);
  i.x_count = 16;
  i.x_dram_stride = 256;
  const Times t = run({i});
  std::vector<Cycle> begins;
  for (const trace::Event& e : t.bursts.at(0))
    if (e.unit == isa::Unit::Load) begins.push_back(e.begin);
  std::vector<Cycle> expected;
  const Cycle first = t.start.at(0) + 5;
  for (unsigned k = 0; k < 8; ++k) expected.push_back(first + k);
  // Burst k has its two beats from first + latency + 2 k on.
  for (unsigned k = 0; k < 8; ++k) expected.push_back(first + latency() + 2 * k + 1 + 1);
  EXPECT_EQ(begins, expected);
  EXPECT_EQ(t.retire.at(0), expected.back() + latency() + 1 + 1);
}

TEST_P(UnitTiming, PaddingTakesACycleForEachPiece) {
  const Times t = run({pads(isa::Buffer::Inp, 40), pads(isa::Buffer::Wgt, 9)});
  EXPECT_EQ(t.retire.at(0), t.start.at(0) + 1 + 40);
  EXPECT_EQ(t.retire.at(1), std::max(t.start.at(1) + 1, t.retire.at(0)) + 9);
}

TEST_P(UnitTiming, LoadsFollowEachOtherOnTheBusWithoutAGap) {
  const Times t = run({gemm_steps(1), load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 64),
                       load_insn(isa::Buffer::Inp, isa::Window::Input, 64, 64 * 16, 64)});
  EXPECT_EQ(t.retire.at(2), t.retire.at(1) + 128);
}

// --- store ---

TEST_P(UnitTiming, AStoreIsDoneWithTheResponseToItsLastBurst) {
  for (const unsigned bytes : {8u, 4u, 2u}) {
    use_memory(48, 8, bytes);
    for (const unsigned pieces : {1u, 4u, 16u, 64u}) {
      const Times t =
          run({gemm_steps(300, 0, kToStore), store_insn(isa::Window::Output, 0, 0, pieces, kToGemm)});
      // Read at t + 2, cut and packed from t + 5 on, on the bus at t + 7; the data in the cycles behind, the
      // response four cycles after the last. Between bursts the packer takes none for a cycle, which a slower
      // bus does not see.
      const Cycle gaps = isa::write_gap(variant_.timing) * ((pieces - 1) / 16);
      EXPECT_EQ(t.retire.at(1), t.start.at(1) + isa::kStoreEnd + 2 * pieces * beat() + gaps)
          << pieces << " pieces";
    }
  }
}

TEST_P(UnitTiming, StoresFollowEachOtherWithACycleBetweenBursts) {
  const Times t =
      run({gemm_steps(300, 0, kToStore), store_insn(isa::Window::Output, 0, 0, 64, kToGemm),
           store_insn(isa::Window::Output, 0, 1024, 64), store_insn(isa::Window::Output, 0, 2048, 4)});
  EXPECT_EQ(t.retire.at(2), t.retire.at(1) + 4 * 33);
  EXPECT_EQ(t.retire.at(3), t.retire.at(2) + 9);
}

// --- the memory's port ---

TEST_P(UnitTiming, LoadsTakeWhatLatencyBandwidthAndRequestsInFlightAllow) {
  struct Memory {
    unsigned latency, outstanding, bytes_per_cycle;
  };
  for (const Memory& m : {Memory{48, 8, 8},
                          {48, 1, 8},
                          {48, 2, 8},
                          {1, 1, 8},
                          {1, 8, 8},
                          {160, 4, 8},
                          {160, 16, 8},
                          {20, 2, 2},
                          {100, 3, 4},
                          {64, 8, 1}})
    for (const unsigned pieces : {1u, 2u, 4u, 16u})  // of a burst
      for (const unsigned bursts : {1u, 3u, 16u, 21u}) {
        SCOPED_TRACE(testing::Message() << "latency " << m.latency << ", " << m.outstanding << " in flight, "
                                        << m.bytes_per_cycle << " bytes a cycle, " << bursts << " bursts of "
                                        << 16 * pieces << " bytes");
        use_memory(m.latency, m.outstanding, m.bytes_per_cycle);
        isa::MemoryInsn load = load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, pieces, kToGemm);
        load.x_count = static_cast<std::uint16_t>(bursts);
        load.x_dram_stride = 256;
        const Times t = run({gemm_steps(600, 0, kToLoad), load});
        EXPECT_EQ(t.retire.at(1), t.start.at(1) + isa::kLoadStart +
                                      isa::read_cycles(variant_.timing, bursts, 2 * pieces * beat()));
      }
}

TEST_P(UnitTiming, ALoadAndAStoreShareTheBus) {
  const Times t = run({gemm_steps(300, 0, kToLoad | kToStore),
                       load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 320, kToGemm),
                       store_insn(isa::Window::Output, 0, 0, 320, kToGemm)});
  // Both have 640 beats and start together; no cycle carries two, and none is empty but those between bursts
  // of the store.
  ASSERT_EQ(t.start.at(1), t.start.at(2));
  const Cycle first_beat = t.start.at(2) + 8;
  const Cycle end = std::max(t.retire.at(1), t.retire.at(2) - 4 + 1);  // a load places a cycle later
  EXPECT_GE(end, first_beat + 1280);
  EXPECT_LE(end, first_beat + 1280 + 19);
}

}  // namespace vdla::sim
