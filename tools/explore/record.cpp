// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/record.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "isa/variants/variants.h"
#include "support/error.h"
#include "support/json_text.h"
#include "tools/explore/energy.h"
#include "tools/explore/memory_map.h"
#include "tools/explore/operations.h"

namespace vdla::explore {
namespace {

using isa::kBuffers;
using isa::kUnits;
using isa::kWindows;
using trace::Accounts;
using trace::Profile;

const runtime::DeviceStep& device_step(const runtime::Module& module, std::size_t step) {
  return std::get<runtime::DeviceStep>(module.steps.at(step));
}

/// {"gemm": {"busy": 12, "pop load": 3}, ...}, which has to add up to `cycles` in each unit.
Json accounts_json(const Accounts& accounts, trace::Cycle cycles) {
  Json json;
  for (const auto& unit : kUnits) {
    const trace::Account& account = accounts[unit.code];
    VDLA_CHECK(trace::total(account) == cycles)
        << "unit " << unit.text << " accounts for " << trace::total(account) << " of " << cycles << " cycles";
    Json& row = json[std::string(unit.text)] = Json::object();
    for (const auto& [reason, count] : account) row[trace::to_string(reason)] = count;
  }
  return json;
}

void add(Accounts& sum, const Accounts& part) {
  for (std::size_t unit = 0; unit < sum.size(); ++unit)
    for (const auto& [reason, cycles] : part[unit]) sum[unit][reason] += cycles;
}

Json traffic_json(const trace::Traffic& t) { return {{"read", t.read_bytes}, {"write", t.write_bytes}}; }

Json busy_json(const std::array<trace::Cycle, kUnits.size()>& busy) {
  Json json;
  for (const auto& unit : kUnits)
    if (unit.code < isa::kQueueUnits) json[std::string(unit.text)] = busy[unit.code];
  return json;
}

/// Bounds of a stretch of cycles; "works" of the busiest resource and "lost" add up to the cycles.
Json bound_json(const trace::Bound& bound) {
  const auto busiest = static_cast<std::size_t>(bound.busiest());
  Json json{{"by", bound.by()}, {"busiest", trace::kResourceTexts[busiest]}};
  for (std::size_t r = 0; r < trace::kResources; ++r)
    json["works"][std::string(trace::kResourceTexts[r])] = bound.works[r];
  for (std::size_t l = 0; l < trace::kLosses; ++l)
    json["lost"][std::string(trace::kLossTexts[l])] = bound.lost[busiest][l];
  return json;
}

/// Layers of all device steps, in the order in which they retire.
Json layers_json(const runtime::Module& module, const runtime::Result& result,
                 const std::vector<kit::StepProfile>& profiles) {
  Json rows = Json::array();
  using Key = std::pair<std::size_t, std::string_view>;  // step, and layer of it
  std::map<Key, const runtime::LayerResult*> results;
  for (const runtime::LayerResult& r : result.layers) results.insert_or_assign(Key(r.step, r.name), &r);
  std::map<Key, const runtime::NodeInfo*> nodes;
  for (const runtime::NodeInfo& n : module.nodes)
    if (n.step >= 0) nodes.insert_or_assign(Key(n.step, n.layer), &n);
  trace::Cycle origin = 0;
  for (const kit::StepProfile& p : profiles) {
    const isa::SourceMap& map = device_step(module, p.step).program.source_map;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < map.layers.size(); ++i)
      if (p.profile.layers[i].end != 0) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return p.profile.layers[a].end < p.profile.layers[b].end; });
    for (const std::size_t i : order) {
      const trace::LayerProfile& layer = p.profile.layers[i];
      Json row{{"name", map.layers[i].name},
               {"op", map.layers[i].op},
               {"schedule", map.layers[i].schedule},
               {"step", p.step},
               {"begin", origin + layer.end - layer.cycles},
               {"cycles", layer.cycles}};
      const Key key(p.step, map.layers[i].name);
      if (const auto node = nodes.find(key); node != nodes.end()) row["reason"] = node->second->reason;
      if (stands_for_one(map.layers[i].sources)) row["tensor"] = map.layers[i].sources.front().name;
      if (const auto r = results.find(key); r != results.end()) {
        row["macs"] = r->second->macs;
        row["ideal_gemm_cycles"] = r->second->ideal_gemm_cycles;
      }
      row["dram"] = traffic_json(layer.traffic);
      row["own_busy"] = busy_json(layer.own_busy);
      row["units"] = accounts_json(layer.units, layer.cycles);
      row["bound"] = bound_json(layer.bound);
      rows.push_back(std::move(row));
    }
    origin += p.profile.cycles;
  }
  return rows;
}

