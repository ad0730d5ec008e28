// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/timeline_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "support/error.h"
#include "support/nearest.h"

namespace vdla::tools {
namespace {

constexpr std::string_view kRangeMark = "..";

std::vector<std::string> device_layers(const runtime::Module& module) {
  std::vector<std::string> names;
  for (const runtime::Step& step : module.steps)
    if (const auto* device = std::get_if<runtime::DeviceStep>(&step))
      for (const isa::SourceLayer& layer : device->program.source_map.layers) names.push_back(layer.name);
  return names;
}

}  // namespace

std::set<std::string> timeline_layers(const runtime::Module& module, const std::string& text) {
  const std::vector<std::string> names = device_layers(module);
  const auto place = [&](const std::string& name) { return std::ranges::find(names, name); };
  if (place(text) != names.end()) return {text};
  // A name may have the mark in it: the first split into two names counts.
  std::string missing = text;
  for (auto at = text.find(kRangeMark); at != std::string::npos; at = text.find(kRangeMark, at + 1)) {
    const std::string first = text.substr(0, at), last = text.substr(at + kRangeMark.size());
    const auto from = place(first), to = place(last);
    if (from == names.end() || to == names.end()) {
      missing = from == names.end() ? first : last;
      continue;
    }
    VDLA_CHECK_USER(from <= to) << "--timeline-layers '" << text << "': '" << last << "' comes before '"
                                << first << "', needs FIRST..LAST";
    return {from, to + 1};
  }
  throw UserError(fmt::format("--timeline-layers '{}': the device has no layer '{}'{}, needs one of {}", text,
                              missing, did_you_mean(missing, names), fmt::join(names, ", ")));
}

}  // namespace vdla::tools
