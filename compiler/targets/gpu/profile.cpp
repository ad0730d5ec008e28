// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/profile.h"

#include <algorithm>

#include "support/error.h"
#include "support/nearest.h"

namespace vdla::pipeline::gpu {
namespace {

constexpr GpuProfile kServer{"server", "more of both, and more memory at once",
                             512,      48 << 10,
                             96 << 10, 128,
                             64 << 10, 4,
                             132,      128,
                             1984,     true,
                             true};

constexpr GpuProfile server_with(bool GpuProfile::* choice, std::string_view name, std::string_view about) {
  GpuProfile profile = kServer;
  profile.name = name;
  profile.about = about;
  profile.*choice = true;
  return profile;
}

constexpr GpuProfile kMachines[] = {
    {"desktop", "blocks with shared memory, many registers", 256, 32 << 10, 32 << 10, 64, 64 << 10, 4, 64,
     128, 1024, true},
    kServer,
    server_with(&GpuProfile::winograd, "server-winograd",
                "as server; 3x3 convolutions of floats by fewer products"),
    server_with(&GpuProfile::has_tf32, "server-tf32",
                "as server; products of float matrices by tensor cores, with factors rounded to 10 bits"),
    // The paper's Mali: shared memory lies where all other memory does, and vectors are its width.
    {"embedded", "no shared memory, vectors in each thread", 64, 0, 0, 16, 16 << 10, 4, 4, 32, 16},
};

}  // namespace

std::span<const GpuProfile> profiles() { return kMachines; }

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const GpuProfile& profile : kMachines) names.emplace_back(profile.name);
  return names;
}

std::string about_profiles() {
  std::string text;
  for (const GpuProfile& profile : kMachines)
    text += (text.empty() ? "" : "; ") + std::string(profile.name) + ": " + std::string(profile.about);
  return text;
}

const GpuProfile& profile_named(std::string_view name) {
  const auto found = std::ranges::find(kMachines, name, &GpuProfile::name);
  VDLA_CHECK_USER(found != std::end(kMachines))
      << "no machine with a grid is called '" << name << "'" << did_you_mean(name, profile_names());
  return *found;
}

}  // namespace vdla::pipeline::gpu
