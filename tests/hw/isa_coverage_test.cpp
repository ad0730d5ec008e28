// SPDX-License-Identifier: Apache-2.0
// All cover points of the instruction set and of a run: 100 % over the directed programs, a bounded random
// campaign and the errors, on the hardware description (tiny) and on the SystemC engine (paper).
#include <gmock/gmock.h>

#include "sim/cycle/engine.h"
#include "sim/rtl/engine.h"
#include "sim/rtl/library.h"
#include "tests/hw/coverage_campaign.h"
#include "tests/sim/built_rtl.h"

namespace vdla::sim {
namespace {

/// Programs on one engine, errors on the other, which has the watchdog.
void cover_everything(Engine& timed, Engine& hardware, const isa::Variant& variant, unsigned seeds) {
  CoverageCampaign programs(timed, variant), errors(hardware, variant);
  ASSERT_NO_FATAL_FAILURE(programs.directed());
  ASSERT_NO_FATAL_FAILURE(programs.random(seeds));
  ASSERT_NO_FATAL_FAILURE(errors.errors());
  isa::ProgramCoverage cover = programs.program_cover();
  isa::add_hits(cover.tables(), errors.program_cover().tables());
  EXPECT_THAT(holes(cover.tables()), testing::IsEmpty());
  EXPECT_THAT(holes(programs.run_cover().tables()), testing::IsEmpty());
}

TEST(IsaCoverage, EveryPointOfTinyOnTheHardware) {
  const isa::Variant variant = isa::load_variant("tiny");
  const auto rtl = make_rtl_engine(variant, kCampaignMemory, built_rtl(RtlBuild::Check));
  cover_everything(*rtl, *rtl, variant, 40);
}

TEST(IsaCoverage, EveryPointOfPaperOnSystemC) {
  const isa::Variant variant = isa::load_variant("paper");
  cover_everything(*make_cycle_engine(variant, kCampaignMemory),
                   *make_rtl_engine(variant, kCampaignMemory, built_rtl()), variant, 20);
}

}  // namespace
}  // namespace vdla::sim
