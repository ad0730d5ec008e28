// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>

#include "isa/variants/variants.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/workers.h"
#include "tools/explore/measure.h"

namespace vdla::explore {
namespace {

using isa::Geometry;
using isa::Timing;

std::string array_text(const Geometry& g) {
  return fmt::format("{}x{}x{}", g.batch, g.block_in, g.block_out);
}

/// Numbers that are tried together, as the array's shape.
bool is_of_array(unsigned Geometry::* field) {
  return field == &Geometry::batch || field == &Geometry::block_in || field == &Geometry::block_out;
}

class Changes {
 public:
  explicit Changes(const isa::Variant& variant) : variant_(variant) {}

  void geometry(const std::string& key, unsigned Geometry::* field) {
    isa::Variant changed = variant_;
    changed.geometry.*field *= 2;
    add(key + " x2", key, variant_.geometry.*field, changed.geometry.*field, std::move(changed));
  }
  void array(const std::string& key, std::initializer_list<unsigned Geometry::*> fields) {
    isa::Variant changed = variant_;
    for (const auto field : fields) changed.geometry.*field *= 2;
    add(fmt::format("array {}", array_text(changed.geometry)), key, variant_.geometry.macs(),
        changed.geometry.macs(), std::move(changed));
  }
  void timing(const std::string& name, const std::string& key, unsigned Timing::* field, bool half = false) {
    isa::Variant changed = variant_;
    changed.timing.*field = half ? changed.timing.*field / 2 : changed.timing.*field * 2;
    add(name, key, variant_.timing.*field, changed.timing.*field, std::move(changed));
  }

  std::vector<Change> all;

 private:
  void add(std::string name, std::string key, unsigned from, unsigned to, isa::Variant changed) {
    changed.name = variant_.name + ", " + name;
    all.push_back({std::move(name), std::move(key), from, to, std::move(changed)});
  }

  const isa::Variant& variant_;
};

/// The nodes of a record's on_cpu stay there, whatever a changed variant could do.
pipeline::CompileOptions as_in(const Json& record, const isa::Variant& variant) {
  pipeline::CompileOptions options;
  options.variant = variant;
  options.machine_code = false;
  for (const Json& node : record.value("on_cpu", Json::array()))
    options.as_before[node.at("name").get<std::string>()] = "as in the record";
  return options;
}

/// Why cycles cannot be compared: a layer that the device had is on the CPU; or nothing.
std::string moved_off(const Json& record, const Json& changed) {
  std::set<std::string> had;
  for (const Json& layer : record.at("layers")) had.insert(layer.at("name").get<std::string>());
  for (const Json& node : changed.at("on_cpu"))
    if (const auto name = node.at("name").get<std::string>(); had.contains(name))
      return fmt::format("'{}' moves to the CPU: {}", name, node.at("reason").get<std::string>());
  if (changed.at("macs_on_device") < record.at("macs_on_device"))
    return "multiply-accumulates move to the CPU";
  return "";
}

std::map<std::string, double> cycles_by_layer(const Json& record) {
  std::map<std::string, double> cycles;
  for (const Json& layer : record.at("layers"))
    cycles[layer.at("name").get<std::string>()] += layer.at("cycles").get<double>();
  return cycles;
}

Json area_change(const Area& before, const Area& after) {
  Json json;
  for (const Resource& r : kResources) {
    std::string name(r.name);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    json[name] = after.*r.of - before.*r.of;
  }
  return json;
}

/// Result of a change that the part has no room for; nothing for one that is to be tried.
std::optional<Json> no_room(const Change& change, const AreaModel& model, const std::optional<Part>& part) {
  if (!part) return std::nullopt;
  const std::string over = fit(model.estimate(change.variant.geometry), *part).over;
  if (over.empty()) return std::nullopt;
  return Json{{"status", "does not fit"}, {"reason", fmt::format("does not fit {}: {}", part->name, over)}};
}

/// measure() of each variant in a process of its own; "status": "failed" where that died.
std::vector<Json> measure_all(const graph::Graph& graph, const std::vector<pipeline::CompileOptions>& all,
                              const std::vector<std::string>& names, const AdviceOptions& options) {
  Progress progress;
  progress.points = all.size();
  const auto begin = std::chrono::steady_clock::now();
  const auto count = [&](std::size_t i, const Json& point) {
    ++progress.done;
    if (point.at("status") == "unbuildable") ++progress.unbuildable;
    if (point.at("status") == "failed") ++progress.failed;
    progress.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    progress.last = names[i];
    if (options.progress) options.progress(progress);
  };
  Workers workers(
      options.jobs, Workers::kNoLimit,
      [&](const Json& i, unsigned) { return measure(graph, all[i.get<std::size_t>()], "systemc"); },
      Workers::Renew::AfterTask);
  std::vector<Json> tasks(all.size());
  std::iota(tasks.begin(), tasks.end(), 0);
  return workers.run(tasks, count);
}

void check_unchanged(const Json& point, const Json& record, const std::string& variant) {
  VDLA_CHECK_USER(point.at("status") == "ok")
      << "the model on variant '" << variant << "' as it is: " << point.at("reason").get<std::string>();
  const Json& again = point.at("record").at("cycles");
  VDLA_CHECK_USER(again == record.at("cycles")) << "the model on variant '" << variant << "' takes " << again
                                                << " cycles, its record has " << record.at("cycles")
                                                << ": advice needs the record's own model, compiled without "
                                                   "--no-on-chip and --no-latency-hiding by this kit";
}

Json tried_json(const Change& change, const Json& point, const Json& record, const AreaModel& model,
                const Area& area) {
  Json tried{{"change", change.name}, {"key", change.key}, {"from", change.from}, {"to", change.to}};
  std::string status = point.at("status"), reason = point.value("reason", "");
  if (status == "ok") {
    reason = moved_off(record, point.at("record"));
    if (!reason.empty()) status = "elsewhere";
  }
  tried["status"] = status;
  if (status != "ok") {
    if (const std::string prefix = change.variant.name + ": "; reason.starts_with(prefix))
      reason.erase(0, prefix.size());
    tried["reason"] = reason;
    return tried;
  }
  const double gain = point.at("record").at("cycles").get<double>() / record.at("cycles").get<double>() - 1;
  tried["cycles"] = point.at("record").at("cycles");
  tried["gain"] = gain;
  tried["proposed"] = gain <= -kWorthwhile;
  const Area changed = model.estimate(change.variant.geometry);
  tried["area"] = area_change(area, changed);
  if (changed.lut < area.lut) tried["area_note"] = AreaModel::why_fewer_luts();
  return tried;
}

/// One result for each change: those that fit are measured.
std::vector<Json> try_all(const graph::Graph& graph, const std::vector<Change>& changes, const Json& record,
                          const AreaModel& model, const AdviceOptions& options) {
  std::vector<Json> points(changes.size());
  std::vector<std::size_t> measured;
  std::vector<pipeline::CompileOptions> all;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (auto refused = no_room(changes[i], model, options.part)) {
      points[i] = std::move(*refused);
      continue;
    }
    measured.push_back(i);
    all.push_back(as_in(record, changes[i].variant));
    names.push_back(changes[i].name);
  }
  std::vector<Json> results = measure_all(graph, all, names, options);
  for (std::size_t i = 0; i < measured.size(); ++i) points[measured[i]] = std::move(results[i]);
  return points;
}

/// Proposed changes that make each layer quicker. A layer that a changed variant computes together with
/// another one has no cycles of its own there, and is left out.
Json layers_json(const Json& record, const Json& tried, const std::map<std::string, Json>& records) {
  Json rows = Json::array();
  for (const auto& [name, before] : cycles_by_layer(record)) {
    std::vector<Json> helps;
    for (const Json& change : tried) {
      if (!change.value("proposed", false)) continue;
      const auto after = cycles_by_layer(records.at(change.at("change")));
      const auto found = after.find(name);
      if (found == after.end() || before == 0 || found->second > (1 - kWorthwhile) * before) continue;
      helps.push_back({{"change", change.at("change")},
                       {"cycles", static_cast<std::uint64_t>(found->second)},
                       {"gain", found->second / before - 1}});
    }
    std::ranges::stable_sort(helps, {}, [](const Json& h) { return h.at("gain").get<double>(); });
    rows.push_back({{"name", name}, {"helps", helps}});
  }
  return rows;
}

}  // namespace

