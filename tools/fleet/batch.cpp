// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/batch.h"

#include "kit/files.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/json_text.h"
#include "support/output_file.h"

namespace vdla::fleet {
namespace {

constexpr const char *kBatch = "vdla batch 1", *kResult = "vdla batch result 1";

/// Object of that format, with a list under `list`.
Json object_in(const std::filesystem::path& file, const char* format, const char* list) {
  const JsonText text(kit::read_text(file), file.string());
  Json object = text.root();
  VDLA_CHECK_USER(object.is_object() && object.value("format", Json()) == Json(format) &&
                  object.contains(list) && object.at(list).is_array())
      << file.string() << ": is no \"" << format << "\" of this kit, which has a list \"" << list << "\"";
  return object;
}

std::string text_in(const Json& object, const char* key, const std::filesystem::path& file) {
  VDLA_CHECK_USER(object.contains(key) && object.at(key).is_string())
      << file.string() << ": needs a text under \"" << key << "\"";
  return object.at(key);
}

}  // namespace

void write_batch(const std::filesystem::path& file, const Batch& batch) {
  write_output(file.string(), json_dump(Json{{"format", kBatch},
                                             {"kind", batch.kind},
                                             {"kit", batch.kit},
                                             {"head", batch.head},
                                             {"items", batch.items}}));
}

Batch read_batch(const std::filesystem::path& file) {
  const Json object = object_in(file, kBatch, "items");
  return {text_in(object, "kind", file), text_in(object, "kit", file), object.value("head", Json::object()),
          object.at("items").get<std::vector<Json>>()};
}

void write_result(const std::filesystem::path& file, const BatchResult& result) {
  write_output(file.string(), json_dump(Json{{"format", kResult},
                                             {"node", result.node},
                                             {"lost", result.lost},
                                             {"differs", result.differs},
                                             {"answers", result.answers}}));
}

BatchResult read_result(const std::filesystem::path& file, std::size_t items) {
  const Json object = object_in(file, kResult, "answers");
  BatchResult result{object.at("answers").get<std::vector<Json>>(), text_in(object, "node", file),
                     text_in(object, "lost", file), object.value("differs", Json()) == Json(true)};
  VDLA_CHECK_USER(!result.lost.empty() || result.answers.size() == items)
      << file.string() << ": has " << result.answers.size() << " answers, needs " << items;
  return result;
}

}  // namespace vdla::fleet
