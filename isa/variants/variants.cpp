// SPDX-License-Identifier: Apache-2.0
#include "isa/variants/variants.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "support/error.h"
#include "support/json_dump.h"
#include "support/json_text.h"
#include "support/nearest.h"
#include "support/output_file.h"

namespace vdla::isa {
namespace {

using Json = nlohmann::ordered_json;

template <class G, class F>
void visit_geometry(G& g, F&& f) {
  for (const GeometryField& field : kGeometryFields) f(field.name, g.*field.member);
}

// The one list of keys and members.
template <class T, class F>
void visit_timing(T& t, F&& f) {
  f("dram_latency", t.dram_latency);
  f("dram_outstanding", t.dram_outstanding);
  f("dram_burst_bytes", t.dram_burst_bytes);
  f("dram_bytes_per_cycle", t.dram_bytes_per_cycle);
  f("clock_mhz", t.clock_mhz);
}

/// How a message about the value of a pointer begins.
using Where = std::function<std::string(const std::string& pointer)>;

void read_value(const Json& value, const Where& where, const std::string& pointer, unsigned& to) {
  VDLA_CHECK_USER(value.is_number_integer() && value >= 0 && value <= UINT32_MAX)
      << where(pointer) << " is " << value.dump() << ", needs a whole number from 0 to " << UINT32_MAX;
  to = value.get<unsigned>();
}

void read_value(const Json& value, const Where& where, const std::string& pointer, double& to) {
  VDLA_CHECK_USER(value.is_number()) << where(pointer) << " is " << value.dump() << ", needs a number";
  to = value.get<double>();
}

/// "a, b, c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

[[noreturn]] void refuse_key(const Where& where, const std::string& pointer, const std::string& key,
                             const std::vector<std::string>& known) {
  const std::string meant = did_you_mean(key, known);
  throw UserError(where(pointer + "/" + key) + " is an unknown key" +
                  (meant.empty() ? "; known" : meant + " Known") + " are " + listed(known));
}

/// Fills the members that `object` names; `visit` is one of the lists above.
template <class Visit>
void read_object(const Json& object, const Where& where, const std::string& pointer, Visit&& visit) {
  VDLA_CHECK_USER(object.is_object()) << where(pointer) << " is " << object.dump() << ", needs an object";
  std::vector<std::string> known;
  visit([&](std::string_view key, auto& member) {
    const std::string& name = known.emplace_back(key);
    const auto found = object.find(name);
    if (found != object.end()) read_value(*found, where, pointer + "/" + name, member);
  });
  for (const auto& [key, value] : object.items())
    if (std::ranges::find(known, key) == known.end()) refuse_key(where, pointer, key, known);
}

/// A fault of validate(), "geometry: batch is 3, needs ...", with the place of what it names.
std::string placed(const Where& where, const std::string& fault) {
  const auto colon = fault.find(": ");
  const auto end = fault.find(' ', colon + 2);
  return where("/" + fault.substr(0, colon) + "/" + fault.substr(colon + 2, end - colon - 2)) +
         fault.substr(end);
}

}  // namespace

Variant parse_variant(std::string_view text, std::string_view origin, bool written_by_a_person) {
  const JsonText json{std::string(text), std::string(origin)};
  const Json& root = json.root();
  const Where where = [&](const std::string& pointer) {
    if (written_by_a_person) return json.at(pointer);
    return std::string(origin) + ":" + (pointer.empty() ? "" : " ") + pointer;
  };
  VDLA_CHECK_USER(root.is_object()) << where("") << " is not a JSON object";
  Variant variant;
  for (const auto& [key, value] : root.items()) {
    const std::string pointer = "/" + key;
    if (key == "name") {
      VDLA_CHECK_USER(value.is_string()) << where(pointer) << " is " << value.dump() << ", needs a string";
      variant.name = value.get<std::string>();
    } else if (key == "geometry") {
      read_object(value, where, pointer, [&](auto&& f) { visit_geometry(variant.geometry, f); });
    } else if (key == "timing") {
      read_object(value, where, pointer, [&](auto&& f) { visit_timing(variant.timing, f); });
    } else {
      refuse_key(where, "", key, {"name", "geometry", "timing"});
    }
  }
  VDLA_CHECK_USER(!variant.name.empty()) << where("") << " has no name, needs the key 'name'";
  try {
    validate(variant.geometry);
    validate(variant.timing);
  } catch (const UserError& e) {
    throw UserError(placed(where, e.what()));
  }
  return variant;
}

std::optional<Variant> builtin_with(std::uint64_t geometry_hash) {
  for (const BuiltinVariant& v : builtin_variants()) {
    Variant variant = load_variant(std::string(v.name));
    if (isa::geometry_hash(variant.geometry) == geometry_hash) return variant;
  }
  return std::nullopt;
}

Variant load_variant(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (const BuiltinVariant& v : builtin_variants()) {
    if (v.name == name_or_path) return parse_variant(v.text, "variant " + name_or_path);
    names.emplace_back(v.name);
  }
  std::ifstream stream(name_or_path, std::ios::binary);
  std::error_code ignored;
  VDLA_CHECK_USER(stream.good() && !std::filesystem::is_directory(name_or_path, ignored))
      << "variant '" << name_or_path << "' is neither one of the kit's (" << listed(names)
      << ") nor a file that can be read" << did_you_mean(name_or_path, names);
  return parse_variant(std::string{std::istreambuf_iterator<char>(stream), {}}, name_or_path);
}

std::string label(const Variant& variant) {
  for (const BuiltinVariant& v : builtin_variants()) {
    if (v.name != variant.name) continue;
    if (to_json(variant) == to_json(load_variant(variant.name))) break;
    Variant bare = variant;
    bare.name.clear();
    std::uint32_t hash = 0x811c9dc5;  // FNV-1a
    for (const char c : to_json(bare)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
    std::ostringstream text;
    text << variant.name << "* (" << std::hex << std::setfill('0') << std::setw(8) << hash << ")";
    return text.str();
  }
  return variant.name;
}

std::string to_json(const Variant& variant) {
  Json root;
  root["name"] = variant.name;
  visit_geometry(variant.geometry, [&](std::string_view key, const auto& member) {
    root["geometry"][std::string(key)] = member;
  });
  visit_timing(variant.timing, [&](const char* key, const auto& member) { root["timing"][key] = member; });
  return json_dump(root, 2) + "\n";
}

void save_variant(const Variant& variant, const std::filesystem::path& path) {
  write_output(path.string(), to_json(variant));
}

}  // namespace vdla::isa
