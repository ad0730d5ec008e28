// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample: along each dimension an output element is a weighted sum of input elements whose
// places and weights are known when the model is compiled.
#include "compiler/import/tensor/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/import/tensor/resample.h"

namespace vdla::import::tensor {
namespace {

struct Settings {
  std::string coordinates = "asymmetric", mode = "nearest", nearest;
  double cubic = -0.75, outside_value = 0;
  bool exclude_outside = false;
};

/// One dimension: its extents, its scale, and the part of the input that it shows (tf_crop_and_resize).
/// `length` is the output's extent before it is rounded, where the node states scales.
struct Dimension {
  std::int64_t in = 1, out = 1;
  float scale = 1, length = 1, start = 0, end = 1;

  bool changes() const { return in != out || scale != 1; }
};

/// Returns the place of output element i in the input, computed in float32 as ONNX Runtime does: the nearest
/// element depends on each rounding.
float source_of(const Settings& s, const Dimension& d, std::int64_t i) {
  const auto o = static_cast<float>(i), in = static_cast<float>(d.in);
  const float half = (o + 0.5F) / d.scale;
  if (s.coordinates == "half_pixel") return half - 0.5F;
  if (s.coordinates == "pytorch_half_pixel") return d.out > 1 ? half - 0.5F : 0;
  if (s.coordinates == "align_corners") return d.out == 1 ? 0 : o * (in - 1) / (d.length - 1);
  if (s.coordinates == "asymmetric") return o / d.scale;
  if (s.coordinates == "tf_half_pixel_for_nn") return half;
  if (s.coordinates == "half_pixel_symmetric") {
    const float adjustment = static_cast<float>(d.out) / (d.scale * in), offset = in / 2 * (1 - adjustment);
    return static_cast<float>(offset + (o + 0.5) / d.scale - 0.5);
  }
  if (d.out == 1) return static_cast<float>(0.5 * (d.start + d.end) * (in - 1));
  return d.start * (in - 1) + o * (d.end - d.start) * (in - 1) / (d.length - 1);
}

/// A coordinate of the input as a whole number; scales and regions of interest can lead anywhere.
std::int64_t whole(const Node& c, double coordinate) {
  c.require(std::abs(coordinate) <= 0x1p53,  // not where it is NaN
            "reads its input at " + fmt::format("{}", coordinate) + ", needs a coordinate within 2^53");
  return static_cast<std::int64_t>(coordinate);
}

double nearest_of(const Settings& s, const Dimension& d, double x) {
  if (s.nearest == "round_prefer_floor") return std::ceil(x - 0.5);
  if (s.nearest == "round_prefer_ceil") return std::floor(x + 0.5);
  const bool up = s.nearest == "ceil" || (s.nearest == "simple" && d.scale < 1);
  return up ? std::ceil(x) : std::floor(x);
}

/// Weights of the elements around: from `first` taps before the floor on.
std::vector<double> weights_of(const Settings& s, double fraction) {
  if (s.mode == "linear") return {1 - fraction, fraction};
  const double a = s.cubic, t = fraction;
  const auto near = [&](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [&](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

/// Elements of the input that one of the output is made of along a dimension.
constexpr std::int64_t kMostTaps = 4;

Taps taps_of(const Node& c, const Settings& s, const Dimension& d) {
  const std::size_t taps = s.mode == "nearest" ? 1 : s.mode == "linear" ? 2 : 4;
  Taps result{std::vector<Integers>(taps), std::vector<std::vector<double>>(taps)};
  auto& [places, weights] = result;
  for (std::int64_t i = 0; i < d.out; ++i) {
    const double at = source_of(s, d, i);
    if (taps == 1) {
      const std::int64_t place = whole(c, nearest_of(s, d, at));
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
  return result;
}

bool crops(const Settings& s) { return s.coordinates == "tf_crop_and_resize"; }

/// Taps along each dimension; none for a dimension that stays as it is.
std::vector<Taps> taps_of(const Node& c, const Settings& s, const std::vector<Dimension>& dimensions) {
  std::vector<Taps> result;
  for (const Dimension& d : dimensions) {
    c.require_constant({d.out, kMostTaps});
    const bool changes = d.changes() || (crops(s) && (d.start != 0 || d.end != 1));
    result.push_back(changes ? taps_of(c, s, d) : Taps{});
  }
  return result;
}

Value resized(const Node& c, const Settings& s, const std::vector<Dimension>& dimensions) {
  Value y = c.in(0);
  const std::vector<Taps> taps = taps_of(c, s, dimensions);
  for (std::size_t d = 0; d < taps.size(); ++d)
    if (!taps[d].places.empty()) y = resampled(c, y, d, taps[d].places, taps[d].weights);
  if (!crops(s)) return y;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    Integers inside;
    for (std::int64_t i = 0; i < dimensions[d].out; ++i) {
      const double at = source_of(s, dimensions[d], i);
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

/// All dimensions of the input, unchanged.
std::vector<Dimension> dimensions_of(const Node& c) {
  std::vector<Dimension> result;
  for (const std::int64_t extent : c.as_it_is(0).shape)
    result.push_back({extent, extent, 1, static_cast<float>(extent)});
  return result;
}

/// Dimensions that scales, sizes and regions of interest belong to: all, or those that "axes" names.
Integers resized_axes(const Node& c) {
  const std::size_t rank = c.as_it_is(0).rank();
  Integers all(rank);
  std::iota(all.begin(), all.end(), 0);
  return c.find("axes") ? c.axes(c.integers("axes", {}), rank) : all;
}

void require_numbers(const Node& c, std::size_t count, const char* what, std::size_t needed) {
  c.require(count == needed, fmt::format("has {} {}, needs {}", count, what, needed));
}

/// An extent is scaled in float32, as ONNX Runtime does it: 10 by 0.7f is 7.
std::vector<Dimension> by_scales(const Node& c, const std::vector<double>& scales, const Integers& axes) {
  require_numbers(c, scales.size(), "scales", axes.size());
  std::vector<Dimension> result = dimensions_of(c);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Dimension& d = result[static_cast<std::size_t>(axes[i])];
    d.scale = static_cast<float>(scales[i]);
    d.length = static_cast<float>(d.in) * d.scale;
    c.require(d.scale > 0 && d.length <= static_cast<float>(kLargestConstant),
              fmt::format("has scale {} for an extent of {}, needs a positive one that gives at most {}",
                          d.scale, d.in, kLargestConstant));
    d.out = static_cast<std::int64_t>(d.length);
  }
  return result;
}

/// Sizes are the extents, or the limits of extents that keep the ratios between them.
std::vector<Dimension> by_sizes(const Node& c, const Integers& sizes, const Integers& axes) {
  require_numbers(c, sizes.size(), "sizes", axes.size());
  const std::string policy =
      c.word("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"}, "stretch");
  std::vector<Dimension> result = dimensions_of(c);
  std::vector<float> scales;
  for (std::size_t i = 0; i < axes.size(); ++i)
    scales.push_back(static_cast<float>(sizes[i]) /
                     static_cast<float>(result[static_cast<std::size_t>(axes[i])].in));
  const auto [least, most] = std::ranges::minmax_element(scales);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Dimension& d = result[static_cast<std::size_t>(axes[i])];
    d.scale = policy == "stretch" ? scales[i] : policy == "not_larger" ? *least : *most;
    d.out = policy == "stretch" ? sizes[i] : std::lround(d.scale * static_cast<float>(d.in));
    d.length = static_cast<float>(d.out);
  }
  return result;
}

/// Settings and dimensions of a node.
struct Resizing {
  Settings settings;
  std::vector<Dimension> dimensions;
};

/// Resizes as operator sets before 11 do. They leave open which element is the nearest; ONNX Runtime takes
/// the one before, or the one after if the output is smaller, and so does this function.
Resizing by_scales_alone(const Node& c, const std::string& mode, const std::vector<double>& scales) {
  Settings s;
  s.mode = mode == "bilinear" ? "linear" : mode;
  s.nearest = "simple";
  return {s, by_scales(c, scales, resized_axes(c))};
}

/// "tf_half_pixel_for_nn" is known in all operator sets, though ONNX has it before 13 alone: ONNX Runtime
/// takes it.
Settings settings_of(const Node& c) {
  Settings s;
  s.mode = c.word("mode", {"nearest", "linear", "cubic"});
  s.coordinates = c.word("coordinate_transformation_mode",
                         {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                          "tf_half_pixel_for_nn", "half_pixel_symmetric", "tf_crop_and_resize"});
  s.nearest = c.word("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  s.cubic = c.real("cubic_coeff_a");
  s.outside_value = c.real("extrapolation_value");
  s.exclude_outside = c.integer("exclude_outside") != 0;
  c.require(c.integer("antialias", 0) == 0, "has antialias, needs 0");
  return s;
}

/// The part of the input that tf_crop_and_resize shows.
void read_region(const Node& c, std::vector<Dimension>& dimensions, const Integers& axes) {
  const std::vector<double> roi = reals_of(c.constant(1, "roi"));
  require_numbers(c, roi.size(), "numbers in its roi", 2 * axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    dimensions[static_cast<std::size_t>(axes[i])].start = static_cast<float>(roi[i]);
    dimensions[static_cast<std::size_t>(axes[i])].end = static_cast<float>(roi[i + axes.size()]);
  }
}

Resizing of_resize(const Node& c) {
  if (c.opset() < 11)
    return by_scales_alone(c, c.word("mode", {"nearest", "linear"}), reals_of(c.constant(1, "scales")));
  const Settings s = settings_of(c);
  const Integers axes = resized_axes(c);
  const bool by_scale = c.has(2) && c.constant(2, "scales").count() > 0;
  c.require(!by_scale || !c.has(3) || c.constant(3, "sizes").count() == 0,
            "has both scales and sizes, needs one of them");
  std::vector<Dimension> dimensions =
      by_scale ? by_scales(c, reals_of(c.in(2)), axes) : by_sizes(c, c.integers(3, "sizes"), axes);
  if (crops(s)) read_region(c, dimensions, axes);
  return {s, std::move(dimensions)};
}

/// Scales are an input from operator set 9 on, a list from 7 on, before one for the height, one for the
/// width.
Resizing of_upsample(const Node& c) {
  const std::string mode = c.word("mode", {"nearest", "linear", "bilinear"});
  if (c.opset() >= 9) return by_scales_alone(c, mode, reals_of(c.constant(1, "scales")));
  std::vector<double> scales = {1, 1};
  if (const auto* a = c.find("scales"))
    scales.assign(a->floats().begin(), a->floats().end());
  else
    scales.insert(scales.end(), {c.real("height_scale"), c.real("width_scale")});
  return by_scales_alone(c, mode, scales);
}

Resizing resizing_of(const Node& c) { return c.op() == "Upsample" ? of_upsample(c) : of_resize(c); }

void resize(const Node& c) {
  const Resizing r = resizing_of(c);
  c.set(resized(c, r.settings, r.dimensions));
}

constexpr Operator kResizeOperators[] = {{"Resize", resize}, {"Upsample", resize}};

}  // namespace

std::vector<Taps> resize_taps(const Node& c) {
  const Resizing r = resizing_of(c);
  return taps_of(c, r.settings, r.dimensions);
}

std::span<const Operator> resize_operators() { return kResizeOperators; }

}  // namespace vdla::import::tensor
