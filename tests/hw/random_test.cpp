// SPDX-License-Identifier: Apache-2.0
// Random programs: after each, the memory behind every window equals that of the functional engine.
#include "tests/hw/compare.h"

namespace vdla::sim {
namespace {

/// The machine of `tiny` with the hardware's own assertions on.
const std::filesystem::path kAsserting = std::filesystem::path(VDLA_BINARY_DIR) / "lib/vdla/rtl-assert";

TEST(RtlRandom, TinyEqualsFunctionalAndKeepsItsAssertions) {
  compare_random_programs(isa::load_variant("tiny"), kAsserting, 60);
}

TEST(RtlRandom, PaperEqualsFunctional) { compare_random_programs(isa::load_variant("paper"), {}, 20); }

TEST(RtlRandom, LongInstructionsEqualFunctional) {
  isa::RandomOptions options;
  options.region = 1024;
  options.max_steps = 4000;
  options.max_pieces = 1500;
  options.window_bytes = 60 << 10;
  options.insns = 60;
  compare_random_programs(isa::load_variant("paper"), {}, 6, options);
}

TEST(RtlRandom, FaultyProgramsStopAtTheSameInstruction) {
  const isa::Variant variant = isa::load_variant("tiny");
  auto rtl = make_rtl_engine(variant, kMemoryBytes, kAsserting);
  for (unsigned seed = 1; seed <= 60; ++seed) {
    isa::RandomOptions options;
    options.seed = seed;
    const isa::FaultyProgram faulty = isa::random_faulty_program(variant.geometry, options);
    prepare(*rtl, faulty.random);
    ASSERT_EQ(rtl->run(10'000'000), Stop::Interrupt) << "seed " << seed;
    EXPECT_EQ(rtl->read_register(at(isa::Register::ERROR_CODE)), static_cast<unsigned>(faulty.code))
        << seed << ": " << faulty.what;
    EXPECT_EQ(rtl->read_register(at(isa::Register::ERROR_INSN)), faulty.insn) << seed << ": " << faulty.what;
  }
}

}  // namespace
}  // namespace vdla::sim
