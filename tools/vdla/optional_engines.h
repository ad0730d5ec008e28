// SPDX-License-Identifier: Apache-2.0
// Engines that need a package which may be absent. CMake links the real file or the one that says what is
// missing.
#pragma once

#include <filesystem>
#include <memory>

#include "sim/lockstep/campaign.h"

namespace vdla::tools {

bool have_systemc();
std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant& variant, std::uint64_t memory_bytes);

bool have_rtl();
std::unique_ptr<sim::Engine> make_rtl_engine(const isa::Variant& variant,
                                             const std::filesystem::path& executable);
/// With a build that checks itself for disturbed cases, where there is one.
sim::CampaignEngine make_rtl_campaign_engine(const isa::Variant& variant, std::uint64_t memory_bytes,
                                             const std::filesystem::path& executable);
/// Whether the RTL engine of the variant's geometry is built.
bool rtl_engine_built(const isa::Variant& variant, const std::filesystem::path& executable);
/// Builds the RTL engine of the variant's geometry into the user's cache and gives its path.
std::filesystem::path build_rtl_engine(const isa::Variant& variant, const std::filesystem::path& executable);

}  // namespace vdla::tools
