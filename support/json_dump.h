// SPDX-License-Identifier: Apache-2.0
// JSON as text. Names come from models and may hold any bytes, which nlohmann's dump() throws at; outputs may
// be no finite numbers, which it writes as null.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/nonfinite.h"

namespace vdla {

inline bool has_nonfinite(const nlohmann::ordered_json& json) {
  if (json.is_number_float()) return !std::isfinite(json.get<double>());
  return json.is_structured() && std::any_of(json.begin(), json.end(), has_nonfinite);
}

inline void name_nonfinite(nlohmann::ordered_json& json) {
  if (json.is_structured())
    for (auto& inner : json) name_nonfinite(inner);
  else if (has_nonfinite(json))
    json = name_of_nonfinite(json.get<double>());
}

/// Writes one line without `indent`. Bytes that are no UTF-8 become U+FFFD, numbers that are not finite their
/// names in quotes (support/nonfinite.h).
inline std::string json_dump(const nlohmann::ordered_json& json, int indent = -1) {
  if (has_nonfinite(json)) {
    nlohmann::ordered_json named = json;
    name_nonfinite(named);
    return json_dump(named, indent);
  }
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace vdla
