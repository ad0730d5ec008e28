// SPDX-License-Identifier: Apache-2.0
// vdla_axi, as boards have it: it does what every engine does, takes the cycles that SystemC says with the
// bursts of AXI4 and of AXI3, and survives a reset in the middle of its traffic.
#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "sim/cycle/engine.h"
#include "sim/lockstep/lockstep.h"
#include "sim/rtl/engine.h"
#include "sim/rtl/library.h"
#include "sim/trace/recorder.h"
#include "tests/sim/engine_cases.h"
#include "tests/sim/lockstep/random_job.h"

namespace vdla::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kAxiMemory = 16 << 20;

isa::Variant axi3(isa::Variant variant) {
  variant.timing.dram_burst_bytes = 128;
  return variant;
}

/// Built once and kept.
std::unique_ptr<RtlEngine> wrapped(const isa::Variant& variant, Memory memory = kAxiMemory) {
  const RtlBuildOptions options{.out_dir = fs::path(VDLA_BINARY_DIR) / "tests/rtl-geometries",
                                .source = VDLA_SOURCE_DIR,
                                .build = RtlBuild::Axi};
  ensure_rtl(variant, options);
  return make_rtl_engine(variant, std::move(memory), {.build = RtlBuild::Axi, .directory = options.out_dir});
}

INSTANTIATE_TEST_SUITE_P(Axi, EngineCases, testing::Values([](const isa::Variant& v, Memory memory) {
                           return wrapped(axi3(v), std::move(memory));
                         }),
                         [](const auto&) { return "engine"; });

/// What a program takes, from the start to its end.
std::uint64_t cycles_on(Engine& engine, const Job& job) {
  start_job(engine, job, place_windows(engine, job));
  EXPECT_EQ(engine.run(10'000'000), Stop::Interrupt);
  return engine.read_register(at(isa::Register::CYCLES_LO));
}

void equals_systemc(const isa::Variant& tiny) {
  const auto systemc = make_cycle_engine(tiny, kAxiMemory);
  const auto rtl = wrapped(tiny);
  for (unsigned seed = 1; seed <= 60; ++seed) {
    isa::RandomOptions options{.seed = seed};
    if (seed > 50) options.insns = 200, options.max_steps = 600;
    const Job job = random_job(tiny.geometry, options, seed % 5);
    const auto result = run_lockstep(*systemc, *rtl, job, {.compare_cycles = true});
    EXPECT_EQ(result.difference, "") << "seed " << seed;
  }
}

TEST(Axi, SystemCEqualsAxi4InEveryCycleAndCounter) { equals_systemc(isa::load_variant("tiny")); }
TEST(Axi, SystemCEqualsAxi3InEveryCycleAndCounter) { equals_systemc(axi3(isa::load_variant("tiny"))); }

/// Or a comparison would show nothing.
TEST(Axi, ShorterBurstsTakeOtherCycles) {
  const isa::Variant tiny = isa::load_variant("tiny");
  const auto axi4_engine = make_cycle_engine(tiny, kAxiMemory);
  const auto axi3_engine = make_cycle_engine(axi3(tiny), kAxiMemory);
  unsigned slower = 0;
  for (unsigned seed = 51; seed <= 60; ++seed) {
    const Job job = random_job(tiny.geometry, {.seed = seed, .insns = 200, .max_steps = 600});
    slower += cycles_on(*axi3_engine, job) > cycles_on(*axi4_engine, job) ? 1 : 0;
  }
  EXPECT_GT(slower, 0u);
}

/// Of a page of 4 KiB; others than the wrapper see the same.
TEST(Axi, BehindTheRegistersNothingIsReadAndNothingIsWritten) {
  const auto rtl = wrapped(axi3(isa::load_variant("tiny")));
  Bench bench(*rtl);
  const std::uint32_t offset = at(isa::Register::STALL_LIMIT);
  rtl->write_register(offset, 77);
  for (std::uint32_t page = isa::kRegisterSpace; page < 4096; page += isa::kRegisterSpace) {
    EXPECT_EQ(rtl->read_register(page + offset), 0u) << page;
    rtl->write_register(page + offset, 99);
    EXPECT_EQ(rtl->read_register(offset), 77u) << page;
  }
}

TEST(Axi, AResetInTheMiddleOfTrafficLeavesNothingBehind) {
  const isa::Variant tiny = axi3(isa::load_variant("tiny"));
  const auto systemc = make_cycle_engine(tiny, kAxiMemory);
  const auto rtl = wrapped(tiny);
  unsigned interrupted = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Job first = random_job(tiny.geometry, seed);
    start_job(*rtl, first, place_windows(*rtl, first));
    interrupted += rtl->run(100 + 23 * seed) == Stop::CycleLimit ? 1 : 0;
    rtl->hard_reset();
    EXPECT_EQ(rtl->read_register(at(isa::Register::STATUS)), isa::kStatusIdle);
    EXPECT_EQ(rtl->read_register(at(isa::Register::CYCLES_LO)), 0u);
    const Job second = random_job(tiny.geometry, 1000 + seed);
    EXPECT_EQ(run_lockstep(*systemc, *rtl, second, {.compare_cycles = true}).difference, "")
        << "seed " << seed;
  }
  EXPECT_GT(interrupted, 20u);
}

/// Answers of a memory that refuses end the run, say where, and leave a machine that runs.
TEST(Axi, AnswersWithErrorsAreNamed) {
  constexpr std::uint64_t kNowhere = 0x5555'5555'0000;
  const auto rtl = wrapped(axi3(isa::load_variant("tiny")));
  Bench bench(*rtl);
  const auto run = [&](const isa::Insn& move, isa::ErrorCode code) {
    bench.set_window(static_cast<unsigned>(isa::Window::Act), kNowhere, Bench::kWindowBytes);
    EXPECT_EQ(bench.run({move, isa::FinishInsn{}}), Stop::Interrupt);
    EXPECT_EQ(bench.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(code));
    EXPECT_EQ(bench.reg(isa::Register::ERROR_ADDR_LO), static_cast<std::uint32_t>(kNowhere));
    bench.set_window(static_cast<unsigned>(isa::Window::Act), Bench::window_base(isa::Window::Act),
                     Bench::kWindowBytes);
    EXPECT_EQ(bench.run({move, isa::FinishInsn{}}), Stop::Interrupt);
    EXPECT_EQ(bench.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusDone);
  };
  run(load_insn(isa::Buffer::Inp, isa::Window::Act, 0, 0, 128), isa::ErrorCode::BusRead);
  run(store_insn(isa::Window::Act, 0, 0, 16), isa::ErrorCode::BusWrite);
}

/// Bursts of 16 beats are asked for, and none longer.
TEST(Axi, BurstsAreThoseOfAxi3) {
  const auto rtl = wrapped(axi3(isa::load_variant("tiny")));
  Bench bench(*rtl);
  trace::Recorder recorder;
  rtl->set_trace(&recorder);
  // 512 bytes: borders of 256 bytes and of 128 are in it.
  std::vector<isa::Insn> stream{load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 4, 128),
                                isa::FinishInsn{}};
  EXPECT_EQ(bench.run(stream), Stop::Interrupt);
  rtl->set_trace(nullptr);
  std::uint64_t longest = 0;
  for (const trace::Event& e : recorder.events())
    if (e.type == trace::EventType::Burst) longest = std::max(longest, e.bytes);
  EXPECT_EQ(longest, 128u);
}

}  // namespace
}  // namespace vdla::sim
