// SPDX-License-Identifier: Apache-2.0
// Lock step of the SystemC engine and the RTL: the same retires in the same cycles, on random programs.
#include <gtest/gtest.h>

#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "sim/cycle/engine.h"
#include "sim/functional/engine.h"
#include "sim/lockstep/lockstep.h"
#include "sim/rtl/engine.h"
#include "sim/trace/event.h"
#include "tests/sim/built_rtl.h"
#include "tests/sim/lockstep/random_job.h"
#include "tests/sim/program.h"

namespace vdla::sim {
namespace {

constexpr std::uint64_t kMemoryBytes = 16 << 20;
const RtlOptions kChecking = built_rtl(RtlBuild::Check);

class LockstepRtlRuns : public testing::TestWithParam<RandomRuns> {};

/// Retires, and what the counters say at the end: cycles, bytes, busy cycles, waits for tokens.
TEST_P(LockstepRtlRuns, SystemCEqualsRtlInEveryCycleAndCounter) {
  const RandomRuns& runs = GetParam();
  const auto systemc = make_cycle_engine(runs.variant, kMemoryBytes);
  const auto rtl = make_rtl_engine(runs.variant, kMemoryBytes, kChecking);
  std::uint64_t stalls = 0;
  for (unsigned seed = runs.first; seed < runs.first + runs.seeds; ++seed) {
    const auto result = run_lockstep(*systemc, *rtl, runs.job(seed), {.compare_cycles = true});
    EXPECT_EQ(result.difference, "") << "seed " << seed;
    stalls += rtl->read_register(static_cast<std::uint32_t>(isa::Register::GEMM_TOKEN_STALL));
  }
  EXPECT_GT(stalls, 0u) << "no program waits for a token: nothing is compared";
}

INSTANTIATE_TEST_SUITE_P(Random, LockstepRtlRuns, testing::ValuesIn(random_runs()),
                         [](const auto& info) { return info.param.name; });

/// The last token comes in the cycle in which the unit's last instruction in flight retires: the unit was
/// never alone with its wait.
TEST(LockstepRtl, AWaitThatEndsWithTheLastRetireIsNoStall) {
  const isa::Variant variant = isa::load_variant("paper");
  const auto systemc = make_cycle_engine(variant, kMemoryBytes);
  const auto rtl = make_rtl_engine(variant, kMemoryBytes, kChecking);
  constexpr std::uint64_t kSeed = 13;
  EXPECT_EQ(
      run_lockstep(*systemc, *rtl, random_job(variant.geometry, kSeed), {.compare_cycles = true}).difference,
      "");
}

/// A reset in the middle of one random program, then another.
void interrupted_programs_leave_nothing_behind(const std::string& name) {
  const isa::Variant variant = isa::load_variant(name);
  const auto functional = make_functional_engine(variant, kMemoryBytes);
  const auto systemc = make_cycle_engine(variant, kMemoryBytes);
  const auto rtl = make_rtl_engine(variant, kMemoryBytes, kChecking);
  Engine* const engines[] = {functional.get(), systemc.get(), rtl.get()};
  for (unsigned seed = 1; seed <= 60; ++seed) {
    for (unsigned part : {0u, 1u}) {
      const Job job = random_job(variant.geometry, {.seed = 1000 * part + seed}, seed % 8);
      if (part == 0) {
        for (Engine* engine : engines) {
          start_job(*engine, job, place_windows(*engine, job));
          engine->run(engine == functional.get() ? seed % 40 : 500 + 97 * seed);
        }
      } else {
        EXPECT_EQ(run_lockstep(engines, job).difference, "") << "seed " << seed;
      }
    }
  }
}

TEST(LockstepRtl, InterruptedProgramsLeaveNothingBehindOnTiny) {
  interrupted_programs_leave_nothing_behind("tiny");
}
TEST(LockstepRtl, InterruptedProgramsLeaveNothingBehindOnPaper) {
  interrupted_programs_leave_nothing_behind("paper");
}

/// Of a store that the memory refuses no digest can be made: there are no bytes.
TEST(LockstepRtl, DigestsLeaveOutWhatMemoryRefuses) {
  class Digests final : public trace::Sink {
    trace::Detail detail() const override { return trace::Detail::Writes; }
    void event(const trace::Event&) override {}
  } sink;
  const auto rtl = make_rtl_engine(isa::load_variant("tiny"), kMemoryBytes, kChecking);
  Bench bench(*rtl);
  rtl->set_trace(&sink);
  bench.set_window(static_cast<unsigned>(isa::Window::Act), 0x5555'5555'0000, Bench::kWindowBytes);
  EXPECT_EQ(bench.run({store_insn(isa::Window::Act, 0, 0, 16), isa::FinishInsn{}}), Stop::Interrupt);
  EXPECT_EQ(bench.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::BusWrite));
  rtl->set_trace(nullptr);
}

}  // namespace
}  // namespace vdla::sim
