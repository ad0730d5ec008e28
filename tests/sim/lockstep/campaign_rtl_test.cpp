// SPDX-License-Identifier: Apache-2.0
// Bounded campaigns on all three engines, and every stored case.
#include <gtest/gtest.h>

#include <filesystem>

#include "isa/variants/variants.h"
#include "kit/campaign.h"
#include "sim/lockstep/stored_case.h"
#include "tools/data/files.h"

namespace vdla::sim {
namespace {

std::vector<CampaignEngine> all_engines(const isa::Variant& variant) {
  std::vector<CampaignEngine> made;
  for (const char* name : {"functional", "systemc", "rtl"})
    made.push_back(kit::make_campaign_engine(name, variant));
  return made;
}

void expect_no_difference(const std::string& variant, std::uint64_t first, std::uint64_t count, bool errors) {
  CampaignOptions options;
  options.errors = errors;
  Campaign campaign(isa::load_variant(variant), all_engines, options);
  const CampaignResult result = run_campaign(campaign, first, count, options);
  EXPECT_EQ(result.programs, count);
  EXPECT_FALSE(result.failure) << "seed " << result.failure->seed << ": " << result.failure->difference;
}

TEST(CampaignRtl, LegalProgramsOnTiny) { expect_no_difference("tiny", 1, 150, false); }
TEST(CampaignRtl, LegalProgramsOnPaper) { expect_no_difference("paper", 1, 60, false); }
TEST(CampaignRtl, ErrorsOnTiny) { expect_no_difference("tiny", 1, 150, true); }
TEST(CampaignRtl, ErrorsOnPaper) { expect_no_difference("paper", 1, 60, true); }

TEST(CampaignRtl, DisturbancesChangeCyclesOnly) {
  const isa::Variant variant = isa::load_variant("tiny");
  Campaign campaign(variant, all_engines);
  Case c = draw_case(variant, 5);
  c.disturbance = {1, 64, 30, 64};
  EXPECT_EQ(campaign.run(c), "");
  auto engines = all_engines(variant);
  const auto cycles = [&](const Disturbance& d) {
    engines[2].disturb_checking(d);
    Engine* const rtl[] = {engines[2].checking.get()};
    return run_lockstep(rtl, c.job).cycles[0];
  };
  const std::uint64_t plain = cycles({});
  EXPECT_GT(cycles({1, 64, 0, 0}), plain);
  EXPECT_GT(cycles({1, 0, 100, 0}), plain);
  EXPECT_GT(cycles({1, 0, 0, 64}), plain);
  EXPECT_EQ(cycles({}), plain);
}

TEST(CampaignRtl, StoredCasesStayRight) {
  const std::string folder = std::string(VDLA_SOURCE_DIR) + "/tests/regressions";
  std::map<std::string, std::unique_ptr<Campaign>> campaigns;
  for (const std::string& file : tools::files_of(folder)) {
    const StoredCase stored = parse_case(tools::read_text(file), file);
    auto& campaign = campaigns[stored.variant];
    if (campaign == nullptr)
      campaign = std::make_unique<Campaign>(isa::load_variant(stored.variant), all_engines);
    EXPECT_EQ(campaign->run(stored.c), "") << file;
  }
}

}  // namespace
}  // namespace vdla::sim
