// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/comparison.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "tools/explore/energy.h"

namespace vdla::explore {
namespace {

Json side_json(const std::string& title, const Json& record) {
  const double mhz = record.at("variant").at("timing").at("clock_mhz");
  const double ms = record.at("cycles").get<double>() / (1000 * mhz);
  Json side{{"title", title}};
  for (const char* key :
       {"model", "engine", "variant", "cycles", "utilisation", "macs", "macs_on_device", "dram"})
    side[key] = record.at(key);
  side["ms"] = ms;
  side["fps"] = ms > 0 ? 1000 / ms : 0;
  side["energy"] = energy_json(energy_of(record));
  side["units"] = record.at("units");
  side["on_cpu"] = record.at("on_cpu");
  if (record.contains("bound")) side["bound"] = record.at("bound");
  return side;
}

Json layer_json(const Json& layer) {
  const double cycles = layer.at("cycles"), ideal = layer.value("ideal_gemm_cycles", 0.0);
  return {{"op", layer.at("op")},
          {"cycles", layer.at("cycles")},
          {"utilisation", cycles > 0 ? ideal / cycles : 0},
          {"dram", layer.at("dram").at("read").get<std::uint64_t>() +
                       layer.at("dram").at("write").get<std::uint64_t>()},
          {"bound", layer.contains("bound") ? layer.at("bound").at("by") : Json("")},
          {"schedule", layer.at("schedule")},
          {"gemm", layer.at("units").at("gemm")}};
}

constexpr const char* kRest = "(after the last layer)";

/// Layers by name, each name's in order.
using Layers = std::map<std::pair<std::string, std::size_t>, Json>;

Layers layers_of(const Json& record) {
  Layers layers;
  std::map<std::string, std::size_t> seen;
  std::uint64_t sum = 0;
  for (const Json& layer : record.at("layers")) {
    const std::string name = layer.at("name");
    layers[{name, seen[name]++}] = layer_json(layer);
    sum += layer.at("cycles").get<std::uint64_t>();
  }
  const auto cycles = record.at("cycles").get<std::uint64_t>();
  layers[{kRest, 0}] = {{"op", ""},
                        {"cycles", cycles > sum ? cycles - sum : 0},
                        {"utilisation", 0},
                        {"dram", 0},
                        {"bound", ""},
                        {"schedule", ""},
                        {"gemm", Json::object()}};
  return layers;
}

std::int64_t cycles_of(const Json& layer) {
  return layer.is_null() ? 0 : layer.at("cycles").get<std::int64_t>();
}

Json row_json(const std::string& name, const Json& a, const Json& b) {
  return {{"name", name}, {"a", a}, {"b", b}, {"difference", cycles_of(b) - cycles_of(a)}};
}

}  // namespace

Json compare_records(const std::string& a_title, const Json& a, const std::string& b_title, const Json& b) {
  const Layers in_a = layers_of(a), in_b = layers_of(b);
  std::vector<Json> rows;
  for (const auto& [name, layer] : in_a) {
    const auto other = in_b.find(name);
    rows.push_back(row_json(name.first, layer, other == in_b.end() ? Json() : other->second));
  }
  for (const auto& [name, layer] : in_b)
    if (!in_a.contains(name)) rows.push_back(row_json(name.first, Json(), layer));
  std::ranges::stable_sort(rows, std::greater{}, [](const Json& row) {
    return std::abs(row.at("difference").get<std::int64_t>());
  });
  const double before = a.at("cycles"), after = b.at("cycles");
  return {{"format", kComparisonFormat},
          {"a", side_json(a_title, a)},
          {"b", side_json(b_title, b)},
          {"total",
           {{"a", a.at("cycles")},
            {"b", b.at("cycles")},
            {"difference", cycles_of(b) - cycles_of(a)},
            {"gain", before > 0 ? after / before - 1 : 0}}},
          {"layers", rows}};
}

}  // namespace vdla::explore
