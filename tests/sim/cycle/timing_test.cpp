// SPDX-License-Identifier: Apache-2.0
// The rules of docs/timing.md in closed form, on the whole engine: each claim is the exact cycle.
#include <gmock/gmock.h>

#include <map>
#include <numeric>

#include "isa/random/random.h"
#include "isa/variants/variants.h"
#include "sim/cycle/engine.h"
#include "sim/lockstep/job.h"
#include "sim/trace/recorder.h"
#include "sim/trace/statistics.h"
#include "support/error.h"
#include "tests/sim/program.h"

namespace vdla::sim {
namespace {

class CycleTiming : public testing::Test {
 protected:
  CycleTiming() : engine_(make_cycle_engine(isa::load_variant("paper"), 16 << 20)), bench_(*engine_) {
    engine_->set_trace(&recorder_);
    bench_.put(isa::Window::Uop, 0, std::vector<std::uint64_t>{0, 0, 0, 0});
  }

  void run(std::vector<isa::Insn> stream) {
    stream.push_back(isa::FinishInsn{});
    ASSERT_EQ(bench_.run(stream), Stop::Interrupt);
    for (const trace::Event& e : recorder_.events()) {
      if (e.type == trace::EventType::Insn) start_[e.insn] = e.begin;
      if (e.type == trace::EventType::Retire) retire_[e.insn] = e.begin;
      if (e.type == trace::EventType::Dispatch) dispatch_[e.insn] = e.begin;
      if (e.type == trace::EventType::Burst && e.unit == isa::Unit::Load) bursts_[e.insn].push_back(e);
    }
  }

