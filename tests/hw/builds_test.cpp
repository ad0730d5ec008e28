// SPDX-License-Identifier: Apache-2.0
// The builds of the Verilated machine: what each offers beside time and results, which are the same in all.
#include <gtest/gtest.h>

#include <fstream>

#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "sim/rtl/engine.h"
#include "sim/rtl/library.h"
#include "sim/rtl/waves.h"
#include "sim/trace/recorder.h"
#include "support/error.h"
#include "support/temporary.h"
#include "tests/sim/built_rtl.h"
#include "tests/sim/program.h"
#include "tests/sim/wave_cycles.h"

namespace vdla::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBuildsMemory = 16 << 20;

/// A machine as small as they come; its libraries are built once and kept.
isa::Variant small_variant() {
  isa::Variant variant = isa::load_variant("tiny");
  variant.geometry.block_in = variant.geometry.block_out = 4;
  variant.geometry.queue_depth = variant.geometry.token_depth = 2;
  return variant;
}

RtlOptions small_build(RtlBuild build) {
  RtlBuildOptions options;
  options.source = VDLA_SOURCE_DIR;
  options.out_dir = fs::path(VDLA_BINARY_DIR) / "tests/rtl-geometries";
  options.build = build;
  ensure_rtl(small_variant(), options);
  return {.build = build, .directory = options.out_dir};
}

/// Cycles of a program of loads.
std::uint64_t run_loads(Engine& engine) {
  Bench bench(engine);
  std::vector<isa::Insn> stream(5, load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 8));
  stream.push_back(isa::FinishInsn{});
  EXPECT_EQ(bench.run(stream), Stop::Interrupt);
  return bench.reg(isa::Register::CYCLES_LO);
}

template <class F>
void expect_refusal(F make, const char* culprit) {
  try {
    make();
    FAIL() << "no error";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find(culprit), std::string::npos) << e.what();
  }
}

TEST(RtlBuilds, NamesAreThoseOfTheList) {
  EXPECT_EQ(find_rtl_build("check"), RtlBuild::Check);
  EXPECT_EQ(find_rtl_build("debug"), std::nullopt);
  isa::Variant tiny = isa::load_variant("tiny");
  EXPECT_TRUE(rtl_library_name(tiny, RtlBuild::Trace).ends_with("_trace.so"));
  // A machine with other bursts is another machine.
  const std::string axi4 = rtl_library_name(tiny, RtlBuild::Trace);
  tiny.timing.dram_burst_bytes = 128;
  EXPECT_TRUE(rtl_library_name(tiny, RtlBuild::Trace).ends_with("_burst128_trace.so"));
  EXPECT_NE(rtl_library_name(tiny, RtlBuild::Trace), axi4);
}

TEST(RtlBuilds, OthersThanTraceAndCoverageRefuseFiles) {
  const isa::Variant tiny = isa::load_variant("tiny");
  const auto make = [&](const RtlOptions& options) { make_rtl_engine(tiny, kBuildsMemory, options); };
  RtlOptions waves = built_rtl(), coverage = built_rtl();
  waves.waves = RtlWaves{"waves.fst"};
  coverage.coverage_file = "coverage.dat";
  expect_refusal([&] { make(waves); }, "build trace");
  expect_refusal([&] { make(coverage); }, "build coverage");
  // None of this comes with the kit.
  const isa::Variant paper = isa::load_variant("paper");
  expect_refusal([&] { make_rtl_engine(paper, kBuildsMemory, built_rtl(RtlBuild::Trace)); }, "--build trace");
}

TEST(RtlBuildsLong, TraceWritesItsWindowAndTakesTheSameCycles) {
  const Temporary folder(testing::TempDir(), Temporary::Kind::Folder, "waves");
  const fs::path& dir = folder.path();
  std::uint64_t cycles = 0;
  trace::Recorder recorder;
  {
    RtlOptions options = small_build(RtlBuild::Trace);
    cycles = run_loads(*make_rtl_engine(small_variant(), kBuildsMemory, options));
    options.waves = RtlWaves{dir / "whole.fst"};
    EXPECT_EQ(run_loads(*make_rtl_engine(small_variant(), kBuildsMemory, options)), cycles);
    options.waves = RtlWaves{dir / "window.fst", 100, 120};
    EXPECT_EQ(run_loads(*make_rtl_engine(small_variant(), kBuildsMemory, options)), cycles);
    options.waves = RtlWaves{.file = dir / "insns.fst", .insns = InsnRange{0, 1, 3}};
    const auto engine = make_rtl_engine(small_variant(), kBuildsMemory, options);
    engine->set_trace(&recorder);
    EXPECT_EQ(run_loads(*engine), cycles);
    engine->set_trace(nullptr);
    options.waves = RtlWaves{dir / "no/such/folder.fst"};
    EXPECT_THROW(make_rtl_engine(small_variant(), kBuildsMemory, options), UserError);
  }
  EXPECT_EQ(run_loads(*make_rtl_engine(small_variant(), kBuildsMemory, small_build(RtlBuild::Check))),
            cycles);
  EXPECT_GT(fs::file_size(dir / "window.fst"), 0u);
  EXPECT_LT(fs::file_size(dir / "window.fst"), fs::file_size(dir / "whole.fst"));
  EXPECT_EQ(wave_cycles(dir / "window.fst"), std::pair(100ul, 119ul));
  EXPECT_EQ(wave_cycles(dir / "whole.fst").first, 0u);
  // From the dispatch of instruction 1 to the retire of instruction 2.
  std::uint64_t dispatch = 0, retire = 0;
  for (const trace::Event& e : recorder.events()) {
    if (e.type == trace::EventType::Dispatch && e.insn == 1) dispatch = e.begin;
    if (e.type == trace::EventType::Retire && e.insn == 2) retire = e.begin;
  }
  EXPECT_GT(dispatch, 0u);
  EXPECT_GT(retire, dispatch);
  EXPECT_EQ(wave_cycles(dir / "insns.fst"), std::pair(dispatch, retire));
  EXPECT_THROW(wave_cycles(__FILE__), UserError);
}

}  // namespace
}  // namespace vdla::sim