std::vector<Change> changes_of(const isa::Variant& variant) {
  Changes changes(variant);
  for (const isa::GeometryField& field : isa::kGeometryFields)
    if (!is_of_array(field.member)) changes.geometry(std::string(field.name), field.member);
  changes.array("batch", {&Geometry::batch});
  changes.array("block_in", {&Geometry::block_in});
  changes.array("block_out", {&Geometry::block_out});
  changes.array("block_in,block_out", {&Geometry::block_in, &Geometry::block_out});
  changes.timing("DRAM bytes per cycle x2", "dram_bytes_per_cycle", &Timing::dram_bytes_per_cycle);
  changes.timing("DRAM latency half", "dram_latency", &Timing::dram_latency, true);
  changes.timing("DRAM requests in flight x2", "dram_outstanding", &Timing::dram_outstanding);
  changes.timing("DRAM bursts x2", "dram_burst_bytes", &Timing::dram_burst_bytes);
  return changes.all;
}

Json advise(const graph::Graph& graph, const Json& record, const AdviceOptions& options) {
  const isa::Variant variant = isa::parse_variant(record.at("variant").dump(), "the record's variant");
  const std::vector<Change> changes = changes_of(variant);
  check_unchanged(measure_all(graph, {as_in(record, variant)}, {"as it is"}, {}).at(0), record, variant.name);
  const AreaModel model({kept_syntheses().begin(), kept_syntheses().end()});
  const std::vector<Json> points = try_all(graph, changes, record, model, options);
  const Area area = model.estimate(variant.geometry);
  std::vector<Json> tried;
  std::map<std::string, Json> records;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    tried.push_back(tried_json(changes[i], points[i], record, model, area));
    if (tried.back().at("status") == "ok") records[changes[i].name] = points[i].at("record");
  }
  std::ranges::stable_sort(tried, {}, [](const Json& t) { return t.value("gain", 1e9); });
  return {{"worthwhile", kWorthwhile}, {"tried", tried}, {"layers", layers_json(record, tried, records)}};
}

}  // namespace vdla::explore
