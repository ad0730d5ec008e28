// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample: along each dimension an output element is a weighted sum of input elements whose
// places and weights are known when the model is compiled.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compiler/import/tensor/node.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;

struct Settings {
  std::string coordinates = "half_pixel", mode = "nearest", nearest = "round_prefer_floor";
  double cubic = -0.75, outside_value = 0;
  bool exclude_outside = false;
};

/// One dimension: its extents, its scale, and the part of the input that it shows (tf_crop_and_resize).
struct Dimension {
  std::int64_t in = 1, out = 1;
  double scale = 1, start = 0, end = 1;

  bool changes() const { return in != out || scale != 1; }
};

double source_of(const Node& c, const Settings& s, const Dimension& d, std::int64_t i) {
  const auto o = static_cast<double>(i), in = static_cast<double>(d.in);
  const double out = in * d.scale;  // with a scale that does not divide, not a whole number
  if (s.coordinates == "half_pixel") return (o + 0.5) / d.scale - 0.5;
  if (s.coordinates == "pytorch_half_pixel") return d.out > 1 ? (o + 0.5) / d.scale - 0.5 : 0;
  if (s.coordinates == "align_corners") return d.out == 1 ? 0 : o * (in - 1) / (out - 1);
  if (s.coordinates == "asymmetric") return o / d.scale;
  if (s.coordinates == "tf_half_pixel_for_nn") return (o + 0.5) / d.scale;
  c.require(s.coordinates == "tf_crop_and_resize",
            "has coordinate_transformation_mode '" + s.coordinates + "', which is not known");
  if (d.out == 1) return 0.5 * (d.start + d.end) * (in - 1);
  return d.start * (in - 1) + o * (d.end - d.start) * (in - 1) / (out - 1);
}

/// A coordinate of the input as a whole number; scales and regions of interest can lead anywhere.
std::int64_t whole(const Node& c, double coordinate) {
  c.require(std::abs(coordinate) <= 0x1p53,  // not where it is NaN
            "reads its input at " + fmt::format("{}", coordinate) + ", needs a coordinate within 2^53");
  return static_cast<std::int64_t>(coordinate);
}

double nearest_of(const Node& c, const Settings& s, double x) {
  if (s.nearest == "round_prefer_floor") return std::ceil(x - 0.5);
  if (s.nearest == "round_prefer_ceil") return std::floor(x + 0.5);
  if (s.nearest == "ceil") return std::ceil(x);
  c.require(s.nearest == "floor", "has nearest_mode '" + s.nearest + "', which is not known");
  return std::floor(x);
}

