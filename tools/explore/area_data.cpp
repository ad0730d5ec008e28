// SPDX-License-Identifier: Apache-2.0
// Syntheses and parts from the kit's data files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "isa/variants/variants.h"
#include "kit/files.h"
#include "support/error.h"
#include "support/json_text.h"
#include "support/nearest.h"
#include "support/path.h"
#include "tools/explore/area.h"
#include "tools/explore/kept.h"

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

/// `where` says how a message about a pointer begins.
Part read_part(const Json& json, const std::string& name,
               const std::function<std::string(const std::string& pointer)>& where) {
  for (const char* key : {"lut", "ff", "dsp", "bram36"}) {
    VDLA_CHECK_USER(json.contains(key)) << where("") << " a part needs '" << key << "', a positive number";
    const Json& value = json.at(key);
    VDLA_CHECK_USER(value.is_number() && value > 0)
        << where(std::string("/") + key) << " is " << value.dump() << ", needs a positive number";
  }
  const Json shown = json.value("name", Json(name));
  VDLA_CHECK_USER(shown.is_string()) << where("/name") << " is " << shown.dump() << ", needs a string";
  return {shown.get<std::string>(),
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
  std::vector<std::string> known;
  for (const Json& part : Json::parse(parts_file())) {
    known.push_back(part.at("name").get<std::string>());
    if (known.back() == name_or_path)
      return read_part(part, name_or_path,
                       [&](const std::string& pointer) { return name_or_path + pointer; });
  }
  VDLA_CHECK_USER(is_file(name_or_path))
      << "part '" << name_or_path << "' is not known, needs one of "
      << fmt::format("{}", fmt::join(known, ", ")) << ", or a file with lut, ff, dsp, bram36"
      << did_you_mean(name_or_path, known);
  const JsonText json(kit::read_text(name_or_path), name_or_path);
  VDLA_CHECK_USER(json.root().is_object()) << json.at("") << " is not a JSON object";
  return read_part(json.root(), name_or_path, [&](const std::string& pointer) { return json.at(pointer); });
}

}  // namespace vdla::explore