  std::unique_ptr<Engine> engine_;
  Bench bench_;
  trace::Recorder recorder_;
  std::map<std::uint32_t, trace::Cycle> start_, retire_, dispatch_;
  std::map<std::uint32_t, std::vector<trace::Event>> bursts_;
};

isa::GemmInsn gemm(unsigned steps) {
  isa::GemmInsn i;
  i.init = true;
  i.levels[4] = {static_cast<std::uint16_t>(steps), 1, 1, 0};
  return i;
}

/// A load of padding alone.
isa::MemoryInsn pads(isa::Buffer buffer, unsigned count) {
  isa::MemoryInsn fill = load_insn(buffer, isa::Window::Input, 0, 0, 1);
  fill.x_count = 0;
  fill.x_pad_before = static_cast<std::uint16_t>(count);
  return fill;
}

isa::VectorInsn copy(unsigned steps) {
  isa::VectorInsn i;
  i.dst_buffer = isa::Buffer::Out;
  i.levels[4] = {static_cast<std::uint16_t>(steps), 1, 1, 0};
  return i;
}

TEST_F(CycleTiming, FetchNeedsTenCyclesForTheFirstAndNineForEachFurtherInstruction) {
  run({gemm(1), gemm(1), gemm(1)});
  // Asked at 1, on the bus at 2, first beat 48 later; eight beats, one cycle in the buffer, one to check.
  EXPECT_EQ(dispatch_.at(0), 2u + 48 + 7 + 1 + 2);
  EXPECT_EQ(dispatch_.at(1), dispatch_.at(0) + 9);
  EXPECT_EQ(dispatch_.at(2), dispatch_.at(1) + 9);
}

TEST_F(CycleTiming, GemmIsDoneFourCyclesAfterItsLastStepAndInstructionsFollowWithoutAGap) {
  run({gemm(100), gemm(50), gemm(7)});
  EXPECT_EQ(start_.at(0), dispatch_.at(0) + 1);
  EXPECT_EQ(retire_.at(0), start_.at(0) + 100 + 4);
  EXPECT_EQ(start_.at(1), start_.at(0) + 100);
  EXPECT_EQ(retire_.at(1), retire_.at(0) + 50);
  EXPECT_EQ(retire_.at(2), retire_.at(1) + 7);
}

TEST_F(CycleTiming, VectorIsDoneNineCyclesAfterItsLastStep) {
  run({copy(64)});
  EXPECT_EQ(retire_.at(0), start_.at(0) + 64 + 9);
}

TEST_F(CycleTiming, ScaleReadsItsParametersFirst) {
  isa::VectorInsn scale = copy(64);
  scale.op = isa::VectorOp::Scale;
  scale.b_kind = isa::VectorB::Par;
  run({scale});
  EXPECT_EQ(retire_.at(0), start_.at(0) + 64 + 9 + 4);
}

TEST_F(CycleTiming, ScaleReadsItsParametersWhereTheyChangeNotLater) {
  isa::VectorInsn scale = copy(64);
  scale.op = isa::VectorOp::Scale;
  scale.b_kind = isa::VectorB::Par;
  scale.levels[3] = {2, 0, 0, 3};
  run({scale, pads(isa::Buffer::Par, 100), pads(isa::Buffer::Out, 12)});
  // Load holds the port of out for twelve cycles while steps of the second block are in stage 9.
  const auto second = start_.at(0) + 6 + 64 + 12 + 8;
  ASSERT_GT(retire_.at(2), second + 12);
  ASSERT_LT(retire_.at(2), second + 64);
  EXPECT_EQ(retire_.at(0), start_.at(0) + 128 + 9 + 4 + 12 + 12);
}

TEST_F(CycleTiming, VectorInTheBankThatGemmReadsWaitsAndInTheOtherDoesNot) {
  const unsigned half = engine_->variant().geometry.acc_depth / isa::kAccBanks;
  isa::GemmInsn accumulating = gemm(512);
  accumulating.init = false;
  isa::VectorInsn other = copy(64);
  other.a_base = static_cast<std::uint16_t>(half);
  run({accumulating, other, copy(64)});
  EXPECT_EQ(retire_.at(1), start_.at(1) + 64 + 9);
  EXPECT_GT(retire_.at(2), retire_.at(0));
}

TEST_F(CycleTiming, OneBurstOfLoadTakesThreeCyclesToAskAndOneToPlace) {
  run({load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 16)});
  // Started at t: taken by the bus at t + 4, on the bus a cycle later, 48 to the first of 32 beats; placed in
  // the cycle after each beat.
  ASSERT_EQ(bursts_.at(0).size(), 1u);
  EXPECT_EQ(bursts_.at(0)[0].begin, start_.at(0) + 5);
  EXPECT_EQ(retire_.at(0), start_.at(0) + 5 + 48 + 31 + 1);
}

TEST_F(CycleTiming, ALongLoadKeepsTheBusBusy) {
  constexpr unsigned kPieces = 2000;
  run({load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, kPieces)});
  EXPECT_EQ(retire_.at(0), start_.at(0) + 5 + 48 + kPieces * 2);
}

TEST_F(CycleTiming, PaddingTakesACycleForEachPiece) {
  run({pads(isa::Buffer::Inp, 40)});
  EXPECT_EQ(retire_.at(0), start_.at(0) + 1 + 40);
}

TEST_F(CycleTiming, ATokenIsTakenInTheCycleAfterItWasGiven) {
  isa::GemmInsn waiting = gemm(4);
  waiting.pop = kToLoad;
  run({load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 16, 0, kToGemm), waiting});
  EXPECT_EQ(start_.at(1), retire_.at(0) + 1);
}

TEST_F(CycleTiming, CyclesEndWithFinish) {
  run({gemm(1000)});
  EXPECT_EQ(bench_.cycles(), retire_.at(0) + 2);
}

