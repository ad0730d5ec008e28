// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/engine.h"

#include <cstdlib>

#include "sim/rtl/cpu_level.h"
#include "sim/rtl/library.h"
#include "support/error.h"
#include "tools/vdla/optional_engines.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

fs::path built_directory(const fs::path& executable) {
  return executable.parent_path().parent_path() / "lib/vdla/rtl";
}

/// Options with the folder in which the library lies: beside the kit, or the cache.
sim::RtlOptions located(const isa::Variant& variant, const fs::path& executable, sim::RtlOptions options) {
  if (!options.directory.empty()) return options;
  const fs::path built = built_directory(executable), cache = rtl_cache_directory();
  const std::string name = sim::rtl_library_name(variant.geometry, options.build);
  const bool usable = fs::exists(built / name) && sim::rtl_runs_here(built / name);
  const bool cached = !usable && !cache.empty() && fs::exists(cache / name);
  VDLA_CHECK_USER(!cached || !sim::rtl_is_stale(cache / name, sim::default_rtl_source()))
      << (cache / name).string() << " is older than the hardware's sources in "
      << sim::default_rtl_source().string()
      << "; build it again with 'vdla build-rtl --variant NAME|FILE --build " << to_string(options.build)
      << "'";
  options.directory = cached ? cache : built;
  return options;
}

}  // namespace

bool have_rtl() { return true; }

fs::path rtl_cache_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return fs::path(cache) / "vdla/rtl";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache/vdla/rtl";
  return {};
}

std::vector<RtlLibrary> rtl_libraries(const isa::Variant& variant, const fs::path& executable) {
  std::vector<RtlLibrary> found;
  for (const fs::path& folder : {built_directory(executable), rtl_cache_directory()}) {
    for (const std::string_view build : sim::kRtlBuildTexts) {
      const fs::path path =
          folder / sim::rtl_library_name(variant.geometry, sim::find_rtl_build(build).value());
      if (folder.empty() || !fs::exists(path)) continue;
      RtlLibrary library{path, std::string(build), {}};
      if (!sim::rtl_runs_here(path)) {
        library.unfit = "for CPUs of level " + sim::cpu_level_name(sim::needed_cpu_level(path));
      } else if (sim::rtl_is_stale(path, sim::default_rtl_source())) {
        library.unfit = "older than the hardware's sources";
      }
      found.push_back(library);
    }
  }
  return found;
}

std::unique_ptr<sim::Engine> make_rtl_engine(const isa::Variant& variant, const fs::path& executable,
                                             const sim::RtlOptions& options) {
  return sim::make_rtl_engine(variant, sim::kDefaultMemoryBytes, located(variant, executable, options));
}

sim::CampaignEngine make_rtl_campaign_engine(const isa::Variant& variant, std::uint64_t memory_bytes,
                                             const fs::path& executable) {
  sim::CampaignEngine made;
  auto engine = sim::make_rtl_engine(variant, memory_bytes, located(variant, executable, {}));
  made.disturb = [rtl = engine.get()](const sim::Disturbance& d) { rtl->disturb(d); };
  made.engine = std::move(engine);
  const sim::RtlOptions checking = located(variant, executable, {.build = sim::RtlBuild::Check});
  if (fs::exists(checking.directory / sim::rtl_library_name(variant.geometry, checking.build))) {
    auto other = sim::make_rtl_engine(variant, memory_bytes, checking);
    made.disturb_checking = [rtl = other.get()](const sim::Disturbance& d) { rtl->disturb(d); };
    made.power_up_checking = [rtl = other.get()](std::uint64_t seed) { rtl->power_up(seed); };
    made.checking = std::move(other);
  }
  return made;
}

bool rtl_engine_built(const isa::Variant& variant, const fs::path& executable) {
  const std::string name = sim::rtl_library_name(variant.geometry, sim::RtlBuild::Fast);
  const fs::path built = built_directory(executable) / name;
  if (fs::exists(built) && sim::rtl_runs_here(built)) return true;
  const fs::path cached = rtl_cache_directory() / name;
  return fs::exists(cached) && !sim::rtl_is_stale(cached, sim::default_rtl_source()) &&
         sim::rtl_runs_here(cached);
}

fs::path build_rtl_engine(const isa::Variant& variant, sim::RtlBuild build, const fs::path& source,
                          const fs::path& out_dir) {
  sim::RtlBuildOptions options;
  options.source = source;
  options.build = build;
  options.out_dir = out_dir.empty() ? rtl_cache_directory() : out_dir;
  VDLA_CHECK_USER(!options.out_dir.empty()) << "no place for the library: set HOME or XDG_CACHE_HOME";
  return sim::build_rtl(variant.geometry, options);
}

}  // namespace vdla::tools
