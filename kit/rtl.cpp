// SPDX-License-Identifier: Apache-2.0
#include "kit/rtl.h"

#include <fmt/format.h>

#include <cstdlib>

#include "kit/data.h"
#include "kit/prefix.h"
#include "sim/rtl/cpu_level.h"
#include "sim/rtl/library.h"
#include "sim/rtl/sources.h"
#include "support/error.h"
#include "support/own_file.h"
#include "support/path.h"
#include "support/shell_word.h"

namespace vdla::kit {
namespace {

namespace fs = std::filesystem;

/// The front door is where the environment is read; what it calls takes values.
fs::path cache_of_user() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return fs::path(cache) / "vdla/rtl";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache/vdla/rtl";
  return {};
}

/// Returns whether this user can see a library; in a folder that is closed to the user there is none.
bool can_see(const fs::path& library) {
  std::error_code closed;
  return fs::exists(library, closed);
}

/// Writes to the last of the places.
std::string build_command(sim::RtlBuild build, const RtlPlaces& places) {
  return fmt::format(
      "vdla build-rtl --variant NAME|FILE --build {}{}", to_string(build),
      places.cache.empty() ? fmt::format(" --out {}", shell_word(places.installed.string())) : "");
}

/// Refuses where no library runs here.
[[noreturn]] void refuse(const isa::Variant& variant, sim::RtlBuild build, const RtlPlaces& places) {
  const std::string name = sim::rtl_library_name(variant, build), command = build_command(build, places);
  for (const fs::path& folder : {places.installed, places.cache})
    VDLA_CHECK_USER(folder.empty() || !is_there(folder / name))
        << (folder / name).string() << " is for CPUs of level "
        << sim::cpu_level_name(sim::needed_cpu_level(folder / name)) << ", this one has "
        << sim::cpu_level_name(sim::host_cpu_level()) << "; build it for this machine with '" << command
        << "'";
  const bool both = !places.cache.empty();
  throw UserError(
      fmt::format("no RTL engine for this geometry: {} is not in {}{}; build it with '{}', which writes {}",
                  name, places.installed.string(), both ? " and not in " + places.cache.string() : "",
                  command, both ? "to the latter" : "there"));
}

}  // namespace

RtlPlaces rtl_places() { return {prefix() / "lib/vdla/rtl", cache_of_user()}; }

fs::path find_rtl(const isa::Variant& variant, sim::RtlBuild build, const RtlPlaces& places) {
  const std::string name = sim::rtl_library_name(variant, build);
  for (const fs::path& folder : {places.installed, places.cache})
    if (!folder.empty() && can_see(folder / name) && sim::rtl_runs_here(folder / name)) return folder / name;
  return {};
}

sim::RtlOptions located(const isa::Variant& variant, sim::RtlOptions options, const RtlPlaces& places) {
  if (!options.directory.empty()) return options;
  const fs::path found = find_rtl(variant, options.build, places);
  if (found.empty()) refuse(variant, options.build, places);
  options.directory = found.parent_path();
  VDLA_CHECK_USER(options.directory != places.cache || !sim::rtl_is_stale(found, data_root()))
      << found.string() << " is older than the hardware's sources in " << data_root().string()
      << "; build it again with '" << build_command(options.build, places) << "'";
  return options;
}

bool rtl_engine_built(const isa::Variant& variant) {
  const RtlPlaces places = rtl_places();
  const fs::path found = find_rtl(variant, sim::RtlBuild::Fast, places);
  return !found.empty() && (found.parent_path() != places.cache || !sim::rtl_is_stale(found, data_root()));
}

std::vector<RtlLibrary> rtl_libraries(const isa::Variant& variant) {
  std::vector<RtlLibrary> found;
  const RtlPlaces places = rtl_places();
  for (const fs::path& folder : {places.installed, places.cache}) {
    for (const std::string_view build : sim::kRtlBuildTexts) {
      const fs::path path = folder / sim::rtl_library_name(variant, sim::find_rtl_build(build).value());
      if (folder.empty() || !can_see(path)) continue;
      RtlLibrary library{path, std::string(build), {}};
      if (const std::string fault = others_may_have_written(path); !fault.empty()) {
        library.unfit = fault;
      } else if (!sim::rtl_runs_here(path)) {
        library.unfit = "for CPUs of level " + sim::cpu_level_name(sim::needed_cpu_level(path));
      } else if (sim::rtl_is_stale(path, data_root())) {
        library.unfit = "older than the hardware's sources";
      }
      found.push_back(library);
    }
  }
  return found;
}

fs::path build_rtl_engine(const isa::Variant& variant, sim::RtlBuild build, const fs::path& source,
                          const fs::path& out_dir) {
  sim::RtlBuildOptions options;
  options.source = source.empty() ? data_root() : source;
  options.build = build;
  options.out_dir = out_dir.empty() ? rtl_places().cache : out_dir;
  VDLA_CHECK_USER(!options.out_dir.empty()) << "no place for the library: set HOME or XDG_CACHE_HOME";
  return sim::build_rtl(variant, options);
}

std::vector<std::string> export_rtl(const isa::Variant& variant, const fs::path& folder) {
  return sim::export_rtl(variant, data_root(), folder);
}

}  // namespace vdla::kit
