// SPDX-License-Identifier: Apache-2.0
// Lock step of the SystemC engine and the RTL: the same retires in the same cycles, on random programs.
#include <gtest/gtest.h>

#include "isa/random/random.h"
#include "isa/variants/variants.h"
#include "sim/cycle/engine.h"
#include "sim/functional/engine.h"
#include "sim/lockstep/lockstep.h"
#include "sim/rtl/engine.h"
#include "sim/trace/event.h"
#include "tests/sim/program.h"

namespace vdla::sim {
namespace {

constexpr std::uint64_t kMemoryBytes = 16 << 20;
const RtlOptions kChecking{.build = RtlBuild::Check};

void systemc_equals_rtl(const isa::Variant& variant, unsigned first, unsigned seeds,
                        isa::RandomOptions options = {}) {
  const auto systemc = make_cycle_engine(variant, kMemoryBytes);
  const auto rtl = make_rtl_engine(variant, kMemoryBytes, kChecking);
  for (unsigned seed = first; seed < first + seeds; ++seed) {
    options.seed = seed;
    isa::RandomProgram random = isa::random_program(variant.geometry, options);
    Job job;
    job.program = std::move(random.program);
    job.contents = std::move(random.contents);
    job.skew = seed % 5;
    LockstepOptions lockstep;
    lockstep.compare_cycles = true;
    const auto result = run_lockstep(*systemc, *rtl, job, lockstep);
    EXPECT_EQ(result.difference, "") << "seed " << seed;
    EXPECT_EQ(result.cycles[0], result.cycles[1]) << "seed " << seed;
    using isa::Register;
    for (Register counter : {Register::READ_BYTES_LO, Register::WRITE_BYTES_LO, Register::LOAD_BUSY,
                             Register::GEMM_BUSY, Register::VECTOR_BUSY, Register::STORE_BUSY}) {
      const auto offset = static_cast<std::uint32_t>(counter);
      EXPECT_EQ(systemc->read_register(offset), rtl->read_register(offset))
          << "seed " << seed << ", counter at " << offset;
    }
  }
}

TEST(LockstepRtl, TinySystemCEqualsRtlInEveryCycle) { systemc_equals_rtl(isa::load_variant("tiny"), 1, 100); }
TEST(LockstepRtl, PaperSystemCEqualsRtlInEveryCycle) {
  systemc_equals_rtl(isa::load_variant("paper"), 1, 40);
}

TEST(LockstepRtl, OtherMemoryTimingsToo) {
  isa::Variant variant = isa::load_variant("tiny");
  variant.timing.dram_latency = 7;
  variant.timing.dram_outstanding = 2;
  systemc_equals_rtl(variant, 100, 15);
  variant.timing.dram_latency = 150;
  variant.timing.dram_bytes_per_cycle = 2;
  systemc_equals_rtl(variant, 200, 15);
}

TEST(LockstepRtl, LongProgramsToo) {
  isa::RandomOptions options;
  options.insns = 200;
  options.max_steps = 600;
  systemc_equals_rtl(isa::load_variant("tiny"), 300, 8, options);
  options.redundant_tokens = 0;
  systemc_equals_rtl(isa::load_variant("paper"), 400, 8, options);
}

/// A reset in the middle of one random program, then another.
void interrupted_programs_leave_nothing_behind(const std::string& name) {
  const isa::Variant variant = isa::load_variant(name);
  const auto functional = make_functional_engine(variant, kMemoryBytes);
  const auto systemc = make_cycle_engine(variant, kMemoryBytes);
  const auto rtl = make_rtl_engine(variant, kMemoryBytes, kChecking);
  Engine* const engines[] = {functional.get(), systemc.get(), rtl.get()};
  isa::RandomOptions options;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    for (unsigned part : {0u, 1u}) {
      options.seed = 1000 * part + seed;
      isa::RandomProgram random = isa::random_program(variant.geometry, options);
      Job job;
      job.program = std::move(random.program);
      job.contents = std::move(random.contents);
      job.skew = seed % 8;
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
