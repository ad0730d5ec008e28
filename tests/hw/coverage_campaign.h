// SPDX-License-Identifier: Apache-2.0
// Runs directed, random and faulty programs on an engine and on the functional one, compares the memory
// behind the windows, and collects the cover points that they hit.
#pragma once

#include <gtest/gtest.h>

#include "isa/coverage/breakers.h"
#include "isa/coverage/directed.h"
#include "isa/random/random.h"
#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "sim/functional/engine.h"
#include "sim/trace/coverage.h"
#include "sim/trace/recorder.h"
#include "tests/sim/program.h"

namespace vdla::sim {

inline constexpr std::uint64_t kCampaignMemory = 32 << 20;

class CoverageCampaign {
 public:
  CoverageCampaign(Engine& engine, const isa::Variant& variant)
      : engine_(engine),
        functional_(make_functional_engine(variant, kCampaignMemory)),
        bench_(engine),
        program_cover_(variant.geometry) {}

  const isa::ProgramCoverage& program_cover() const { return program_cover_; }
  const trace::RunCoverage& run_cover() const { return run_cover_; }

  void directed() {
    for (const isa::DirectedProgram& d : isa::directed_programs(program_cover_)) {
      SCOPED_TRACE(d.name);
      ASSERT_NO_FATAL_FAILURE(run(d.program, d.contents, d.origins));
    }
  }

  void random(unsigned seeds) {
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      isa::RandomOptions options;
      options.seed = seed;
      const isa::RandomProgram r = isa::random_program(engine_.variant().geometry, options);
      ASSERT_NO_FATAL_FAILURE(run(r.program, r.contents, {}));
    }
  }

  /// Each rule broken by an instruction word, each error of each unit: on the hardware, which has the
  /// watchdog.
  void errors() {
    const auto breakers = isa::rule_breakers(engine_.variant().geometry);
    for (std::size_t r = 0; r < breakers.size(); ++r) {
      if (!breakers[r]) continue;
      SCOPED_TRACE(isa::rules()[r].name);
      std::vector<std::byte> words(isa::kInsnBytes);
      isa::words_to_bytes(*breakers[r], std::span(words).first<isa::kInsnBytes>());
      engine_.write_memory(Bench::window_base(isa::Window::Insn), words);
      bench_.start_words(1);
      expect_error(isa::ErrorCode::IllegalInsn, isa::Unit::Fetch, r + 1);
    }
    for (unsigned w = 0; w < isa::kWindowCount; ++w)
      bench_.set_window(w, Bench::window_base(w), Bench::kWindowBytes);
    sram_bounds();
    windows();
    bus();
    fetch();
  }

 private:
  void run(const isa::Program& program, const std::array<std::vector<std::byte>, isa::kWindowCount>& contents,
           const std::array<std::uint64_t, isa::kWindowCount>& origins) {
    program_cover_.note(program);
    trace::Recorder recorder;
    for (Engine* engine : {&engine_, functional_.get()}) {
      Bench bench(*engine);
      for (unsigned w = 0; w < isa::kWindowCount; ++w) {
        // data begin at odd places, so that bytes must be moved within the beats of the bus
        const std::uint64_t place = Bench::window_base(w) + (w > 1 ? 3 * w : 0);
        std::vector<std::byte> zero(128 << 10);
        engine->write_memory(Bench::window_base(w), zero);
        const auto window = static_cast<isa::Window>(w);
        engine->write_memory(place, window == isa::Window::Insn    ? isa::insn_image(program)
                                    : window == isa::Window::Uop   ? isa::uop_image(program)
                                    : window == isa::Window::Const ? program.constants
                                                                   : contents[w]);
        bench.set_window(w, place - origins[w], program.window_size(window));
      }
      if (engine == &engine_) engine->set_trace(&recorder);
      bench.start_words(static_cast<std::uint32_t>(program.insns.size()));
      const Stop stop = engine->run(20'000'000);
      engine->set_trace(nullptr);
      ASSERT_EQ(stop, Stop::Interrupt) << engine->name() << ": " << describe(engine->unit_states());
      ASSERT_EQ(bench.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusDone)
          << engine->name() << ": error " << bench.reg(isa::Register::ERROR_CODE) << " of unit "
          << bench.reg(isa::Register::ERROR_UNIT) << " at instruction "
          << bench.reg(isa::Register::ERROR_INSN);
    }
    run_cover_.note(program, recorder.events());
    for (unsigned w = 0; w < isa::kWindowCount; ++w) {
      std::vector<std::byte> seen(128 << 10), expected(128 << 10);
      engine_.read_memory(Bench::window_base(w), seen);
      functional_->read_memory(Bench::window_base(w), expected);
      const auto differs = std::ranges::mismatch(seen, expected).in1;
      ASSERT_EQ(differs - seen.begin(), static_cast<std::ptrdiff_t>(seen.size()))
          << "window " << isa::kWindows[w].text << ", first byte that differs";
    }
  }

