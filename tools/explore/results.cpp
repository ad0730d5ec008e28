// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/variants/variants.h"
#include "support/error.h"
#include "support/inert.h"
#include "support/json_dump.h"
#include "tools/explore/energy.h"

namespace vdla::explore {
namespace {

Json area_json(const Area& area) {
  return {{"lut", std::round(area.lut)},
          {"ff", std::round(area.ff)},
          {"dsp", std::round(area.dsp)},
          {"bram", std::round(2 * area.bram) / 2}};
}

/// Parts of a record's layer that the page draws.
Json layer_json(const Json& layer) {
  return {{"name", layer.at("name")},
          {"op", layer.at("op")},
          {"schedule", layer.at("schedule")},
          {"macs", layer.value("macs", 0)},
          {"cycles", layer.at("cycles")},
          {"ideal", layer.value("ideal_gemm_cycles", 0.0)},
          {"read", layer.at("dram").at("read")},
          {"write", layer.at("dram").at("write")},
          {"gemm", layer.at("units").at("gemm")}};
}

/// How far the engine's cycles are from the RTL's.
Json rtl_json(const Json& record, const Json& rtl) {
  const double cycles = rtl.at("cycles");
  double worst = 0;
  for (std::size_t i = 0; i < rtl.at("layers").size(); ++i) {
    const double truth = rtl["layers"][i].at("cycles"), model = record.at("layers").at(i).at("cycles");
    if (truth > 0) worst = std::max(worst, std::abs(model / truth - 1));
  }
  return {{"cycles", rtl.at("cycles")},
          {"error", record.at("cycles").get<double>() / cycles - 1},
          {"worst_layer_error", worst}};
}

void describe_run(Json& point, const Json& record, const isa::Variant& variant) {
  const double cycles = record.at("cycles");
  const double ms = cycles / (1000 * variant.timing.clock_mhz);
  point["cycles"] = record.at("cycles");
  point["ms"] = ms;
  point["fps"] = 1000 / ms;
  for (const char* key :
       {"utilisation", "ideal_gemm_cycles", "macs", "macs_on_device", "on_cpu", "dram", "traffic", "units"})
    point[key] = record.at(key);
  point["energy"] = energy_json(energy_of(record));
  point["layers"] = Json::array();
  for (const Json& layer : record.at("layers")) point["layers"].push_back(layer_json(layer));
}

Json part_json(const Part& part) {
  Json json = area_json(part.area);
  json["name"] = part.name;
  return json;
}

Json area_model_json(const AreaModel& model) {
  Json json{{"text", model.describe()}, {"errors", Json::array()}};
  for (const AreaModel::Error& e : model.leave_one_out())
    json["errors"].push_back({{"point", e.point},
                              {"resource", e.resource},
                              {"measured", e.measured},
                              {"predicted", e.predicted},
                              {"error", e.relative()}});
  return json;
}

void mark_front(Json& results) {
  const auto best = best_points(results);
  for (const std::size_t p : best) {
    Json& point = results["points"][p];
    const bool beaten = std::any_of(best.begin(), best.end(), [&](std::size_t q) {
      const Json& other = results["points"][q];
      const double fps = other.at("fps").get<double>() - point.at("fps").get<double>();
      const double cost = cost_of(other) - cost_of(point);
      return other.at("network") == point.at("network") && fps >= 0 && cost <= 0 && (fps > 0 || cost < 0);
    });
    point["front"] = !beaten;
  }
}

}  // namespace

double cost_of(const Json& point) {
  return point.contains("share") ? point.at("share").get<double>() : point.at("area").at("lut").get<double>();
}

Json results_of(const std::vector<SweepVariant>& variants, const std::vector<Network>& networks,
                const std::vector<Point>& points, const std::map<std::size_t, Json>& rtl_records,
                const ResultOptions& options) {
  const AreaModel model({kept_syntheses().begin(), kept_syntheses().end()});
  Json results{{"format", kResultsFormat},   {"title", options.title},   {"kit", options.kit},
               {"command", options.command}, {"engine", options.engine}, {"part", nullptr}};
  if (options.part) results["part"] = part_json(*options.part);
  for (const Network& n : networks) results["networks"].push_back({{"name", n.name}, {"hash", n.hash}});
  results["variants"] = Json::array();
  for (const SweepVariant& v : variants) {
    Json json{{"name", v.name}};
    if (v.fault.empty()) json = Json::parse(isa::to_json(v.variant));
    results["variants"].push_back(std::move(json));
  }
  results["points"] = Json::array();
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Point& from = points[p];
    const isa::Variant& variant = variants[from.variant].variant;
    Json point{{"variant", from.variant}, {"network", from.network}, {"status", from.result.at("status")}};
    if (point["status"] != "ok") {
      point["reason"] = from.result.at("reason");
      results["points"].push_back(std::move(point));
      continue;
    }
    const Json& record = from.result.at("record");
    describe_run(point, record, variant);
    const Area area = model.estimate(variant.geometry);
    point["area"] = area_json(area);
    if (options.part) {
      const Fit on_part = fit(area, *options.part);
      point["share"] = on_part.share;
      point["fits"] = on_part.over.empty();
      point["over"] = on_part.over;
    }
    if (const auto found = rtl_records.find(p); found != rtl_records.end())
      point["rtl"] = rtl_json(record, found->second);
    point["lost"] = from.result.at("lost");
    if (from.result.contains("default_cycles")) point["default_cycles"] = from.result.at("default_cycles");
    point["seconds"] = from.result.at("seconds");
    point["front"] = false;
    results["points"].push_back(std::move(point));
  }
  mark_front(results);
  results["area_model"] = area_model_json(model);
  results["energy_model"] = energy_model_json();
  return results;
}

