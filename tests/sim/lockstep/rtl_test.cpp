// SPDX-License-Identifier: Apache-2.0
// Lock step of the SystemC engine and the RTL: the same retires in the same cycles, on random programs.
#include <gtest/gtest.h>

#include "isa/random/random.h"
#include "isa/variants/variants.h"
#include "sim/cycle/engine.h"
#include "sim/lockstep/lockstep.h"
#include "sim/rtl/engine.h"

namespace vdla::sim {
namespace {

constexpr std::uint64_t kMemoryBytes = 16 << 20;

void systemc_equals_rtl(const std::string& variant_name, unsigned seeds) {
  const isa::Variant variant = isa::load_variant(variant_name);
  const auto systemc = make_cycle_engine(variant, kMemoryBytes);
  const auto rtl = make_rtl_engine(variant, kMemoryBytes);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    isa::RandomOptions options;
    options.seed = seed;
    isa::RandomProgram random = isa::random_program(variant.geometry, options);
    const Job job{std::move(random.program), std::move(random.contents), seed % 5};
    LockstepOptions lockstep;
    lockstep.compare_cycles = true;
    const auto result = run_lockstep(*systemc, *rtl, job, lockstep);
    EXPECT_EQ(result.difference, "") << "seed " << seed;
    EXPECT_EQ(result.cycles[0], result.cycles[1]) << "seed " << seed;
  }
}

TEST(LockstepRtl, TinySystemCEqualsRtlInEveryCycle) { systemc_equals_rtl("tiny", 40); }
TEST(LockstepRtl, PaperSystemCEqualsRtlInEveryCycle) { systemc_equals_rtl("paper", 20); }

}  // namespace
}  // namespace vdla::sim
