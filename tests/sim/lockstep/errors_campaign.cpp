// SPDX-License-Identifier: Apache-2.0
// The campaign of `vdla fuzz --errors` in a program of its own, which the sanitizer tree builds in a fraction
// of the time of the whole command. Same seeds, same programs. usage: errors_campaign VARIANT FIRST_SEED
// COUNT [FOLDER of RTL libraries]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "isa/variants/variants.h"
#include "sim/cycle/engine.h"
#include "sim/functional/engine.h"
#include "sim/lockstep/campaign.h"
#ifdef VDLA_HAVE_RTL
#include "sim/rtl/engine.h"
#endif

namespace vdla::sim {
namespace {

constexpr std::uint64_t kMemoryBytes = 16 << 20;

MakeEngines engines([[maybe_unused]] const std::string& rtl_folder) {
  return [=](const isa::Variant& variant) {
    std::vector<CampaignEngine> made(2);
    made[0].engine = make_functional_engine(variant, kMemoryBytes);
    made[1].engine = make_cycle_engine(variant, kMemoryBytes);
#ifdef VDLA_HAVE_RTL
    if (rtl_folder.empty()) return made;
    auto fast = make_rtl_engine(variant, kMemoryBytes, {.directory = rtl_folder});
    auto check = make_rtl_engine(variant, kMemoryBytes, {.build = RtlBuild::Check, .directory = rtl_folder});
    CampaignEngine& rtl = made.emplace_back();
    rtl.disturb = [engine = fast.get()](const Disturbance& d) { engine->disturb(d); };
    rtl.disturb_checking = [engine = check.get()](const Disturbance& d) { engine->disturb(d); };
    rtl.power_up_checking = [engine = check.get()](std::uint64_t seed) { engine->power_up(seed); };
    rtl.engine = std::move(fast);
    rtl.checking = std::move(check);
#endif
    return made;
  };
}

int run(const std::string& variant, std::uint64_t first, std::uint64_t count, const std::string& rtl_folder) {
  CampaignOptions options;
  options.errors = true;
  Campaign campaign(isa::load_variant(variant), engines(rtl_folder), options);
  const CampaignResult result = run_campaign(campaign, first, count, options);
  if (result.failure) {
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(result.failure->seed),
                result.failure->difference.c_str());
    return 1;
  }
  std::printf("%llu programs, %zu kinds of faults\n", static_cast<unsigned long long>(result.programs),
              result.errors.size());
  return 0;
}

}  // namespace
}  // namespace vdla::sim

int main(int argc, char** argv) {
  if (argc < 4)
    return std::fputs("usage: errors_campaign VARIANT FIRST_SEED COUNT [RTL_FOLDER]\n", stderr), 2;
  try {
    return vdla::sim::run(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10),
                          argc > 4 ? argv[4] : "");
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
  }
}