std::vector<std::size_t> best_points(const Json& results) {
  std::vector<std::size_t> order;
  const Json& points = results.at("points");
  for (std::size_t p = 0; p < points.size(); ++p)
    if (points[p].at("status") == "ok" && points[p].value("fits", true) &&
        points[p].at("macs") == points[p].at("macs_on_device"))
      order.push_back(p);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return points[a].at("fps").template get<double>() > points[b].at("fps").template get<double>();
  });
  return order;
}

const VariantKeys& variant_keys() {
  static const VariantKeys keys = [] {
    VariantKeys made;
    const Json variant = Json::parse(isa::to_json({}));
    for (const auto& [key, value] : variant.at("geometry").items()) made.geometry.push_back(key);
    for (const auto& [key, value] : variant.at("timing").items()) made.timing.push_back(key);
    return made;
  }();
  return keys;
}

std::string csv_of(const Json& results) {
  std::string csv = "variant,network,status,reason";
  for (const std::string& key : variant_keys().geometry) csv += "," + key;
  for (const std::string& key : variant_keys().timing) csv += "," + key;
  csv += ",cycles,ms,inferences_per_second,utilisation,macs,macs_on_device";
  for (const auto& w : isa::kWindows) csv += fmt::format(",{0}_read_bytes,{0}_write_bytes", w.text);
  csv += ",lut,ff,dsp,bram36,fits,energy_uj,front,rtl_cycles,rtl_error,lost,default_cycles\n";
  for (const Json& point : results.at("points")) {
    const Json& variant = results.at("variants").at(point.at("variant").get<std::size_t>());
    const bool ok = point.at("status") == "ok";
    csv += fmt::format("{},{},{},{}", csv_text(variant.at("name").get_ref<const std::string&>()),
                       csv_text(results.at("networks")
                                    .at(point.at("network").get<std::size_t>())
                                    .at("name")
                                    .get_ref<const std::string&>()),
                       point.at("status").get<std::string>(), csv_text(point.value("reason", "")));
    const auto value = [&](const Json& object, const std::string& key) {
      csv += ',';
      if (object.is_object() && object.contains(key)) csv += json_dump(object.at(key));
    };
    const Json geometry = variant.value("geometry", Json()), timing = variant.value("timing", Json());
    for (const std::string& key : variant_keys().geometry) value(geometry, key);
    for (const std::string& key : variant_keys().timing) value(timing, key);
    for (const char* key : {"cycles", "ms", "fps", "utilisation", "macs", "macs_on_device"})
      value(point, key);
    for (const auto& w : isa::kWindows) {
      const Json traffic = ok ? point.at("traffic").value(std::string(w.text), Json()) : Json();
      value(traffic, "read");
      value(traffic, "write");
    }
    const Json area = point.value("area", Json());
    for (const char* key : {"lut", "ff", "dsp", "bram"}) value(area, key);
    value(point, "fits");
    value(point.value("energy", Json()), "total");
    value(point, "front");
    value(point.value("rtl", Json()), "cycles");
    value(point.value("rtl", Json()), "error");
    csv += ',';
    if (ok) csv += std::to_string(point.at("lost").size());
    value(point, "default_cycles");
    csv += '\n';
  }
  return csv;
}

}  // namespace vdla::explore