Json operations_json(const runtime::Module& module, const std::vector<kit::StepProfile>& profiles) {
  Operations sum;
  for (const kit::StepProfile& p : profiles) sum += operations_of(device_step(module, p.step).program);
  Json json{{"array_macs", sum.array_macs}};
  for (const auto& op : isa::kVectorOps) json["lane_steps"][std::string(op.text)] = sum.lane_steps[op.code];
  for (const auto& buffer : kBuffers)
    json["sram"][std::string(buffer.text)] = {{"read", sum.sram[buffer.code].read_bytes},
                                              {"write", sum.sram[buffer.code].written_bytes}};
  return json;
}

/// Busy cycles of each unit and bytes on the bus, bin by bin; one entry per run of the device.
Json timeline_json(const std::vector<kit::StepProfile>& profiles) {
  Json json = Json::array();
  for (const kit::StepProfile& p : profiles) {
    Json run{{"step", p.step}, {"cycles", p.profile.cycles}, {"bin_cycles", p.profile.bin_cycles}};
    for (const auto& unit : kUnits) {
      Json& busy = run["busy"][std::string(unit.text)] = Json::array();
      for (const trace::Bin& bin : p.profile.bins) busy.push_back(bin.busy[unit.code]);
    }
    Json& read = run["read_bytes"] = Json::array();
    Json& write = run["write_bytes"] = Json::array();
    for (const trace::Bin& bin : p.profile.bins) {
      read.push_back(bin.traffic.read_bytes);
      write.push_back(bin.traffic.write_bytes);
    }
    json.push_back(std::move(run));
  }
  return json;
}

Json range_json(const std::array<Range, isa::kWindowCount>& ranges) {
  Json json = Json::object();
  for (const auto& window : kWindows)
    if (const Range& r = ranges[window.code]; r.begin != r.end)
      json[std::string(window.text)] = {r.begin, r.end};
  return json;
}

Json memory_json(const runtime::Module& module, const std::vector<kit::StepProfile>& profiles) {
  Json json = Json::array();
  for (const kit::StepProfile& p : profiles) {
    const isa::Program& program = device_step(module, p.step).program;
    Json step{{"step", p.step}};
    for (const auto& window : kWindows)
      if (const auto bytes = program.window_size(static_cast<isa::Window>(window.code)); bytes != 0)
        step["windows"][std::string(window.text)] = bytes;
    step["layers"] = Json::array();
    const auto layers = memory_of_layers(program);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      Json row{{"name", program.source_map.layers[i].name},
               {"read", range_json(layers[i].read)},
               {"write", range_json(layers[i].written)}};
      for (const auto& buffer : kBuffers)
        row["entries"][std::string(buffer.text)] = layers[i].entries[buffer.code];
      step["layers"].push_back(std::move(row));
    }
    json.push_back(std::move(step));
  }
  return json;
}

Json buffers_json(const isa::Geometry& g) {
  Json json;
  for (const auto& row : kBuffers) {
    const auto buffer = static_cast<isa::Buffer>(row.code);
    json[std::string(row.text)] = {{"entries", g.depth(buffer)}, {"entry_bytes", g.entry_bytes(buffer)}};
  }
  return json;
}

/// Under the name that is shown.
Json variant_json(isa::Variant variant) {
  variant.name = isa::label(variant);
  return Json::parse(isa::to_json(variant));
}

/// Nodes with multiply-accumulates that are not on the device.
Json on_cpu_json(const runtime::Module& module) {
  Json json = Json::array();
  for (const auto& node : module.nodes)
    if (node.place == "cpu")
      json.push_back({{"name", node.name}, {"op", node.op}, {"macs", node.macs}, {"reason", node.reason}});
  return json;
}

}  // namespace

