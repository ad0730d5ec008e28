// SPDX-License-Identifier: Apache-2.0
#include "tools/common/engine_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/error.h"
#include "tools/common/validators.h"

namespace vdla::tools {

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

void require_device_for(const std::vector<const char*>& options, const CLI::App& command,
                        const runtime::Module& module, const std::string& file) {
  if (runtime::needs_device(module)) return;
  for (const char* name : options) {
    const CLI::Option* option = command.get_option(name);
    VDLA_CHECK_USER(option->count() == 0 || option->results().front() == option->get_default_str())
        << name << " is about the device, but '" << file
        << "' has nothing on the device; vdla explain says why";
  }
}

void EngineFlags::add_to(CLI::App& command) {
  command.add_option("--engine", engine, fmt::format("{}", fmt::join(kit::engine_names(), ", ")))
      ->check(one_of(kit::engine_names()))
      ->capture_default_str();
  command.add_option("--rtl-build", rtl_build, "Build of the RTL engine, see vdla build-rtl --help")
      ->check(one_of(rtl_build_names()))
      ->capture_default_str();
}

kit::EngineOptions EngineFlags::options(const std::string& other) const {
  VDLA_CHECK_USER(rtl_build == EngineFlags().rtl_build || engine == "rtl" || other == "rtl")
      << "--rtl-build " << rtl_build << " chooses a build of the RTL, engine is " << engine
      << "; needs --engine rtl, or leave it out";
  kit::EngineOptions options;
  options.rtl.build = tools::rtl_build(rtl_build);
  return options;
}

}  // namespace vdla::tools
