// SPDX-License-Identifier: Apache-2.0
// Engines for campaigns of random programs (sim/lockstep/campaign.h).
#pragma once

#include <string>

#include "sim/lockstep/campaign.h"

namespace vdla::kit {

/// As make_engine() of kit/engine.h, with a little memory, and what can disturb it.
sim::CampaignEngine make_campaign_engine(const std::string& name, const isa::Variant& variant);

}  // namespace vdla::kit
