// SPDX-License-Identifier: Apache-2.0
// Logs of JSON, a value on each line.
#pragma once

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "tools/data/files.h"

namespace vdla::tools {

inline std::vector<nlohmann::json> json_lines(const std::string& path) {
  std::vector<nlohmann::json> all;
  std::istringstream text(read_text(path));
  for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

}  // namespace vdla::tools
