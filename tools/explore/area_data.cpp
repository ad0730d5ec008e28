// SPDX-License-Identifier: Apache-2.0
// Syntheses and parts from the kit's data files.
#include <nlohmann/json.hpp>

#include <filesystem>

#include "isa/variants/variants.h"
#include "support/error.h"
#include "tools/explore/area.h"
#include "tools/explore/kept.h"
#include "tools/vdla/files.h"

namespace vdla::explore {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kHalf = 0.5;  // a block of 18 kbit

Synthesis read_synthesis(const KeptFile& file) {
  const Json json = Json::parse(file.text);
  const Json variant{{"name", json.at("name")}, {"geometry", json.at("geometry")}};
  return {json.at("name"),
          isa::parse_variant(variant.dump(), file.name).geometry,
          {.lut = json.at("lut"),
           .ff = json.at("ff"),
           .dsp = json.at("dsp"),
           .bram = json.at("ramb36").get<double>() + kHalf * json.at("ramb18").get<double>()}};
}

Part read_part(const Json& json, const std::string& where) {
  for (const char* key : {"lut", "ff", "dsp", "bram36"})
    VDLA_CHECK_USER(json.contains(key) && json.at(key).is_number() && json.at(key) > 0)
        << where << ": a part needs a positive '" << key << "'";
  return {json.value("name", where),
          {.lut = json.at("lut"), .ff = json.at("ff"), .dsp = json.at("dsp"), .bram = json.at("bram36")}};
}

}  // namespace

std::span<const Synthesis> kept_syntheses() {
  static const std::vector<Synthesis> kSyntheses = [] {
    std::vector<Synthesis> all;
    for (const KeptFile& file : synthesis_files()) all.push_back(read_synthesis(file));
    return all;
  }();
  return kSyntheses;
}

Part load_part(const std::string& name_or_path) {
  std::string known;
  for (const Json& part : Json::parse(parts_file())) {
    if (part.at("name") == name_or_path) return read_part(part, name_or_path);
    known += (known.empty() ? "" : ", ") + part.at("name").get<std::string>();
  }
  VDLA_CHECK_USER(std::filesystem::is_regular_file(name_or_path))
      << "part '" << name_or_path << "' is not known, needs one of " << known
      << ", or a file with lut, ff, dsp, bram36";
  const Json json = Json::parse(tools::read_text(name_or_path), nullptr, false);
  VDLA_CHECK_USER(json.is_object()) << name_or_path << ": is not a JSON object";
  return read_part(json, name_or_path);
}

}  // namespace vdla::explore
