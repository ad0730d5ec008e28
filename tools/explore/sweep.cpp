// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <set>

#include "boards/spec/variant_name.h"
#include "isa/variants/variants.h"
#include "kit/data.h"
#include "kit/files.h"
#include "support/error.h"
#include "support/json_text.h"
#include "support/nearest.h"
#include "support/path.h"

namespace vdla::explore {
namespace {

constexpr std::string_view kKib = "_kib";

Json variant_json(const isa::Variant& variant) { return Json::parse(isa::to_json(variant)); }

isa::Variant named_variant(const std::string& name) { return boards::named_variant(name, kit::data_root()); }

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

unsigned whole_number(const Json& value, const std::string& axis) {
  VDLA_CHECK_USER(value.is_number_integer() && value > 0 && value <= UINT32_MAX)
      << axis << " is " << value.dump() << ", needs a whole number from 1 to " << UINT32_MAX;
  return value.get<unsigned>();
}

/// "1x16x16"; nothing where it is not of that form.
std::optional<std::array<unsigned, 3>> array_of(const Json& value) {
  std::array<unsigned, 3> sizes{};
  const std::string text = text_of(value);
  const char *at = text.data(), *end = at + text.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0 && (at == end || *at++ != 'x')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, sizes[i]);
    if (error != std::errc{}) return std::nullopt;
    at = next;
  }
  return at == end ? std::optional(sizes) : std::nullopt;
}

void set_array(Json& variant, const Json& value) {
  const auto sizes = array_of(value).value();  // check_axis() has seen it
  Json& geometry = variant.at("geometry");
  geometry["batch"] = sizes[0];
  geometry["block_in"] = sizes[1];
  geometry["block_out"] = sizes[2];
}

/// "wgt_kib" -> the buffer, if it is one.
std::optional<isa::Buffer> sized_buffer(const std::string& axis) {
  for (const auto& buffer : isa::kBuffers)
    if (axis == std::string(buffer.text) + std::string(kKib)) return static_cast<isa::Buffer>(buffer.code);
  return std::nullopt;
}

void set_size(Json& variant, const std::string& axis, isa::Buffer buffer, const Json& value) {
  const std::uint64_t bytes = std::uint64_t{whole_number(value, axis)} << 10;
  const isa::Geometry shape{.batch = variant.at("geometry").at("batch"),
                            .block_in = variant.at("geometry").at("block_in"),
                            .block_out = variant.at("geometry").at("block_out")};
  const std::uint64_t entry = shape.entry_bytes(buffer);
  VDLA_CHECK_USER(entry > 0) << axis << " is " << value << " for an array of " << shape.batch << "x"
                             << shape.block_in << "x" << shape.block_out
                             << ", which has no entries: needs sizes of at least 1";
  VDLA_CHECK_USER(bytes % entry == 0 && std::has_single_bit(bytes / entry))
      << axis << " is " << value << ", which is no power of two of entries of " << entry << " bytes";
  variant["geometry"][std::string(isa::to_string(buffer)) + "_depth"] = bytes / entry;
}

/// Shape first: sizes in KiB depend on it.
int rank(const std::string& axis) { return sized_buffer(axis) ? 1 : 0; }

void set(Json& variant, const std::string& axis, const Json& value) {
  if (axis == "array") return set_array(variant, value);
  if (const auto buffer = sized_buffer(axis)) return set_size(variant, axis, *buffer, value);
  for (const char* part : {"geometry", "timing"})
    if (variant.at(part).contains(axis)) {
      variant[part][axis] = value;
      return;
    }
}