  /// The device stops with this error; then it is reset.
  void expect_error(isa::ErrorCode code, isa::Unit unit, std::uint64_t address) {
    ASSERT_EQ(engine_.run(1'000'000), Stop::Interrupt) << describe(engine_.unit_states());
    const auto seen_code = static_cast<isa::ErrorCode>(bench_.reg(isa::Register::ERROR_CODE));
    const auto seen_unit = static_cast<isa::Unit>(bench_.reg(isa::Register::ERROR_UNIT));
    const std::uint64_t seen_address = bench_.reg(isa::Register::ERROR_ADDR_LO) |
                                       std::uint64_t{bench_.reg(isa::Register::ERROR_ADDR_HI)} << 32;
    EXPECT_EQ(isa::to_string(seen_code), isa::to_string(code));
    EXPECT_EQ(isa::to_string(seen_unit), isa::to_string(unit));
    if (code != isa::ErrorCode::Stall && code != isa::ErrorCode::NoFinish) {
      EXPECT_EQ(seen_address, address);
    }
    program_cover_.note_error(seen_code, seen_unit, seen_address);
    engine_.write_register(at(isa::Register::IRQ_STATUS), ~0u);
    engine_.write_register(at(isa::Register::CONTROL), isa::kControlSoftReset | isa::kControlIrqEnable);
    engine_.run(10'000);
    ASSERT_EQ(bench_.reg(isa::Register::STATUS), isa::kStatusIdle);
  }
  void start(const isa::Insn& insn) { bench_.start({insn, isa::FinishInsn{}}); }

  void sram_bounds() {
    const isa::Geometry& g = engine_.variant().geometry;
    for (const isa::Buffer b :
         {isa::Buffer::Inp, isa::Buffer::Wgt, isa::Buffer::Out, isa::Buffer::Par, isa::Buffer::Uop}) {
      if (g.depth(b) == isa::kMaxDepth) continue;
      start(load_insn(b, isa::Window::Act, g.depth(b) - 1, 0, 2));
      expect_error(isa::ErrorCode::SramBounds, isa::Unit::Load, g.depth(b));
    }
    start(store_insn(isa::Window::Act, g.out_depth - 1, 0, 2));
    expect_error(isa::ErrorCode::SramBounds, isa::Unit::Store, g.out_depth);
    for (unsigned operand = 0; operand < 3; ++operand) {
      isa::GemmInsn gemm;
      gemm.levels[4].count = 2;
      const unsigned depth = operand == 0 ? g.acc_depth : operand == 1 ? g.inp_depth : g.wgt_depth;
      (operand == 0   ? gemm.levels[4].acc_stride
       : operand == 1 ? gemm.levels[4].inp_stride
                      : gemm.levels[4].wgt_stride) = static_cast<std::uint16_t>(depth);
      bench_.put(isa::Window::Uop, 0, std::vector<std::uint64_t>{0});
      bench_.start({load_insn(isa::Buffer::Uop, isa::Window::Uop, 0, 0, 1, 0, kToGemm),
                    with_pop(gemm, kToLoad), isa::FinishInsn{}});
      expect_error(isa::ErrorCode::SramBounds, isa::Unit::Gemm, depth);
      isa::VectorInsn vector;
      vector.b_kind = isa::VectorB::Par;
      vector.levels[4].count = 2;
      (operand == 0   ? vector.levels[4].dst_stride
       : operand == 1 ? vector.levels[4].a_stride
                      : vector.levels[4].b_stride) =
          static_cast<std::uint16_t>(operand == 2 ? g.par_depth : g.acc_depth);
      start(vector);
      expect_error(isa::ErrorCode::SramBounds, isa::Unit::Vector, operand == 2 ? g.par_depth : g.acc_depth);
    }
  }
  static isa::GemmInsn with_pop(isa::GemmInsn gemm, unsigned pop) {
    gemm.pop = static_cast<std::uint8_t>(pop);
    return gemm;
  }

  void windows() {
    const std::uint64_t end = Bench::kWindowBytes;
    start(load_insn(isa::Buffer::Inp, isa::Window::Act, 0, end, 1));
    expect_error(isa::ErrorCode::Window, isa::Unit::Load, end);
    start(store_insn(isa::Window::Act, 0, end, 1));
    expect_error(isa::ErrorCode::Window, isa::Unit::Store, end);
    const auto insns = static_cast<unsigned>(isa::Window::Insn);
    bench_.set_window(insns, Bench::window_base(insns), isa::kInsnBytes);
    bench_.start({load_insn(isa::Buffer::Inp, isa::Window::Act, 0, 0, 1), isa::FinishInsn{}});
    expect_error(isa::ErrorCode::Window, isa::Unit::Fetch, isa::kInsnBytes);
    bench_.set_window(insns, Bench::window_base(insns), end);
  }

  void bus() {
    // every address bit takes both values
    for (const std::uint64_t nowhere : {std::uint64_t{0x4000'0000}, std::uint64_t{0x5555'5555'5555'5550},
                                        std::uint64_t{0xaaaa'aaaa'aaaa'aaa8}}) {
      const std::uint64_t aligned = nowhere / isa::kInsnBytes * isa::kInsnBytes;
      bench_.set_window(static_cast<unsigned>(isa::Window::Act), nowhere, Bench::kWindowBytes);
      bench_.set_window(static_cast<unsigned>(isa::Window::Insn), aligned, Bench::kWindowBytes);
      bench_.start_words(2);
      expect_error(isa::ErrorCode::BusRead, isa::Unit::Fetch, aligned);
      for (const std::uint64_t off : {8u, 20u, 35u}) {
        bench_.set_window(static_cast<unsigned>(isa::Window::Insn), aligned + off, Bench::kWindowBytes);
        bench_.start_words(2);
        expect_error(isa::ErrorCode::Misaligned, isa::Unit::Fetch, aligned + off);
      }
      bench_.set_window(0, Bench::window_base(0u), Bench::kWindowBytes);
      start(load_insn(isa::Buffer::Inp, isa::Window::Act, 0, 0, 1));
      expect_error(isa::ErrorCode::BusRead, isa::Unit::Load, nowhere);
      start(store_insn(isa::Window::Act, 0, 0, 1));
      expect_error(isa::ErrorCode::BusWrite, isa::Unit::Store, nowhere);
    }
    bench_.set_window(static_cast<unsigned>(isa::Window::Act), Bench::window_base(isa::Window::Act),
                      Bench::kWindowBytes);
  }

  void fetch() {
    bench_.start({load_insn(isa::Buffer::Inp, isa::Window::Act, 0, 0, 1)});
    expect_error(isa::ErrorCode::NoFinish, isa::Unit::Fetch, 0);
    engine_.write_register(at(isa::Register::STALL_LIMIT), 500);
    start(load_insn(isa::Buffer::Inp, isa::Window::Act, 0, 0, 1, kToGemm));
    expect_error(isa::ErrorCode::Stall, isa::Unit::Fetch, 0);
    engine_.write_register(at(isa::Register::STALL_LIMIT), 0);
  }

  Engine& engine_;
  std::unique_ptr<Engine> functional_;
  Bench bench_;
  isa::ProgramCoverage program_cover_;
  trace::RunCoverage run_cover_;
};

/// "gemm.count0=65535" and so on: what none of the tables may list; also points that were hit against the
/// rules.
inline std::vector<std::string> holes(std::span<const isa::CoverTable> tables) {
  std::vector<std::string> all;
  for (const isa::CoverTable& table : tables) {
    const isa::CoverSummary summary = summarize(table);
    all.insert(all.end(), summary.uncovered.begin(), summary.uncovered.end());
    for (const std::string& point : summary.unexpected) all.push_back("unexpected " + point);
  }
  return all;
}

}  // namespace vdla::sim
