// SPDX-License-Identifier: Apache-2.0
#include "kit/systemc.h"

#include <utility>

#include "sim/cycle/engine.h"
#include "sim/lockstep/campaign.h"

namespace vdla::kit {

bool have_systemc() { return true; }

std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant& variant, sim::Memory memory,
                                                 bool timing_only) {
  return sim::make_cycle_engine(variant, std::move(memory), {.timing_only = timing_only});
}

sim::CampaignEngine make_systemc_campaign_engine(const isa::Variant& variant, std::uint64_t memory_bytes) {
  sim::CampaignEngine made;
  auto engine = sim::make_cycle_engine(variant, memory_bytes);
  made.disturb = [systemc = engine.get()](const sim::Disturbance& d) { systemc->stall({d.seed, d.inside}); };
  made.disturbs_inside = true;
  made.engine = std::move(engine);
  return made;
}

}  // namespace vdla::kit
