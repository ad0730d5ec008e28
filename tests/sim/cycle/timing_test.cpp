// SPDX-License-Identifier: Apache-2.0
// The rules of docs/timing.md on the SystemC engine, and what its trace and its options leave as it is.
#include <gmock/gmock.h>

#include <map>
#include <numeric>

#include "isa/spec/registers.h"
#include "sim/cycle/engine.h"
#include "sim/trace/recorder.h"
#include "support/error.h"
#include "tests/sim/lockstep/random_job.h"
#include "tests/sim/timing_cases.h"
#include "tests/sim/trace/statistics.h"

namespace vdla::sim {
namespace {

INSTANTIATE_TEST_SUITE_P(Systemc, UnitTiming, testing::Values([](const isa::Variant& v) {
                           return make_cycle_engine(v, 16 << 20);
                         }),
                         [](const auto&) { return "engine"; });

TEST(CycleTrace, WhatEachUnitDoesAddsUpToTheCyclesOfTheRun) {
  const isa::Variant variant = isa::load_variant("tiny");
  const auto engine = make_cycle_engine(variant, 16 << 20);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Job job = random_job(variant.geometry, {.seed = seed});
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
      const Job job = random_job(variant.geometry, {.seed = seed});
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
    const Job job = random_job(variant.geometry, {.seed = seed});
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
  variant.timing.dram_burst_bytes = 512;
  EXPECT_THROW(make_cycle_engine(variant, 16 << 20), UserError);
}

}  // namespace
}  // namespace vdla::sim
