// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"
#include "tools/vdla/optional_engines.h"

namespace vdla::tools {
namespace {

[[noreturn]] void refuse() {
  throw UserError("this build has no RTL engine: install verilator and build again");
}

}  // namespace

bool have_rtl() { return false; }

std::unique_ptr<sim::Engine> make_rtl_engine(const isa::Variant&, const std::filesystem::path&,
                                             const sim::RtlOptions&) {
  refuse();
}

sim::CampaignEngine make_rtl_campaign_engine(const isa::Variant&, std::uint64_t,
                                             const std::filesystem::path&) {
  refuse();
}

bool rtl_engine_built(const isa::Variant&, const std::filesystem::path&) { refuse(); }

std::filesystem::path build_rtl_engine(const isa::Variant&, sim::RtlBuild, const std::filesystem::path&,
                                       const std::filesystem::path&) {
  refuse();
}

std::vector<RtlLibrary> rtl_libraries(const isa::Variant&, const std::filesystem::path&) { return {}; }

std::filesystem::path rtl_cache_directory() { return {}; }

}  // namespace vdla::tools
