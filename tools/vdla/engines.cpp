// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "sim/functional/engine.h"
#include "support/error.h"
#include "support/nearest.h"
#include "tools/vdla/optional_engines.h"
#include "tools/vdla/validators.h"

namespace vdla::tools {

namespace {

constexpr std::uint64_t kCampaignMemory = 16 << 20;

[[noreturn]] void refuse(const std::string& name) {
  throw UserError(fmt::format("--engine '{}' is not known, needs {}{}", name, fmt::join(engine_names(), ", "),
                              did_you_mean(name, engine_names())));
}

}  // namespace

std::vector<std::string> engine_names() { return {"functional", "systemc", "rtl"}; }

std::vector<std::string> rtl_build_names() {
  return {sim::kRtlBuildTexts.begin(), sim::kRtlBuildTexts.end()};
}

std::string rtl_build_help() {
  std::string help;
#define VDLA_LINE(name, text, doc) help += fmt::format("  {:<9} {}\n", text, doc);
  VDLA_RTL_BUILDS(VDLA_LINE)
#undef VDLA_LINE
  return help;
}

sim::RtlBuild rtl_build(const std::string& name) {
  const auto found = sim::find_rtl_build(name);
  VDLA_CHECK_USER(found) << "no build '" << name << "' of the RTL engine, needs "
                         << fmt::format("{}", fmt::join(sim::kRtlBuildTexts, ", "));
  return *found;
}

void EngineFlags::add_to(CLI::App& command) {
  command.add_option("--engine", engine, fmt::format("{}", fmt::join(engine_names(), ", ")))
      ->check(one_of(engine_names()))
      ->capture_default_str();
  command.add_option("--rtl-build", rtl_build, "Build of the RTL engine, see vdla build-rtl --help")
      ->check(one_of(rtl_build_names()))
      ->capture_default_str();
}

EngineOptions EngineFlags::options(const std::string& other) const {
  VDLA_CHECK_USER(rtl_build == EngineFlags().rtl_build || engine == "rtl" || other == "rtl")
      << "--rtl-build " << rtl_build << " chooses a build of the RTL, engine is " << engine
      << "; needs --engine rtl, or leave it out";
  EngineOptions options;
  options.rtl.build = tools::rtl_build(rtl_build);
  return options;
}

std::unique_ptr<sim::Engine> make_engine(const std::string& name, const isa::Variant& variant,
                                         const std::filesystem::path& executable,
                                         const EngineOptions& options) {
  VDLA_CHECK_USER(!options.timing_only || name == "systemc")
      << "--timing-only is a mode of engine systemc, this one is " << name;
  if (name == "functional") return sim::make_functional_engine(variant);
  if (name == "systemc") return make_systemc_engine(variant, sim::kDefaultMemoryBytes, options.timing_only);
  if (name == "rtl") return make_rtl_engine(variant, executable, options.rtl);
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