/// Weights of the elements around: from `first` taps before the floor on.
std::vector<double> weights_of(const Settings& s, double fraction) {
  if (s.mode == "linear") return {1 - fraction, fraction};
  const double a = s.cubic, t = fraction;
  const auto near = [&](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [&](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

/// `x` with dimension `axis` resized.
Value resized(const Node& c, const Settings& s, const Value& x, std::size_t axis, const Dimension& d) {
  const std::size_t taps = s.mode == "nearest" ? 1 : s.mode == "linear" ? 2 : 4;
  std::vector<Integers> places(taps);
  std::vector<std::vector<double>> weights(taps);
  for (std::int64_t i = 0; i < d.out; ++i) {
    const double at = source_of(c, s, d, i);
    if (taps == 1) {
      const std::int64_t place = whole(c, nearest_of(c, s, at));
      places[0].push_back(std::clamp<std::int64_t>(place, 0, d.in - 1));
      continue;
    }
    const double floor = std::floor(at);
    std::vector<double> w = weights_of(s, at - floor);
    double total = 0;
    for (std::size_t t = 0; t < taps; ++t) {
      const std::int64_t place = whole(c, floor) + static_cast<std::int64_t>(t) - (taps == 4 ? 1 : 0);
      if (s.exclude_outside && (place < 0 || place >= d.in)) w[t] = 0;
      total += w[t];
      places[t].push_back(std::clamp<std::int64_t>(place, 0, d.in - 1));
    }
    for (std::size_t t = 0; t < taps; ++t) weights[t].push_back(s.exclude_outside ? w[t] / total : w[t]);
  }
  std::vector<Value> inputs;
  Shape shape(x.rank(), 1);
  shape[axis] = d.out;
  for (std::size_t t = 0; t < taps; ++t)
    inputs.push_back(c.gather(x, make_constant(DataType::Int64, {d.out}, places[t]), static_cast<int>(axis)));
  if (taps == 1) return inputs[0];
  const DataType type = expr::is_float(graph::dtype_of(x.type)) ? x.type : DataType::Float32;
  for (Value& v : inputs) v = c.cast(v, type);
  for (std::size_t t = 0; t < taps; ++t) inputs.push_back(make_constant(type, shape, weights[t]));
  return c.cast(c.map("Resize", inputs,
                      [&](const auto& v) {
                        expr::Value sum = v[0] * v[taps];
                        for (std::size_t t = 1; t < taps; ++t) sum = sum + v[t] * v[taps + t];
                        return sum;
                      }),
                x.type);
}

Value resized(const Node& c, const Settings& s, const std::vector<Dimension>& dimensions) {
  c.require(s.mode == "nearest" || s.mode == "linear" || s.mode == "cubic",
            "has mode '" + s.mode + "', needs nearest, linear or cubic");
  const bool crops = s.coordinates == "tf_crop_and_resize";
  Value y = c.in(0);
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    if (c.require_constant({dimensions[d].out});
        dimensions[d].changes() || (crops && (dimensions[d].start != 0 || dimensions[d].end != 1)))
      y = resized(c, s, y, d, dimensions[d]);
  if (!crops) return y;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    Integers inside;
    for (std::int64_t i = 0; i < dimensions[d].out; ++i) {
      const double at = source_of(c, s, dimensions[d], i);
      inside.push_back(at >= 0 && at <= static_cast<double>(dimensions[d].in - 1));
    }
    if (std::count(inside.begin(), inside.end(), 0) == 0) continue;
    Shape shape(y.rank(), 1);
    shape[d] = dimensions[d].out;
    y = c.map("Outside", {make_constant(DataType::Bool, shape, inside), y, c.scalar(y.type, s.outside_value)},
              [](const auto& v) { return select(v[0], v[1], v[2]); });
  }
  return y;
}

std::vector<Dimension> by_scales(const Node& c, const std::vector<double>& scales) {
  const Shape& in = c.in(0).shape;
  c.require(scales.size() == in.size(),
            "has " + std::to_string(scales.size()) + " scales, needs " + std::to_string(in.size()));
  std::vector<Dimension> result;
  for (std::size_t d = 0; d < in.size(); ++d) {
    const double out = std::floor(static_cast<double>(in[d]) * scales[d]);
    c.require(scales[d] > 0 && out <= static_cast<double>(kLargestConstant),
              "has scale " + fmt::format("{}", scales[d]) + " for an extent of " + std::to_string(in[d]) +
                  ", needs a positive one that gives at most " + std::to_string(kLargestConstant));
    result.push_back({in[d], static_cast<std::int64_t>(out), scales[d]});
  }
  return result;
}

void resize(const Node& c) {
  const Shape& in = c.in(0).shape;
  Settings s;
  s.mode = c.text("mode", s.mode);
  if (c.opset() < 11) {
    s.coordinates = "asymmetric";
    s.nearest = "floor";
    return c.set(resized(c, s, by_scales(c, reals_of(c.constant(1, "scales")))));
  }
  s.coordinates = c.text("coordinate_transformation_mode", s.coordinates);
  s.nearest = c.text("nearest_mode", s.nearest);
  s.cubic = c.real("cubic_coeff_a", s.cubic);
  s.outside_value = c.real("extrapolation_value", 0);
  c.require(c.integer("antialias", 0) == 0, "has antialias, needs 0");
  const std::string policy = c.text("keep_aspect_ratio_policy", "stretch");
  c.require(policy == "stretch", "has keep_aspect_ratio_policy '" + policy + "', needs stretch");
  c.require(c.find("axes") == nullptr, "has axes, needs scales or sizes of all dimensions");
  s.exclude_outside = c.integer("exclude_outside", 0) != 0;
  std::vector<Dimension> dimensions;
  if (c.has(2) && c.constant(2, "scales").count() > 0) {
    dimensions = by_scales(c, reals_of(c.in(2)));
  } else {
    const Integers sizes = c.integers(3, "sizes");
    c.require(sizes.size() == in.size(),
              "has " + std::to_string(sizes.size()) + " sizes, needs " + std::to_string(in.size()));
    for (std::size_t d = 0; d < in.size(); ++d)
      dimensions.push_back({in[d], sizes[d], static_cast<double>(sizes[d]) / static_cast<double>(in[d])});
  }
  if (s.coordinates == "tf_crop_and_resize") {
    const std::vector<double> roi = reals_of(c.constant(1, "roi"));
    c.require(roi.size() == 2 * in.size(), "has a roi of " + std::to_string(roi.size()) + " numbers");
    for (std::size_t d = 0; d < in.size(); ++d) {
      dimensions[d].start = roi[d];
      dimensions[d].end = roi[d + in.size()];
    }
  }
  c.set(resized(c, s, dimensions));
}

void upsample(const Node& c) {
  Settings s;
  s.mode = c.text("mode", s.mode);
  s.coordinates = "asymmetric";
  s.nearest = "floor";
  const auto* attribute = c.find("scales");
  const std::vector<double> scales =
      attribute ? std::vector<double>(attribute->floats().begin(), attribute->floats().end())
                : reals_of(c.constant(1, "scales"));
  c.set(resized(c, s, by_scales(c, scales)));
}

constexpr Operator kResizeOperators[] = {{"Resize", resize}, {"Upsample", upsample}};

}  // namespace

std::span<const Operator> resize_operators() { return kResizeOperators; }

}  // namespace vdla::import::tensor
