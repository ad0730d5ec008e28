// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/functional/engine.h"
#include "support/error.h"
#include "tools/vdla/optional_engines.h"

namespace vdla::tools {

namespace {

constexpr std::uint64_t kCampaignMemory = 16 << 20;

[[noreturn]] void refuse(const std::string& name) {
  throw UserError(fmt::format("--engine '{}' is not known, needs {}", name, fmt::join(engine_names(), ", ")));
}

}  // namespace

std::vector<std::string> engine_names() { return {"functional", "systemc", "rtl"}; }

std::unique_ptr<sim::Engine> make_engine(const std::string& name, const isa::Variant& variant,
                                         const std::filesystem::path& executable) {
  if (name == "functional") return sim::make_functional_engine(variant);
  if (name == "systemc") return make_systemc_engine(variant, sim::kDefaultMemoryBytes);
  if (name == "rtl") return make_rtl_engine(variant, executable);
  refuse(name);
}

sim::CampaignEngine make_campaign_engine(const std::string& name, const isa::Variant& variant,
                                         const std::filesystem::path& executable) {
  sim::CampaignEngine made;
  if (name == "functional") {
    made.engine = sim::make_functional_engine(variant, kCampaignMemory);
  } else if (name == "systemc") {
    made.engine = make_systemc_engine(variant, kCampaignMemory);
  } else if (name == "rtl") {
    made = make_rtl_campaign_engine(variant, kCampaignMemory, executable);
  } else {
    refuse(name);
  }
  return made;
}

}  // namespace vdla::tools
