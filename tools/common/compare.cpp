// SPDX-License-Identifier: Apache-2.0
#include "tools/common/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "support/error.h"
#include "tools/common/table.h"

namespace vdla::tools {
namespace {

std::int64_t more(const CycleRow& row) { return static_cast<std::int64_t>(row.other - row.cycles); }

nlohmann::ordered_json row_json(const CycleRow& row) {
  nlohmann::ordered_json json;
  if (!row.layer.empty()) json = {{"name", row.layer}, {"op", row.op}};
  json["cycles"] = row.cycles;
  json["other_cycles"] = row.other;
  json["difference"] = more(row);
  json["share"] = row.difference();
  return json;
}

}  // namespace

double CycleRow::difference() const {
  if (cycles == other) return 0;
  return cycles == 0 ? HUGE_VAL : static_cast<double>(more(*this)) / static_cast<double>(cycles);
}

bool Comparison::equal() const {
  return total.cycles == total.other &&
         std::ranges::all_of(layers, [](const CycleRow& row) { return row.cycles == row.other; });
}

std::vector<std::string> Comparison::beyond(const CycleLimits& limits) const {
  std::vector<std::string> found;
  const auto check = [&](const CycleRow& row, const std::string& what, double limit) {
    if (std::abs(row.difference()) > limit)
      found.push_back(fmt::format("{}: {} cycles on {}, {} on {}: {:+.3f} %, allowed {:g} %", what,
                                  row.cycles, engine, row.other, other, 100 * row.difference(), 100 * limit));
  };
  for (const CycleRow& row : layers) check(row, "layer '" + row.layer + "'", limits.layer);
  check(total, "total", limits.total);
  return found;
}

Comparison compare_cycles(const std::string& engine, const runtime::Result& result, const std::string& other,
                          const runtime::Result& other_result) {
  VDLA_CHECK(result.layers.size() == other_result.layers.size())
      << "runs of one module have " << result.layers.size() << " and " << other_result.layers.size()
      << " layers";
  Comparison made{engine, other, {}, {{}, {}, result.cycles, other_result.cycles}};
  for (std::size_t i = 0; i < result.layers.size(); ++i)
    made.layers.push_back({result.layers[i].name, result.layers[i].op, result.layers[i].cost.cycles,
                           other_result.layers[i].cost.cycles});
  return made;
}

void print_comparison(const Comparison& c, const CycleLimits& limits) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const CycleRow& row : c.layers) rows.push_back(row_json(row));
  rows.push_back(row_json(c.total));
  rows.back().update({{"name", "total"}, {"op", ""}});
  print_table(rows, "cycles of layer|operator|" + c.engine + "|" + c.other + "|difference|",
              "{name:<32.32} {op:<16} {cycles:>12} {other_cycles:>12} {difference:>+11} {share*100:>+9.3f}%");
  for (const std::string& sentence : c.beyond(limits)) fmt::print("too far apart: {}\n", sentence);
}

nlohmann::ordered_json comparison_json(const Comparison& c, const CycleLimits& limits) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const CycleRow& row : c.layers) layers.push_back(row_json(row));
  return {{"engine", c.engine},         {"other_engine", c.other}, {"equal", c.equal()},
          {"total", row_json(c.total)}, {"layers", layers},        {"beyond_limits", c.beyond(limits)}};
}

}  // namespace vdla::tools
