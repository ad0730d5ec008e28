// SPDX-License-Identifier: Apache-2.0
// Programs that hang, on all engines: a random program that loses a token ends in error stall, with the same
// units at the same instructions waiting for the same tokens everywhere, and in the same cycle on SystemC and
// RTL.
#include <gtest/gtest.h>

#include <random>

#include "isa/random/random.h"
#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "sim/cycle/engine.h"
#include "tests/hw/compare.h"
#include "tests/sim/built_rtl.h"

namespace vdla::sim {
namespace {

using isa::Register;

/// Takes a push away or adds a pop: every later pop of the channel gets a later token, the last one none.
/// False when the drawn instruction has nothing of the kind.
bool lose_a_token(isa::Program& program, std::mt19937& random) {
  isa::Insn& insn = program.insns[random() % (program.insns.size() - 1)];
  const unsigned unit = static_cast<unsigned>(isa::unit_of(insn));
  const bool push = random() % 2 == 0;
  const unsigned had = push ? isa::pushes_of(insn) : ~isa::pops_of(insn) & 0xfu & ~(1u << unit);
  const unsigned other = random() % isa::kQueueUnits;
  if ((had >> other & 1) == 0) return false;
  std::visit(
      [&]<class T>(T& i) {
        if constexpr (!std::is_same_v<T, isa::FinishInsn>) {
          if (push)
            i.push = static_cast<std::uint8_t>(i.push & ~(1u << other));
          else
            i.pop = static_cast<std::uint8_t>(i.pop | 1u << other);
        }
      },
      insn);
  return true;
}

/// What a post-mortem shows that does not depend on time.
std::vector<std::uint32_t> waits_of(Engine& engine) {
  std::vector<std::uint32_t> values;
  for (const Register r : {Register::STATUS, Register::IRQ_STATUS, Register::ERROR_CODE, Register::ERROR_UNIT,
                           Register::ERROR_INSN, Register::ERROR_ADDR_LO})
    values.push_back(engine.read_register(at(r)));
  for (unsigned u = 0; u <= isa::kQueueUnits; ++u) {
    const std::uint32_t state = engine.read_register(at(Register::LOAD_STATE) + u * isa::kUnitStride);
    values.push_back(state);
    values.push_back(state & 1u ? engine.read_register(at(Register::LOAD_INSN) + u * isa::kUnitStride) : 0);
  }
  return values;
}

/// Times and counters, of waits that have not ended as well.
std::vector<std::uint32_t> times_of(Engine& engine) {
  std::vector<std::uint32_t> values;
  for (const Register r : {Register::CYCLES_LO, Register::READ_BYTES_LO, Register::WRITE_BYTES_LO})
    values.push_back(engine.read_register(at(r)));
  for (unsigned u = 0; u <= isa::kQueueUnits; ++u)
    values.push_back(engine.read_register(at(Register::LOAD_SINCE) + u * isa::kUnitStride));
  for (unsigned u = 0; u < isa::kQueueUnits; ++u)
    for (const Register r : {Register::LOAD_BUSY, Register::LOAD_TOKEN_STALL})
      values.push_back(engine.read_register(at(r) + u * isa::kUnitStride));
  return values;
}

void compare_hangs(const isa::Variant& variant, unsigned first, unsigned count,
                   const RtlOptions& rtl_options) {
  const auto functional = make_functional_engine(variant, kMemoryBytes);
  const auto systemc = make_cycle_engine(variant, kMemoryBytes);
  const auto rtl = make_rtl_engine(variant, kMemoryBytes, rtl_options);
  for (unsigned seed = first; seed < first + count; ++seed) {
    isa::RandomOptions options;
    options.seed = seed;
    isa::RandomProgram random = isa::random_program(variant.geometry, options);
    std::mt19937 draw(seed);
    while (!lose_a_token(random.program, draw)) {
    }
    const std::uint32_t limit = 1 + seed * 7 % 300;
    for (Engine* engine : std::initializer_list<Engine*>{functional.get(), systemc.get(), rtl.get()}) {
      engine->write_register(at(Register::STALL_LIMIT), limit);
      prepare(*engine, random);
      ASSERT_EQ(engine->run(10'000'000), Stop::Interrupt) << engine->name() << ", seed " << seed;
    }
    ASSERT_EQ(rtl->read_register(at(Register::ERROR_CODE)), static_cast<unsigned>(isa::ErrorCode::Stall))
        << seed;
    EXPECT_EQ(waits_of(*functional), waits_of(*rtl)) << "seed " << seed;
    EXPECT_EQ(waits_of(*systemc), waits_of(*rtl)) << "seed " << seed;
    EXPECT_EQ(times_of(*systemc), times_of(*rtl)) << "seed " << seed;
  }
}

const RtlOptions kAsserting = built_rtl(RtlBuild::Check);

TEST(Hangs, AreTheSameOnEveryEngine) { compare_hangs(isa::load_variant("tiny"), 1, 60, kAsserting); }

/// Counters of waits that never end were left out on SystemC.
TEST(Hangs, AThousandCountTheSame) { compare_hangs(isa::load_variant("tiny"), 1000, 1000, built_rtl()); }

TEST(Hangs, AreTheSameWithAnyMemory) {
  isa::Variant variant = isa::load_variant("tiny");
  variant.timing.dram_latency = 1;
  compare_hangs(variant, 100, 20, kAsserting);
  variant.timing.dram_latency = 900;
  variant.timing.dram_outstanding = 1;
  variant.timing.dram_bytes_per_cycle = 2;
  compare_hangs(variant, 200, 20, kAsserting);
}

TEST(Hangs, AreTheSameOnPaper) { compare_hangs(isa::load_variant("paper"), 300, 20, built_rtl()); }

/// No program that ends is taken for one that hangs, with the smallest limit and slow memories.
TEST(Hangs, AreNotSeenWhereThereAreNone) {
  isa::Variant variant = isa::load_variant("tiny");
  for (const unsigned latency : {1u, 48u, 3000u}) {
    variant.timing.dram_latency = latency;
    variant.timing.dram_outstanding = latency > 1000 ? 1 : 8;
    const auto systemc = make_cycle_engine(variant, kMemoryBytes);
    const auto rtl = make_rtl_engine(variant, kMemoryBytes, kAsserting);
    for (unsigned seed = 1; seed <= (latency > 1000 ? 8u : 40u); ++seed) {
      isa::RandomOptions options;
      options.seed = seed;
      const isa::RandomProgram random = isa::random_program(variant.geometry, options);
      for (Engine* engine : std::initializer_list<Engine*>{systemc.get(), rtl.get()}) {
        engine->write_register(at(Register::STALL_LIMIT), 1);
        prepare(*engine, random);
        ASSERT_EQ(engine->run(100'000'000), Stop::Interrupt);
        ASSERT_EQ(engine->read_register(at(Register::STATUS)), isa::kStatusIdle | isa::kStatusDone)
            << engine->name() << ", latency " << latency << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace vdla::sim
