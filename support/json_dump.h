// SPDX-License-Identifier: Apache-2.0
// JSON as text. Names come from models and may hold any bytes, which nlohmann's dump() throws at.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace vdla {

/// On one line without `indent`; what is no UTF-8 becomes U+FFFD.
inline std::string json_dump(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace vdla
