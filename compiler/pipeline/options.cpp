// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/options.h"

#include <nlohmann/json.hpp>

#include "isa/variants/variants.h"

namespace vdla::pipeline {

std::string target_of(const isa::Variant& variant) {
  const auto parts = nlohmann::ordered_json::parse(isa::to_json(variant));
  std::string text;
  for (const char* part : {"geometry", "timing"})
    for (const auto& [key, value] : parts.at(part).items())
      if (key != "clock_mhz") text += (text.empty() ? "" : " ") + key + "=" + value.dump();
  return text;
}

KeptOff kept_off(const CompileOptions& options) {
  KeptOff result = options.as_before;
  for (const std::string& node : options.on_cpu) result[node] = "placed there on request";
  return result;
}

}  // namespace vdla::pipeline