void check_axis(const Axis& swept) {
  const std::string& axis = swept.name;
  static const Json kPaper = variant_json(isa::load_variant("paper"));
  std::vector<std::string> known{"array"};
  for (const auto& buffer : isa::kBuffers) known.push_back(std::string(buffer.text) + std::string(kKib));
  bool found = axis == "array" || sized_buffer(axis);
  for (const char* part : {"geometry", "timing"})
    for (const auto& [key, value] : kPaper.at(part).items()) {
      known.push_back(key);
      found = found || key == axis;
    }
  VDLA_CHECK_USER(found) << "there is no axis '" << axis << "', needs one of "
                         << fmt::format("{}", fmt::join(known, ", ")) << did_you_mean(axis, known);
  if (axis != "array") return;
  for (const Json& value : swept.values)
    VDLA_CHECK_USER(array_of(value))
        << "array needs BxKxN (batch x block_in x block_out, such as 1x16x16), got " << text_of(value);
}

/// One step of a product: a value for each axis.
using Choice = std::vector<std::pair<std::string, Json>>;

std::vector<Choice> product(const std::vector<Axis>& axes) {
  constexpr double kMostPoints = 100'000;
  double points = 1;
  for (const Axis& axis : axes) points *= static_cast<double>(axis.values.size());
  VDLA_CHECK_USER(points <= kMostPoints) << "the axes have " << points << " points together, needs at most "
                                         << kMostPoints << ": give them fewer values";
  std::vector<Choice> choices{{}};
  for (const Axis& axis : axes) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices)
      for (const Json& value : axis.values) {
        longer.push_back(choice);
        longer.back().emplace_back(axis.name, value);
      }
    choices = std::move(longer);
  }
  return choices;
}

/// Name that tells the point apart: values of axes that have several (of all where none has), and the base
/// where there are several.
std::string name_of(const Choice& choice, const std::vector<Axis>& axes, const std::string& base,
                    bool several_bases) {
  std::string name = several_bases ? base : "";
  const bool one_choice = std::ranges::all_of(axes, [](const Axis& a) { return a.values.size() == 1; });
  for (std::size_t i = 0; i < choice.size(); ++i) {
    if (axes[i].values.size() == 1 && !one_choice) continue;
    const auto& [axis, value] = choice[i];
    name += (name.empty() ? "" : " ") + (axis == "array" ? text_of(value) : axis + "=" + text_of(value));
  }
  return name.empty() ? base : name;
}

