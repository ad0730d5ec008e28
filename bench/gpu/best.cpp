// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/best.h"

#include <algorithm>
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

BestKnobs best_of(const Json& result) {
  BestKnobs best;
  const auto add = [&](const Json& key, const Json& of) {
    if (!of.contains("seconds")) return;
    const std::pair<double, std::string> seen{of.at("seconds"), of.at("knobs")};
    const auto [entry, is_new] = best.try_emplace(key, seen);
    entry->second = std::min(entry->second, seen);
  };
  for (const Json& row : result.at("rows"))
    for (const Json& c : row.at("candidates")) {
      if (!c.value("right", false)) continue;
      if (row.contains("key")) add(row["key"], c);
      if (c.contains("functions"))
        for (const Json& f : c["functions"]) add(f.at("key"), f);
    }
  std::erase_if(best, [](const auto& entry) { return entry.second.second.empty(); });
  return best;
}

}  // namespace vdla::bench::gpu
