// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bench/gpu/package.h"
#include "bench/gpu/values.h"
#include "support/error.h"

namespace vdla::bench::gpu {
namespace {

Json to_json(const Fill& fill) {
  Json json = Json::object();
  if (!fill.file.empty()) json["file"] = fill.file;
  if (fill.seed) {
    json["seed"] = *fill.seed;
    json["scale"] = fill.scale;
    json["type"] = fill.type;
    if (fill.rows > 0) json["rows"] = fill.rows;
  }
  return json;
}

Fill fill_from(const Json& json) {
  Fill fill;
  fill.file = json.value("file", "");
  if (json.contains("seed")) fill.seed = json.at("seed").get<std::uint64_t>();
  fill.scale = json.value("scale", 0.0);
  fill.type = json.value("type", "float32");
  VDLA_CHECK_USER(seeded_width(fill.type))
      << "a seed of the package is for values of '" << fill.type << "', needs float32, float16 or int8";
  fill.rows = json.value("rows", std::size_t{0});
  return fill;
}

Json to_json(const Expected& expected) {
  Json json = Json::object();
  json["type"] = expected.type;
  if (!expected.file.empty()) return json["file"] = expected.file, json;
  json["elements"] = expected.elements;
  json["values"] = expected.values;
  return json;
}

Expected expected_from(const Json& json) {
  Expected expected{json.at("type"), json.value("file", ""), {}, {}};
  if (expected.file.empty()) {
    json.at("elements").get_to(expected.elements);
    json.at("values").get_to(expected.values);
  }
  return expected;
}

Json to_json(const Candidate& c) {
  Json json{{"name", c.name}, {"point", c.point}, {"parts", c.files}, {"outputs", c.outputs}};
  json["buffers"] = Json::array();
  for (std::size_t i = 0; i < c.fills.size(); ++i)
    json["buffers"].push_back({{"bytes", c.program.buffer_bytes[i]}, {"fill", to_json(c.fills[i])}});
  json["offsets"] = c.program.offsets;
  json["launches"] = Json::array();
  for (const vdla::gpu::Launch& l : c.program.launches)
    json["launches"].push_back({{"part", l.part},
                                {"kernel", l.kernel},
                                {"blocks", l.blocks},
                                {"threads", l.threads},
                                {"shared_bytes", l.shared_bytes},
                                {"arguments", l.arguments}});
  json["functions"] = Json::array();
  for (const Function& f : c.functions)
    json["functions"].push_back({{"layer", f.layer},
                                 {"template", f.by},
                                 {"knobs", f.knobs},
                                 {"key", f.key},
                                 {"first", f.first},
                                 {"last", f.last}});
  return json;
}

Candidate candidate_from(const Json& json) {
  Candidate c;
  json.at("name").get_to(c.name);
  json.at("point").get_to(c.point);
  json.at("parts").get_to(c.files);
  json.at("outputs").get_to(c.outputs);
  for (const Json& buffer : json.at("buffers")) {
    c.program.buffer_bytes.push_back(buffer.at("bytes"));
    c.fills.push_back(fill_from(buffer.at("fill")));
  }
  json.at("offsets").get_to(c.program.offsets);
  for (const Json& l : json.at("launches")) {
    vdla::gpu::Launch& launch = c.program.launches.emplace_back();
    l.at("part").get_to(launch.part);
    l.at("kernel").get_to(launch.kernel);
    l.at("blocks").get_to(launch.blocks);
    l.at("threads").get_to(launch.threads);
    l.at("shared_bytes").get_to(launch.shared_bytes);
    l.at("arguments").get_to(launch.arguments);
  }
  for (const Json& f : json.at("functions"))
    c.functions.push_back(
        {f.at("layer"), f.at("template"), f.at("knobs"), f.at("key"), f.at("first"), f.at("last")});
  return c;
}

}  // namespace

Json to_json(const Task& task) {
  Json json = Json::object();
  json["id"] = task.id;
  if (!task.about.is_null()) json.update(task.about);
  json["flops"] = task.flops;
  json["timed"] = task.is_timed;
  json["tolerance"] = task.tolerance;
  json["expected"] = Json::array();
  for (const Expected& e : task.expected) json["expected"].push_back(to_json(e));
  json["candidates"] = Json::array();
  for (const Candidate& c : task.candidates) json["candidates"].push_back(to_json(c));
  return json;
}

Task task_from(const Json& json) {
  const std::string id = json.value("id", "without an id");
  try {
    Task task;
    task.id = id;
    for (const auto& [key, value] : json.items())
      if (key != "expected" && key != "candidates") task.about[key] = value;
    json.at("flops").get_to(task.flops);
    json.at("timed").get_to(task.is_timed);
    json.at("tolerance").get_to(task.tolerance);
    for (const Json& e : json.at("expected")) task.expected.push_back(expected_from(e));
    for (const Json& c : json.at("candidates")) task.candidates.push_back(candidate_from(c));
    return task;
  } catch (const Json::exception& error) {
    throw UserError(fmt::format("task {} of the package: {}", id, error.what()));
  }
}

}  // namespace vdla::bench::gpu
