// SPDX-License-Identifier: Apache-2.0
// The engines by name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/lockstep/campaign.h"

namespace vdla::tools {

/// Names of --engine, the ones that this build has.
std::vector<std::string> engine_names();

/// UserError for an unknown name, a part that this build lacks, or an RTL engine that nobody has built for
/// the geometry. Built RTL lies beside `executable` or in the cache of `vdla build-rtl`.
std::unique_ptr<sim::Engine> make_engine(const std::string& name, const isa::Variant& variant,
                                         const std::filesystem::path& executable);

/// The same for a campaign of random programs, with a little memory.
sim::CampaignEngine make_campaign_engine(const std::string& name, const isa::Variant& variant,
                                         const std::filesystem::path& executable);

}  // namespace vdla::tools