Json run_record(const runtime::Module& module, const std::string& engine, const runtime::Result& result,
                const std::vector<kit::StepProfile>& profiles, const RecordOptions& options) {
  std::uint64_t macs = 0, device_macs = 0;
  double ideal = 0;
  for (const auto& node : module.nodes) {
    macs += node.macs;
    if (node.place != "vdla") continue;
    device_macs += node.macs;
    ideal += runtime::ideal_gemm_cycles(node, module.variant.geometry);
  }
  Json record{{"format", kRecordFormat},
              {"model", module.model_name},
              {"engine", engine},
              {"producer", module.provenance.producer},
              {"variant", variant_json(module.variant)},
              {"buffers", buffers_json(module.variant.geometry)},
              {"cycles", result.cycles},
              {"ideal_gemm_cycles", ideal},
              {"utilisation", result.cycles == 0 ? 0 : ideal / static_cast<double>(result.cycles)},
              {"macs", macs},
              {"macs_on_device", device_macs},
              {"on_cpu", on_cpu_json(module)}};
  Accounts units;
  trace::Bound bound;
  trace::Cycle cycles = 0;
  std::array<trace::Traffic, isa::kWindowCount> windows{};
  for (const kit::StepProfile& p : profiles) {
    add(units, p.profile.units);
    for (const trace::LayerProfile& layer : p.profile.layers) bound += layer.bound;
    bound += p.profile.rest.bound;
    cycles += p.profile.cycles;
    for (std::size_t w = 0; w < windows.size(); ++w) {
      windows[w].read_bytes += p.profile.windows[w].read_bytes;
      windows[w].write_bytes += p.profile.windows[w].write_bytes;
    }
  }
  VDLA_CHECK(cycles == result.cycles)
      << "the trace shows " << cycles << " cycles, the device's counter " << result.cycles;
  for (const auto& window : kWindows)
    if (const auto& t = windows[window.code]; t.read_bytes + t.write_bytes != 0)
      record["traffic"][std::string(window.text)] = traffic_json(t);
  record["dram"] = {{"read", result.read_bytes}, {"write", result.write_bytes}};
  record["units"] = accounts_json(units, cycles);
  record["bound"] = bound_json(bound);
  record["operations"] = operations_json(module, profiles);
  record["layers"] = layers_json(module, result, profiles);
  if (options.pictures) {
    record["timeline"] = timeline_json(profiles);
    record["memory"] = memory_json(module, profiles);
  }
  return record;
}

namespace {

/// UserError unless `object`, at `pointer` of the text, has members of these types.
void require_members(const JsonText& source, const std::string& pointer, const Json& object,
                     std::initializer_list<std::pair<const char*, const Json&>> members) {
  VDLA_CHECK_USER(object.is_object())
      << source.at(pointer) << " is " << object.type_name() << ", needs object";
  for (const auto& [name, needed] : members) {
    const bool there = object.contains(name);
    VDLA_CHECK_USER(there && std::string_view(object.at(name).type_name()) == needed.type_name())
        << source.at(pointer + "/" + name) << " is " << (there ? object.at(name).type_name() : "missing")
        << ", needs " << needed.type_name();
  }
}

/// Requires what vdla run writes of a GPU (gpu_run_json()).
void require_gpu(const JsonText& source, const Json& gpu) {
  const Json number = 0u, string = "", list = Json::array();
  require_members(source, "/gpu", gpu,
                  {{"device", string},
                   {"clock", string},
                   {"bytes_to_gpu", number},
                   {"bytes_from_gpu", number},
                   {"seconds", number},
                   {"kernel_seconds", number},
                   {"layers", list}});
  for (std::size_t i = 0; i < gpu.at("layers").size(); ++i) {
    const Json& layer = gpu.at("layers")[i];
    const std::string pointer = "/gpu/layers/" + std::to_string(i);
    require_members(
        source, pointer, layer,
        {{"name", string}, {"op", string}, {"template", string}, {"launches", number}, {"macs", number}});
    if (layer.contains("seconds")) require_members(source, pointer, layer, {{"seconds", number}});
    if (gpu.contains("beside"))
      require_members(source, pointer, layer, {{"begin", number}, {"cycles", number}});
  }
  if (!gpu.contains("beside")) return;
  require_members(source, "/gpu/beside", gpu.at("beside"),
                  {{"cycles", number}, {"device_waits", number}, {"device", list}});
  for (std::size_t i = 0; i < gpu.at("beside").at("device").size(); ++i)
    require_members(source, "/gpu/beside/device/" + std::to_string(i), gpu.at("beside").at("device")[i],
                    {{"step", number}, {"begin", number}, {"cycles", number}});
}

}  // namespace

Json parse_record(const std::string& text, const std::string& origin) {
  VDLA_CHECK_USER(first_key(text, {"format", "traceEvents"}) != "traceEvents")
      << origin << ": is no record of a run but a timeline (Trace Event JSON), which ui.perfetto.dev shows; "
      << "needs a file that vdla run --record wrote";
  std::optional<JsonText> source;
  try {
    source.emplace(text, origin);
  } catch (const UserError& e) {
    throw UserError(std::string(e.what()) + "; a record is what vdla run --record wrote");
  }
  const Json& json = source->root();
  VDLA_CHECK_USER(json.is_object() && json.contains("format") && json.at("format") == kRecordFormat)
      << origin << ": is no record of a run, needs a file that vdla run --record wrote";
  const Json number = 0u, string = "", list = Json::array(), object = Json::object();
  require_members(*source, "", json,
                  {{"model", string}, {"cycles", number}, {"units", object}, {"layers", list}});
  if (json.contains("gpu")) require_gpu(*source, json.at("gpu"));
  try {
    energy_of(json);
  } catch (const UserError& e) {
    throw UserError(origin + ": " + e.what());
  }
  return json;
}

}  // namespace vdla::explore
