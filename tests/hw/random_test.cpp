// SPDX-License-Identifier: Apache-2.0
// Random programs: after each, the memory behind every window equals that of the functional engine.
#include "tests/hw/compare.h"

namespace vdla::sim {
namespace {

TEST(RtlRandom, TinyEqualsFunctionalAndKeepsItsAssertions) {
  compare_random_programs(isa::load_variant("tiny"), kChecking, 60);
}

TEST(RtlRandom, PaperEqualsFunctional) { compare_random_programs(isa::load_variant("paper"), kChecking, 20); }

TEST(RtlRandom, LongInstructionsEqualFunctional) {
  isa::RandomOptions options;
  options.region = 1024;
  options.max_steps = 4000;
  options.max_pieces = 1500;
  options.window_bytes = 60 << 10;
  options.insns = 60;
  compare_random_programs(isa::load_variant("paper"), kChecking, 6, options);
}

}  // namespace
}  // namespace vdla::sim
