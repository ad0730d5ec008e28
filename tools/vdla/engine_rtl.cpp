// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/engine.h"

#include <cstdlib>

#include "sim/rtl/library.h"
#include "support/error.h"
#include "tools/vdla/optional_engines.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

fs::path built_directory(const fs::path& executable) {
  return executable.parent_path().parent_path() / "lib/vdla/rtl";
}

/// The user's cache of libraries that `vdla build-rtl` made; empty when there is no home.
fs::path cache_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return fs::path(cache) / "vdla/rtl";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache/vdla/rtl";
  return {};
}

/// Where the library of the variant's geometry lies: beside the kit, or in the cache.
fs::path directory_of(const isa::Variant& variant, const fs::path& executable) {
  const fs::path built = built_directory(executable), cache = cache_directory();
  const std::string name = sim::rtl_library_name(variant.geometry);
  const bool cached = !fs::exists(built / name) && !cache.empty() && fs::exists(cache / name);
  return cached ? cache : built;
}

}  // namespace

bool have_rtl() { return true; }

std::unique_ptr<sim::Engine> make_rtl_engine(const isa::Variant& variant, const fs::path& executable) {
  return sim::make_rtl_engine(variant, sim::kDefaultMemoryBytes, directory_of(variant, executable));
}

sim::CampaignEngine make_rtl_campaign_engine(const isa::Variant& variant, std::uint64_t memory_bytes,
                                             const fs::path& executable) {
  sim::CampaignEngine made;
  auto plain = sim::make_rtl_engine(variant, memory_bytes, directory_of(variant, executable));
  sim::RtlEngine* disturbed = plain.get();
  made.engine = std::move(plain);
  const fs::path checking = built_directory(executable).parent_path() / "rtl-assert";
  if (fs::exists(checking / sim::rtl_library_name(variant.geometry))) {
    auto engine = sim::make_rtl_engine(variant, memory_bytes, checking);
    disturbed = engine.get();
    made.disturbed = std::move(engine);
    made.stalls_inside = true;
  }
  made.disturb = [disturbed](const sim::Disturbance& d) { disturbed->disturb(d); };
  return made;
}

bool rtl_engine_built(const isa::Variant& variant, const fs::path& executable) {
  const std::string name = sim::rtl_library_name(variant.geometry);
  const fs::path cache = cache_directory();
  return fs::exists(built_directory(executable) / name) || (!cache.empty() && fs::exists(cache / name));
}

fs::path build_rtl_engine(const isa::Variant& variant, const fs::path&) {
  sim::RtlBuildOptions options;
  options.out_dir = cache_directory();
  VDLA_CHECK_USER(!options.out_dir.empty()) << "no place for the library: set HOME or XDG_CACHE_HOME";
  return sim::build_rtl(variant.geometry, options);
}

}  // namespace vdla::tools
