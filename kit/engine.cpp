// SPDX-License-Identifier: Apache-2.0
#include "kit/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kit/campaign.h"
#include "kit/rtl.h"
#include "kit/systemc.h"
#include "sim/functional/engine.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::kit {
namespace {

constexpr std::uint64_t kCampaignMemory = 16 << 20;

/// An RTL engine twice: as it runs, and, where that is built, as it checks itself.
sim::CampaignEngine make_rtl_pair(const isa::Variant& variant) {
  sim::CampaignEngine made;
  auto engine = sim::make_rtl_engine(variant, kCampaignMemory, located(variant, {}));
  made.disturb = [rtl = engine.get()](const sim::Disturbance& d) { rtl->disturb(d); };
  made.engine = std::move(engine);
  const sim::RtlOptions checking{.build = sim::RtlBuild::Check};
  if (!find_rtl(variant, checking.build).empty()) {
    auto other = sim::make_rtl_engine(variant, kCampaignMemory, located(variant, checking));
    made.disturb_checking = [rtl = other.get()](const sim::Disturbance& d) { rtl->disturb(d); };
    made.power_up_checking = [rtl = other.get()](std::uint64_t seed) { rtl->power_up(seed); };
    made.checking = std::move(other);
  }
  return made;
}

}  // namespace

std::vector<std::string> engine_names() { return {"functional", "systemc", "rtl"}; }

std::unique_ptr<sim::Engine> make_engine(const std::string& name, const isa::Variant& variant,
                                         const EngineOptions& options) {
  VDLA_CHECK_USER(!options.timing_only || name == "systemc")
      << "--timing-only is a mode of engine systemc, this one is " << name;
  auto memory = [&] {
    return options.memory.empty() ? sim::Memory(options.memory_bytes) : sim::Memory(options.memory);
  };
  if (name == "functional") return sim::make_functional_engine(variant, memory());
  if (name == "systemc") return make_systemc_engine(variant, memory(), options.timing_only);
  if (name == "rtl") return sim::make_rtl_engine(variant, memory(), located(variant, options.rtl));
  throw UserError(fmt::format("--engine '{}' is not known, needs {}{}", name, fmt::join(engine_names(), ", "),
                              did_you_mean(name, engine_names())));
}

sim::CampaignEngine make_campaign_engine(const std::string& name, const isa::Variant& variant) {
  if (name == "rtl") return make_rtl_pair(variant);
  if (name == "systemc") return make_systemc_campaign_engine(variant, kCampaignMemory);
  sim::CampaignEngine made;
  made.engine = make_engine(name, variant, {.memory_bytes = kCampaignMemory});
  return made;
}

}  // namespace vdla::kit
