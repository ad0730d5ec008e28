// SPDX-License-Identifier: Apache-2.0
#include "isa/variants/variants.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support/error.h"
#include "support/output_file.h"

namespace vdla::isa {
namespace {

using Json = nlohmann::ordered_json;

// The one list of keys and members.
template <class G, class F>
void visit_geometry(G& g, F&& f) {
  f("batch", g.batch);
  f("block_in", g.block_in);
  f("block_out", g.block_out);
  f("inp_depth", g.inp_depth);
  f("wgt_depth", g.wgt_depth);
  f("acc_depth", g.acc_depth);
  f("out_depth", g.out_depth);
  f("par_depth", g.par_depth);
  f("uop_depth", g.uop_depth);
  f("queue_depth", g.queue_depth);
  f("token_depth", g.token_depth);
}

template <class T, class F>
void visit_timing(T& t, F&& f) {
  f("dram_latency", t.dram_latency);
  f("dram_outstanding", t.dram_outstanding);
  f("dram_burst_bytes", t.dram_burst_bytes);
  f("dram_bytes_per_cycle", t.dram_bytes_per_cycle);
  f("clock_mhz", t.clock_mhz);
}

void read_value(const Json& value, const std::string& where, unsigned& to) {
  VDLA_CHECK_USER(value.is_number_integer() && value >= 0 && value <= UINT32_MAX)
      << where << " is " << value.dump() << ", needs a whole number from 0 to " << UINT32_MAX;
  to = value.get<unsigned>();
}

void read_value(const Json& value, const std::string& where, double& to) {
  VDLA_CHECK_USER(value.is_number()) << where << " is " << value.dump() << ", needs a number";
  to = value.get<double>();
}

/// Fills the members that `object` names; `visit` is one of the lists above.
template <class Visit>
void read_object(const Json& object, const std::string& where, Visit&& visit) {
  VDLA_CHECK_USER(object.is_object()) << where << " is " << object.dump() << ", needs an object";
  std::string known;
  std::size_t used = 0;
  visit([&](const char* key, auto& member) {
    known += (known.empty() ? "" : ", ") + std::string(key);
    const auto found = object.find(key);
    if (found == object.end()) return;
    ++used;
    read_value(*found, where + "." + key, member);
  });
  if (used == object.size()) return;
  for (const auto& [key, value] : object.items()) {
    bool is_known = false;
    visit([&](const char* name, auto&) { is_known = is_known || key == name; });
    VDLA_CHECK_USER(is_known) << where << " has the unknown key '" << key << "', knows " << known;
  }
}

}  // namespace

Variant parse_variant(std::string_view text, std::string_view origin) {
  const std::string where(origin);
  const Json root = Json::parse(text, nullptr, false, true);
  VDLA_CHECK_USER(!root.is_discarded() && root.is_object()) << where << " is not a JSON object";
  Variant variant;
  for (const auto& [key, value] : root.items()) {
    if (key == "name") {
      VDLA_CHECK_USER(value.is_string()) << where << ": name is " << value.dump() << ", needs a string";
      variant.name = value.get<std::string>();
    } else if (key == "geometry") {
      read_object(value, where + ": geometry", [&](auto&& f) { visit_geometry(variant.geometry, f); });
    } else if (key == "timing") {
      read_object(value, where + ": timing", [&](auto&& f) { visit_timing(variant.timing, f); });
    } else {
      throw UserError(where + " has the unknown key '" + key + "', knows name, geometry, timing");
    }
  }
  VDLA_CHECK_USER(!variant.name.empty()) << where << " has no name, needs the key 'name'";
  try {
    validate(variant.geometry);
    validate(variant.timing);
  } catch (const UserError& e) {
    throw UserError(where + ": " + e.what());
  }
  return variant;
}

Variant load_variant(const std::string& name_or_path) {
  std::string names;
  for (const BuiltinVariant& v : builtin_variants()) {
    if (v.name == name_or_path) return parse_variant(v.text, "variant " + name_or_path);
    names += (names.empty() ? "" : ", ") + std::string(v.name);
  }
  std::ifstream stream(name_or_path, std::ios::binary);
  std::error_code ignored;
  VDLA_CHECK_USER(stream.good() && !std::filesystem::is_directory(name_or_path, ignored))
      << "variant '" << name_or_path << "' is neither one of the kit's (" << names
      << ") nor a file that can be read";
  return parse_variant(std::string{std::istreambuf_iterator<char>(stream), {}}, name_or_path);
}

std::string to_json(const Variant& variant) {
  Json root;
  root["name"] = variant.name;
  visit_geometry(variant.geometry,
                 [&](const char* key, const auto& member) { root["geometry"][key] = member; });
  visit_timing(variant.timing, [&](const char* key, const auto& member) { root["timing"][key] = member; });
  return root.dump(2) + "\n";
}

void save_variant(const Variant& variant, const std::filesystem::path& path) {
  write_output(path.string(), to_json(variant));
}

}  // namespace vdla::isa