TEST(CycleTrace, WhatEachUnitDoesAddsUpToTheCyclesOfTheRun) {
  const isa::Variant variant = isa::load_variant("tiny");
  const auto engine = make_cycle_engine(variant, 16 << 20);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    isa::RandomOptions options;
    options.seed = seed;
    isa::RandomProgram random = isa::random_program(variant.geometry, options);
    const Job job{.program = std::move(random.program), .contents = std::move(random.contents)};
    trace::Recorder recorder;
    engine->set_trace(&recorder);
    start_job(*engine, job, place_windows(*engine, job));
    ASSERT_EQ(engine->run(10'000'000), Stop::Interrupt);
    engine->set_trace(nullptr);
    const trace::Statistics s = trace::summarize(recorder.events());
    EXPECT_EQ(s.end - s.begin, engine->read_register(at(isa::Register::CYCLES_LO)));
    for (const trace::UnitStatistics& unit : s.units)
      EXPECT_EQ(std::accumulate(unit.cycles.begin(), unit.cycles.end(), trace::Cycle{0}), s.end - s.begin);
    EXPECT_EQ(s[isa::Unit::Load].read_bytes + s[isa::Unit::Fetch].read_bytes,
              engine->read_register(at(isa::Register::READ_BYTES_LO)));
    EXPECT_EQ(s[isa::Unit::Store].write_bytes, engine->read_register(at(isa::Register::WRITE_BYTES_LO)));
  }
}

TEST(CycleTrace, ChangesNoCycle) {
  for (const char* name : {"tiny", "paper"}) {
    const isa::Variant variant = isa::load_variant(name);
    const auto engine = make_cycle_engine(variant, 16 << 20);
    for (unsigned seed = 1; seed <= 40; ++seed) {
      isa::RandomOptions options;
      options.seed = seed;
      isa::RandomProgram random = isa::random_program(variant.geometry, options);
      const Job job{.program = std::move(random.program), .contents = std::move(random.contents)};
      std::array<std::uint32_t, 2> cycles{};
      for (const bool traced : {false, true}) {
        trace::Recorder recorder;
        engine->set_trace(traced ? &recorder : nullptr);
        start_job(*engine, job, place_windows(*engine, job));
        ASSERT_EQ(engine->run(10'000'000), Stop::Interrupt);
        cycles[traced] = engine->read_register(at(isa::Register::CYCLES_LO));
        engine->set_trace(nullptr);
      }
      EXPECT_EQ(cycles[0], cycles[1]) << name << ", seed " << seed;
    }
  }
}

TEST(CycleOptionsTest, TimingOnlyTakesTheSameCyclesAndLeavesTheDataOut) {
  const isa::Variant variant = isa::load_variant("tiny");
  const auto whole = make_cycle_engine(variant, 16 << 20);
  const auto timing = make_cycle_engine(variant, 16 << 20, {.timing_only = true});
  unsigned differing = 0;
  for (unsigned seed = 1; seed <= 15; ++seed) {
    isa::RandomOptions options;
    options.seed = seed;
    isa::RandomProgram random = isa::random_program(variant.geometry, options);
    Job job;
    job.program = std::move(random.program);
    job.contents = std::move(random.contents);
    std::array<std::uint32_t, 2> cycles{};
    std::array<std::vector<std::byte>, 2> memory;
    for (Engine* engine : {whole.get(), timing.get()}) {
      const bool second = engine == timing.get();
      start_job(*engine, job, place_windows(*engine, job));
      ASSERT_EQ(engine->run(10'000'000), Stop::Interrupt);
      cycles[second] = engine->read_register(at(isa::Register::CYCLES_LO));
      memory[second].resize(1 << 20);
      engine->read_memory(engine->memory_base(), memory[second]);
    }
    EXPECT_EQ(cycles[0], cycles[1]) << "seed " << seed;
    differing += memory[0] != memory[1] ? 1 : 0;
  }
  EXPECT_GT(differing, 0u);
}

TEST(CycleOptionsTest, RefusesABurstLengthThatTheHardwareLacks) {
  isa::Variant variant = isa::load_variant("tiny");
  variant.timing.dram_burst_bytes = 128;
  EXPECT_THROW(make_cycle_engine(variant, 16 << 20), UserError);
}

}  // namespace
}  // namespace vdla::sim
