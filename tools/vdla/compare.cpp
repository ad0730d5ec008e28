// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compare.h"

#include <fmt/core.h>

#include "support/error.h"

namespace vdla::tools {

double CycleRow::difference() const {
  if (cycles == other) return 0;
  return cycles == 0
             ? 1
             : (static_cast<double>(other) - static_cast<double>(cycles)) / static_cast<double>(cycles);
}

std::vector<CycleRow> compare_cycles(const runtime::Result& result, const runtime::Result& other) {
  VDLA_CHECK(result.layers.size() == other.layers.size())
      << "runs of one module have " << result.layers.size() << " and " << other.layers.size() << " layers";
  std::vector<CycleRow> rows;
  for (std::size_t i = 0; i < result.layers.size(); ++i)
    rows.push_back({result.layers[i].name, result.layers[i].op, result.layers[i].cost.cycles,
                    other.layers[i].cost.cycles});
  rows.push_back({"total", "", result.cycles, other.cycles});
  return rows;
}

void print_comparison(const std::vector<CycleRow>& rows, const std::string& engine,
                      const std::string& other) {
  fmt::print("{:<32} {:<16} {:>12} {:>12} {:>11} {:>8}\n", "layer", "operator", engine, other, "difference",
             "");
  for (const CycleRow& row : rows)
    fmt::print("{:<32.32} {:<16} {:>12} {:>12} {:>+11} {:>+7.2f}%\n", row.layer, row.op, row.cycles,
               row.other, static_cast<std::int64_t>(row.other - row.cycles), 100 * row.difference());
}

nlohmann::ordered_json comparison_json(const std::vector<CycleRow>& rows, const std::string& other) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const CycleRow& row : rows)
    layers.push_back({{"name", row.layer},
                      {"op", row.op},
                      {"cycles", row.cycles},
                      {"other_cycles", row.other},
                      {"difference", row.difference()}});
  return {{"engine", other}, {"layers", layers}};
}

}  // namespace vdla::tools
