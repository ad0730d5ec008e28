// SPDX-License-Identifier: Apache-2.0
// Campaigns find a planted fault, shrink it to a few instructions and store it; what is stored comes back.
#include "sim/lockstep/campaign.h"

#include <gmock/gmock.h>

#include "isa/random/shrink.h"
#include "isa/spec/operations.h"
#include "isa/variants/variants.h"
#include "isa/verify/verify.h"
#include "sim/cycle/engine.h"
#include "sim/functional/engine.h"
#include "sim/lockstep/stored_case.h"
#include "support/error.h"
#include "tests/sim/lockstep/planted.h"

namespace vdla::sim {
namespace {

constexpr std::uint64_t kCampaignMemory = 4 << 20;

std::vector<CampaignEngine> good_engines(const isa::Variant& variant) {
  std::vector<CampaignEngine> made(2);
  made[0].engine = make_functional_engine(variant, kCampaignMemory);
  auto systemc = make_cycle_engine(variant, kCampaignMemory);
  made[1].disturb = [engine = systemc.get()](const Disturbance& d) { engine->stall({d.seed, d.inside}); };
  made[1].disturbs_inside = true;
  made[1].engine = std::move(systemc);
  return made;
}

MakeEngines with_fault(Planted::Misread misread) {
  return [misread](const isa::Variant& variant) {
    std::vector<CampaignEngine> made(2);
    made[0].engine = make_functional_engine(variant, kCampaignMemory);
    made[1].engine = std::make_unique<Planted>(make_functional_engine(variant, kCampaignMemory), misread);
    return made;
  };
}

void max_as_min(isa::Insn& insn) {
  if (auto* vector = std::get_if<isa::VectorInsn>(&insn);
      vector != nullptr && vector->op == isa::VectorOp::Max)
    vector->op = isa::VectorOp::Min;
}

TEST(Campaign, CasesAreLegalVariedAndTheSameForASeed) {
  const isa::Variant variant = isa::load_variant("tiny");
  isa::Mix mix;
  bool disturbed = false, regular = false, other_timing = false;
  int random_states = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Case c = draw_case(variant, seed);
    ASSERT_EQ(isa::verify(c.job.program).text(), "") << "seed " << seed;
    EXPECT_EQ(draw_case(variant, seed).job.program, c.job.program);
    mix.add(c.job.program);
    (c.disturbance.any() ? disturbed : regular) = true;
    other_timing = other_timing || c.timing != variant.timing;
    random_states += c.state != 0 ? 1 : 0;
  }
  EXPECT_GT(random_states, 5);
  EXPECT_LT(random_states, 40);
  EXPECT_TRUE(disturbed && regular && other_timing);
  EXPECT_GE(mix.median_insns(), 60u);
  EXPECT_GE(mix.programs_with_steps(5000), 15u);
  for (const isa::NamedCode& row : isa::kVectorOps)
    EXPECT_GT(mix.counts().at("vector.op." + std::string(row.text)), 0u) << row.text;
}

TEST(Campaign, EnginesAgree) {
  Campaign campaign(isa::load_variant("tiny"), good_engines);
  const CampaignResult result = run_campaign(campaign, 1, 30, {});
  EXPECT_EQ(result.programs, 30u);
  EXPECT_FALSE(result.failure) << result.failure->seed << ": " << result.failure->difference;
}

TEST(Campaign, EnginesAgreeOnErrorsAndRecover) {
  CampaignOptions options;
  options.errors = true;
  Campaign campaign(isa::load_variant("tiny"), good_engines);
  const CampaignResult result = run_campaign(campaign, 1, 60, options);
  EXPECT_EQ(result.programs, 60u);
  EXPECT_FALSE(result.failure) << result.failure->seed << ": " << result.failure->difference;
  EXPECT_GE(result.errors.size(), 20u);
}

TEST(Campaign, FindsAPlantedFaultAndShrinksItToAFewInstructions) {
  const isa::Variant variant = isa::load_variant("tiny");
  Campaign campaign(variant, with_fault(max_as_min));
  const CampaignResult result = run_campaign(campaign, 1, 50, {});
  ASSERT_TRUE(result.failure);
  EXPECT_THAT(result.failure->difference,
              testing::HasSubstr("writes something else on planted than on functional"));
  const Case small = shrink_case(campaign, draw_case(variant, result.failure->seed), 1500);
  EXPECT_THAT(campaign.run(small), testing::HasSubstr("writes something else on planted than on functional"));
  EXPECT_TRUE(small.job.program.kernels.empty()) << "a vector instruction needs no micro-ops";
  EXPECT_LE(small.job.program.insns.size(), 6u) << to_text(StoredCase{"tiny", small});
  EXPECT_TRUE(isa::verify(small.job.program).clean());
}

TEST(StoredCase, ComesBackAsItWas) {
  const isa::Variant variant = isa::load_variant("tiny");
  for (std::uint64_t seed : {2, 3, 4}) {
    StoredCase stored{"tiny", draw_case(variant, seed)};
    stored.c.state = seed - 2;
    const std::string text = to_text(stored, "a note");
    const StoredCase back = parse_case(text, "x.s");
    EXPECT_EQ(back.variant, "tiny");
    EXPECT_EQ(back.c.seed, seed);
    EXPECT_EQ(back.c.job.program.insns, stored.c.job.program.insns);
    EXPECT_EQ(isa::uop_image(back.c.job.program), isa::uop_image(stored.c.job.program));
    EXPECT_EQ(back.c.job.program.constants, stored.c.job.program.constants);
    EXPECT_EQ(back.c.job.program.data_window_sizes, stored.c.job.program.data_window_sizes);
    EXPECT_EQ(back.c.job.contents, stored.c.job.contents);
    EXPECT_EQ(back.c.job.skew, stored.c.job.skew);
    EXPECT_EQ(back.c.timing, stored.c.timing);
    EXPECT_EQ(back.c.disturbance.seed, stored.c.disturbance.any() ? stored.c.disturbance.seed : 0);
    EXPECT_EQ(back.c.state, stored.c.state);
    EXPECT_EQ(to_text(back, "a note"), text);
  }
}

TEST(StoredCase, NamesTheLineAtFault) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_case(text, "x.s");
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(message("finish 1\n"), testing::HasSubstr("names no variant"));
  EXPECT_THAT(message(";@ variant tiny\n;@ size nowhere 4\n"),
              testing::HasSubstr("x.s:2: 'nowhere' is no window"));
  EXPECT_THAT(message(";@ variant tiny\n;@ size input 4\n;@ bytes input 2 aabbcc\n"),
              testing::HasSubstr("x.s:3: the bytes do not fit"));
  EXPECT_THAT(message(";@ variant tiny\n;@ colour red\n"), testing::HasSubstr("x.s:2: 'colour' is no part"));
}

}  // namespace
}  // namespace vdla::sim
