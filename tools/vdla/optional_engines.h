// SPDX-License-Identifier: Apache-2.0
// Engines that need a package which may be absent. CMake links the real file or the one that says what is
// missing.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/lockstep/campaign.h"
#include "sim/rtl/options.h"

namespace vdla::tools {

bool have_systemc();
/// `timing_only`: the right cycles, without the data.
std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant& variant, std::uint64_t memory_bytes,
                                                 bool timing_only = false);

bool have_rtl();
/// Without a directory in the options the library lies beside `executable` or in the user's cache.
std::unique_ptr<sim::Engine> make_rtl_engine(const isa::Variant& variant,
                                             const std::filesystem::path& executable,
                                             const sim::RtlOptions& options = {});
/// With a build that checks itself, where there is one.
sim::CampaignEngine make_rtl_campaign_engine(const isa::Variant& variant, std::uint64_t memory_bytes,
                                             const std::filesystem::path& executable);
/// Whether the RTL engine of the variant's geometry is built.
bool rtl_engine_built(const isa::Variant& variant, const std::filesystem::path& executable);
/// Builds the RTL engine of the variant's geometry and gives its path. `out_dir` empty: the user's cache,
/// where make_rtl_engine() finds it; `source` empty: the kit's own.
std::filesystem::path build_rtl_engine(const isa::Variant& variant, sim::RtlBuild build,
                                       const std::filesystem::path& source = {},
                                       const std::filesystem::path& out_dir = {});

/// A library of the RTL engine that is built.
struct RtlLibrary {
  std::filesystem::path path;
  std::string build;  ///< "fast"
  std::string unfit;  ///< why it cannot be used as it is; empty: it can
};
/// Of the variant's geometry, beside `executable` and in the user's cache.
std::vector<RtlLibrary> rtl_libraries(const isa::Variant& variant, const std::filesystem::path& executable);
/// Where `vdla build-rtl` puts libraries; empty without a home.
std::filesystem::path rtl_cache_directory();

}  // namespace vdla::tools
