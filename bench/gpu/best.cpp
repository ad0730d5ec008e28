// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/best.h"

#include <fstream>

#include "support/error.h"

namespace vdla::bench::gpu {

Json read_result(const std::string& path) {
  std::ifstream file(path);
  VDLA_CHECK_USER(file.good()) << path << " cannot be read";
  Json result = Json::parse(file, nullptr, false);
  VDLA_CHECK_USER(result.is_object() && result.contains("rows") && result.contains("machine") &&
                  result.contains("device"))
      << path << " is nothing that bench_gpu_run wrote";
  return result;
}

std::map<std::string, std::string> best_of(const Json& result) {
  std::map<std::string, std::string> best;
  for (const Json& row : result.at("rows")) {
    if (!row.contains("best") || !row.contains("key")) continue;
    for (const Json& c : row.at("candidates"))
      if (c.at("name") == row.at("best") && !c.at("knobs").get<std::string>().empty())
        best[row.at("key")] = c.at("knobs");
  }
  return best;
}

}  // namespace vdla::bench::gpu