SweepVariant make(const std::string& name, const Json& base, Choice choice) {
  SweepVariant made{.name = name, .variant = {}, .fault = {}};
  Json json = base;
  json["name"] = name;
  std::stable_sort(choice.begin(), choice.end(),
                   [](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
  try {
    for (const auto& [axis, value] : choice) set(json, axis, value);
    made.variant = isa::parse_variant(json.dump(), name, false);
  } catch (const UserError& e) {
    made.fault = e.what();
    if (const std::string prefix = name + ": "; made.fault.starts_with(prefix))
      made.fault.erase(0, prefix.size());  // who tells the reason names the variant
  }
  return made;
}

SweepVariant make_point(const Json& point) {
  if (point.is_string()) {
    isa::Variant variant = named_variant(point.get<std::string>());
    variant.name = isa::label(variant);
    return {.name = variant.name, .variant = variant, .fault = {}};
  }
  return make(point.value("name", point.dump()), point, {});
}

}  // namespace

Axis parse_axis(const std::string& text) {
  const auto equals = text.find('=');
  VDLA_CHECK_USER(equals != std::string::npos && equals > 0 && equals + 1 < text.size())
      << "axis '" << text << "' is not NAME=VALUE,VALUE...";
  Axis axis{text.substr(0, equals), {}};
  for (std::size_t at = equals + 1; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string value = text.substr(at, end - at);
    const Json number = Json::parse(value, nullptr, false);
    axis.values.push_back(number.is_number() ? number : Json(value));
    at = end + 1;
  }
  check_axis(axis);
  return axis;
}

void add_axis(Sweep& sweep, const Axis& axis) {
  check_axis(axis);
  const auto known = std::ranges::find(sweep.axes, axis.name, &Axis::name);
  if (known == sweep.axes.end()) {
    sweep.axes.push_back(axis);
  } else {
    known->values.insert(known->values.end(), axis.values.begin(), axis.values.end());
  }
}

Sweep read_sweep(const std::filesystem::path& path) {
  const JsonText text(kit::read_text(path), path.string());
  const Json& root = text.root();
  VDLA_CHECK_USER(root.is_object()) << text.at("") << " is not a JSON object";
  const std::vector<std::string> keys{"networks", "base", "axes", "points"};
  for (const auto& [key, value] : root.items())
    VDLA_CHECK_USER(std::ranges::find(keys, key) != keys.end())
        << text.at("/" + key) << " is an unknown key, knows " << fmt::format("{}", fmt::join(keys, ", "))
        << did_you_mean(key, keys);
  const auto list = [&](const std::string& key) {
    const Json value = root.value(key, Json::array());
    VDLA_CHECK_USER(value.is_array()) << text.at("/" + key) << " is " << value.dump() << ", needs a list";
    return value;
  };
  const auto local = [&](const Json& name) {
    const std::filesystem::path file = path.parent_path() / name.get<std::string>();
    return is_file(file) ? file.string() : name.get<std::string>();
  };
  const auto names = [&](const std::string& key) {
    std::vector<std::string> found;
    for (const Json& name : list(key)) {
      VDLA_CHECK_USER(name.is_string()) << text.at(fmt::format("/{}/{}", key, found.size())) << " is "
                                        << name.dump() << ", needs a name or a path";
      found.push_back(local(name));
    }
    return found;
  };
  Sweep sweep;
  sweep.networks = names("networks");
  sweep.bases = names("base");
  for (const Json& point : list("points")) {
    VDLA_CHECK_USER(point.is_string() || point.is_object())
        << text.at(fmt::format("/points/{}", sweep.points.size())) << " is " << point.dump()
        << ", needs a variant's name, its file, or an object";
    sweep.points.push_back(point.is_string() ? Json(local(point)) : point);
  }
  const Json axes = root.value("axes", Json::object());
  VDLA_CHECK_USER(axes.is_object()) << text.at("/axes") << " is " << axes.dump() << ", needs an object";
  for (const auto& [name, values] : axes.items()) {
    const std::string where = text.at("/axes/" + name);
    VDLA_CHECK_USER(values.is_array() && !values.empty())
        << where << " is " << values.dump() << ", needs a list of values";
    try {
      add_axis(sweep, {name, {values.begin(), values.end()}});
    } catch (const UserError& e) {
      throw UserError(where + ": " + e.what());
    }
  }
  return sweep;
}

std::vector<SweepVariant> variants_of(const Sweep& sweep) {
  std::vector<SweepVariant> result;
  std::set<std::string> seen;
  const auto add = [&](SweepVariant variant) {
    isa::Variant bare = variant.variant;
    bare.name.clear();
    if (seen.insert(variant.fault.empty() ? isa::to_json(bare) : variant.name).second)
      result.push_back(std::move(variant));
  };
  for (const Axis& axis : sweep.axes) check_axis(axis);
  std::vector<std::string> bases = sweep.bases;
  if (bases.empty() && !sweep.axes.empty()) bases = {"paper"};
  std::vector<isa::Variant> variants;
  std::vector<std::string> labels;
  for (const std::string& base : bases) {
    variants.push_back(named_variant(base));
    labels.push_back(isa::label(variants.back()));
  }
  for (std::size_t i = 0; i < bases.size(); ++i) {
    // A board's variant may have the name of another base.
    const std::string& name = std::ranges::count(labels, labels[i]) > 1 ? bases[i] : labels[i];
    for (const Choice& choice : product(sweep.axes))
      add(make(name_of(choice, sweep.axes, name, bases.size() > 1), variant_json(variants[i]), choice));
  }
  for (const Json& point : sweep.points) add(make_point(point));
  return result;
}

}  // namespace vdla::explore
