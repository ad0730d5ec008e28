// SPDX-License-Identifier: Apache-2.0
// The engines by name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/lockstep/campaign.h"
#include "sim/rtl/options.h"

namespace CLI {
class App;
}

namespace vdla::tools {

/// Names of --engine, the ones that this build has.
std::vector<std::string> engine_names();

/// Names of the builds of the RTL engine, and what they are for, one a line.
std::vector<std::string> rtl_build_names();
std::string rtl_build_help();
sim::RtlBuild rtl_build(const std::string& name);

/// What the engines can be told beside the variant.
struct EngineOptions {
  sim::RtlOptions rtl;
  bool timing_only = false;  ///< of the SystemC engine: the right cycles, without the data
};

/// --engine and what belongs to it.
struct EngineFlags {
  std::string engine = "functional", rtl_build = "fast";

  void add_to(CLI::App& command);
  /// UserError where --rtl-build is chosen and no RTL runs: neither this engine nor `other`.
  EngineOptions options(const std::string& other = "") const;
};

/// UserError for an unknown name, a part that this build lacks, or an RTL engine that nobody has built for
/// the geometry. Built RTL lies beside `executable` or in the cache of `vdla build-rtl`.
std::unique_ptr<sim::Engine> make_engine(const std::string& name, const isa::Variant& variant,
                                         const std::filesystem::path& executable,
                                         const EngineOptions& options = {});

/// The same for a campaign of random programs, with a little memory.
sim::CampaignEngine make_campaign_engine(const std::string& name, const isa::Variant& variant,
                                         const std::filesystem::path& executable);

}  // namespace vdla::tools
