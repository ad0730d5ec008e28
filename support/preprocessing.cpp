// SPDX-License-Identifier: Apache-2.0
#include "support/preprocessing.h"

#include <cmath>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "support/error.h"

namespace vdla {
namespace {

constexpr int kMaxSide = 16384;

double parse_number(const std::string& text, const std::string& flag) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  VDLA_CHECK_USER(used == text.size() && used != 0 && std::isfinite(value))
      << flag << ": '" << text << "' is not a number";
  return value;
}

bool are_finite(const std::vector<double>& values) {
  for (const double v : values)
    if (!std::isfinite(v)) return false;
  return true;
}

void check(const Normalisation& n, const std::string& where) {
  VDLA_CHECK_USER(std::isfinite(n.scale) && are_finite(n.mean) && are_finite(n.std))
      << where << ": scale, mean and std are finite numbers";
  for (const auto* values : {&n.mean, &n.std})
    VDLA_CHECK_USER(values->size() <= 1 || values->size() == 3)
        << where << ": " << (values == &n.mean ? "mean" : "std") << " has " << values->size()
        << " values, needs 1 or 3 (a:b:c)";
  for (const double v : n.std) VDLA_CHECK_USER(v != 0) << where << ": std is 0, needs a divisor";
  VDLA_CHECK_USER(n.scale != 0) << where << ": scale is 0, every pixel would be the same";
}

void check(const ImageSize& s, const std::string& where) {
  VDLA_CHECK_USER(s.height >= 1 && s.height <= kMaxSide && s.width >= 0 && s.width <= kMaxSide)
      << where << ": a size of " << s.height << "x" << s.width << ", needs 1 to " << kMaxSide;
}

std::string list(const std::vector<double>& values) {
  std::string text;
  for (const double v : values) text += fmt::format("{}{}", text.empty() ? "" : ":", v);
  return text;
}

}  // namespace

Normalisation parse_normalise(const std::string& text, const std::string& flag) {
  Normalisation n;
  std::set<std::string> given;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    const std::string key = part.substr(0, equals);
    VDLA_CHECK_USER(equals != std::string::npos && (key == "scale" || key == "mean" || key == "std"))
        << flag << ": '" << part << "' is not scale=, mean= or std=";
    VDLA_CHECK_USER(given.insert(key).second)
        << flag << ": '" << text << "' gives " << key << " twice, needs it once; leave one of them out";
    std::vector<double> values;
    std::stringstream items(part.substr(equals + 1));
    for (std::string item; std::getline(items, item, ':');)
      values.push_back(parse_number(item, flag + " " + key));
    VDLA_CHECK_USER(values.size() == 1 || (values.size() == 3 && key != "scale"))
        << flag << ": " << key << " has " << values.size() << " values, needs 1"
        << (key == "scale" ? "" : " or 3 (a:b:c)");
    if (key == "scale") n.scale = values[0];
    if (key == "mean") n.mean = values;
    if (key == "std") n.std = values;
  }
  check(n, flag);
  return n;
}

ImageSize parse_size(const std::string& text, const std::string& flag, bool shorter_side) {
  const auto cross = text.find('x');
  const double h = parse_number(text.substr(0, cross), flag);
  const double w = cross == std::string::npos ? h : parse_number(text.substr(cross + 1), flag);
  VDLA_CHECK_USER(h >= 1 && w >= 1 && h <= kMaxSide && w <= kMaxSide && h == std::floor(h) &&
                  w == std::floor(w))
      << flag << ": '" << text << "' is not a size, needs e.g. 224 or 224x192";
  return {static_cast<int>(h), cross == std::string::npos && shorter_side ? 0 : static_cast<int>(w)};
}

std::string to_string(const Normalisation& n) {
  std::string text = fmt::format("scale={}", n.scale);
  if (!n.mean.empty()) text += ",mean=" + list(n.mean);
  if (!n.std.empty()) text += ",std=" + list(n.std);
  return text;
}

std::string to_string(const ImageSize& s) {
  return s.width == 0 ? fmt::format("{}", s.height) : fmt::format("{}x{}", s.height, s.width);
}

std::string to_string(const Preprocessing& p) {
  std::string text;
  const auto add = [&](const std::string& flag) { text += (text.empty() ? "" : " ") + flag; };
  if (p.resize) add("--resize " + to_string(*p.resize));
  if (p.crop) add("--crop " + to_string(*p.crop));
  if (p.bgr) add("--bgr");
  if (p.normalise) add("--normalise " + to_string(*p.normalise));
  return text;
}

std::vector<Field> to_fields(const Preprocessing& p) {
  std::vector<Field> fields;
  if (p.normalise) fields.push_back({"normalise", to_string(*p.normalise)});
  if (p.resize) fields.push_back({"resize", to_string(*p.resize)});
  if (p.crop) fields.push_back({"crop", to_string(*p.crop)});
  if (p.bgr) fields.push_back({"bgr", "true"});
  return fields;
}

Preprocessing from_fields(const std::vector<Field>& fields, const std::string& where) {
  Preprocessing p;
  for (const auto& [name, value] : fields) {
    if (name == "normalise") {
      p.normalise = parse_normalise(value, where + name);
    } else if (name == "resize") {
      p.resize = parse_size(value, where + name, true);
    } else if (name == "crop") {
      p.crop = parse_size(value, where + name);
    } else {
      VDLA_CHECK_USER(name == "bgr" && value == "true")
          << where << name << "=" << value << ": this kit does not know it";
      p.bgr = true;
    }
  }
  return p;
}

Preprocessing merge(const Preprocessing& over, const Preprocessing& under) {
  Preprocessing p;
  p.resize = over.resize ? over.resize : under.resize;
  p.crop = over.crop ? over.crop : under.crop;
  p.bgr = over.bgr || under.bgr;
  p.normalise = over.normalise ? over.normalise : under.normalise;
  return p;
}

void check_preprocessing(const Preprocessing& p, const std::string& where) {
  if (p.resize) check(*p.resize, where);
  if (p.crop) {
    check(*p.crop, where);
    VDLA_CHECK_USER(p.crop->width != 0)
        << where << ": a crop of height " << p.crop->height << " without width";
  }
  if (p.normalise) check(*p.normalise, where);
}

}  // namespace vdla
