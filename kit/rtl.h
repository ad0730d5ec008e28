// SPDX-License-Identifier: Apache-2.0
// Libraries of the RTL engine: one for each geometry, burst length and build (sim/rtl/options.h). The folders
// in which they are looked for, in this order:
//
//   1. RtlOptions::directory, where it is given: that one alone
//   2. lib/vdla/rtl of the kit (kit/prefix.h): what the kit was installed with
//   3. the user's cache: $XDG_CACHE_HOME/vdla/rtl, or ~/.cache/vdla/rtl: what `vdla build-rtl` and
//      build_rtl_engine() write
//
// A library of the kit that is for newer CPUs than this one gives way to one in the cache.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "isa/spec/geometry.h"
#include "sim/rtl/engine.h"

namespace vdla::kit {

struct RtlPlaces {
  std::filesystem::path installed, cache;  ///< empty: none
};
/// Places of this program and this user.
RtlPlaces rtl_places();

/// The library that runs here; empty where there is none. Whether it is older than the hardware's sources
/// does not count.
std::filesystem::path find_rtl(const isa::Variant& variant, sim::RtlBuild build,
                               const RtlPlaces& places = rtl_places());

/// The options with the folder of the library. UserError where no place has one, which names the places and
/// the command that writes to one of them, and where the cache's is older than the hardware's sources.
sim::RtlOptions located(const isa::Variant& variant, sim::RtlOptions options,
                        const RtlPlaces& places = rtl_places());

/// Whether engine rtl runs on the geometry as it is: build fast is there and no older than its sources.
bool rtl_engine_built(const isa::Variant& variant);

/// Builds the library of the variant's machine and gives its path: a minute, more for build gates. Needs
/// Verilator and a C++ compiler. `out_dir` empty: the cache; `source` empty: the kit's own hardware.
std::filesystem::path build_rtl_engine(const isa::Variant& variant, sim::RtlBuild build,
                                       const std::filesystem::path& source = {},
                                       const std::filesystem::path& out_dir = {});

/// Copies the kit's hardware into a folder with the variant's parameters (sim/rtl/sources.h) and names
/// what it wrote.
std::vector<std::string> export_rtl(const isa::Variant& variant, const std::filesystem::path& folder);

/// A library that is there.
struct RtlLibrary {
  std::filesystem::path path;
  std::string build;  ///< "fast"
  std::string unfit;  ///< why it cannot be used as it is; empty: it can
};
/// Libraries of the variant's machine, in all places.
std::vector<RtlLibrary> rtl_libraries(const isa::Variant& variant);

}  // namespace vdla::kit
