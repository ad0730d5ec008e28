// SPDX-License-Identifier: Apache-2.0
// Pooling and resizing.
#include <algorithm>
#include <cmath>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

Shape spatial_of(const Piece& x) { return {x.shape.begin() + 2, x.shape.end()}; }

bool pool(Sketch& s, const char* name) {
  const std::string_view op = name;
  const bool average = op == "AveragePool", largest = op == "MaxPool", norm = op == "LpPool";
  static const Types kWide = {DataType::Float32, DataType::Float32, DataType::Int8, DataType::UInt8};
  const Piece x = s.take({largest && s.opset() >= 12 ? kWide : kFloat, 3, 5, -1e4, 1e4});
  Random& r = s.random();
  const Shape spatial = spatial_of(x);
  const std::size_t rank = spatial.size();
  Integers kernel(rank), stride(rank, 1), dilation(rank, 1), pads(2 * rank, 0);
  const bool dilates = r.chance(0.3) && (largest   ? s.opset() >= 10
                                         : average ? s.opset() >= 19
                                                   : s.opset() >= 18);
  for (std::size_t d = 0; d < rank; ++d) {
    kernel[d] = r.between(std::int64_t{1}, std::min<std::int64_t>(3, spatial[d]));
    if (r.chance(0.6)) stride[d] = r.between(std::int64_t{1}, std::int64_t{3});
    if (dilates && (kernel[d] - 1) * 2 < spatial[d])
      dilation[d] = r.between(std::int64_t{1}, std::int64_t{2});
    for (const std::size_t end : {d, d + rank})
      if (r.chance(0.4)) pads[end] = r.below(kernel[d]);
  }
  std::string automatic;
  if (r.chance(0.25)) {
    automatic = r.one_of({"VALID", "SAME_UPPER", "SAME_LOWER", "NOTSET"});
    if (automatic != "NOTSET") pads.assign(2 * rank, 0);
    if (automatic.starts_with("SAME")) dilation.assign(rank, 1);
  }
  const bool ceils = r.chance(0.3) && (norm ? s.opset() >= 18 : s.opset() >= 10);
  Shape shape = {x.shape[0], x.shape[1]};
  bool cut = false;  // a window reaches behind the padding
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t span = (kernel[d] - 1) * dilation[d] + 1,
                       rest = spatial[d] + pads[d] + pads[d + rank] - span;
    if (rest < 0) return false;
    std::int64_t size = rest / stride[d] + 1;
    if (ceils && !automatic.starts_with("SAME")) {
      size = (rest + stride[d] - 1) / stride[d] + 1;
      // A window that begins behind the data: dropped since version 22, and before that not by all.
      if ((size - 1) * stride[d] >= spatial[d] + pads[d]) return false;
    }
    // Padding below zero: some crop, some do not.
    if (automatic.starts_with("SAME") && stride[d] > kernel[d]) return false;
    cut = cut || (size - 1) * stride[d] + span > spatial[d] + pads[d] + pads[d + rank];
    if (automatic.starts_with("SAME")) size = (spatial[d] + stride[d] - 1) / stride[d];
    shape.push_back(size);
  }
  Written n = s.node(name);
  n.in(x).integers("kernel_shape", kernel);
  const auto differs = [](const Integers& v, std::int64_t from) {
    return std::ranges::any_of(v, [&](auto e) { return e != from; });
  };
  if (differs(stride, 1) || r.chance(0.3)) n.integers("strides", stride);
  if (differs(dilation, 1)) n.integers("dilations", dilation);
  if (differs(pads, 0)) n.integers("pads", pads);
  if (!automatic.empty()) n.text("auto_pad", automatic);
  if (ceils) n.integer("ceil_mode", 1);
  // Elements behind the padding count for some.
  if (average) n.some("count_include_pad", 0, cut ? 0 : r.below(2));
  if (norm) n.some("p", 2, r.between(std::int64_t{1}, std::int64_t{3}));
  const bool places = largest && s.opset() >= 8 && x.type == DataType::Float32 && r.chance(0.15);
  if (places) n.some("storage_order", 0, r.below(2));
  const double most = std::max(std::fabs(x.low), std::fabs(x.high)) * (norm ? 30 : 1);
  n.out(x.type, shape,
        norm      ? 0
        : largest ? x.low
                  : std::min(x.low, 0.0),
        norm ? most : x.high, largest, x.typical);
  if (places) n.out(DataType::Int64, shape, 0, double(x.count()), true);
  return true;
}

bool global_pool(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 3, 5, -1e6, 1e6});
  Shape shape(x.shape.size(), 1);
  shape[0] = x.shape[0], shape[1] = x.shape[1];
  s.node(name).in(x).out(x.type, shape, x.low, x.high, std::string_view(name) == "GlobalMaxPool", x.typical);
  return true;
}

bool unpool(Sketch& s, const char* name) {
  const Piece x =
      s.fresh(DataType::Float32, {1, s.random().between(std::int64_t{1}, std::int64_t{2}), 4, 4}, -2, 2);
  const Shape half = {1, x.shape[1], 2, 2};
  Written n = s.node("MaxPool");
  n.in(x).integers("kernel_shape", {2, 2}).integers("strides", {2, 2});
  const Piece best = n.out(x.type, half, x.low, x.high, true),
              places = n.out(DataType::Int64, half, 0, 64, true);
  Written m = s.node(name);
  m.in(best).in(places).integers("kernel_shape", {2, 2}).integers("strides", {2, 2});
  m.out(x.type, x.shape, std::min(0.0, x.low), std::max(0.0, x.high), true);
  return true;
}

/// Scales by dimension and the extents that follow, of Upsample and Resize.
struct Scales {
  std::vector<double> scales;
  Shape shape;
};

Scales scales_of(Sketch& s, const Piece& x, bool grows) {
  Scales result;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    double scale = x.shape.size() == 4 && d < 2 && s.random().chance(0.8)
                       ? 1
                       : s.random().one_of({1.0, 2.0, 1.5, 3.0, 0.5, 0.7, 1.3});
    if (grows) scale = std::max(1.0, scale);
    scale = static_cast<double>(static_cast<float>(scale));
    auto extent =
        static_cast<std::int64_t>(std::floor(static_cast<float>(scale) * static_cast<float>(x.shape[d])));
    if (extent < 1) scale = 1, extent = x.shape[d];
    result.scales.push_back(scale);
    result.shape.push_back(extent);
  }
  // Some take equal extents for a copy, whatever the scales.
  if (result.shape == x.shape) result.scales.assign(x.shape.size(), 1);
  return result;
}

bool upsample(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 4, 4, -1e4, 1e4});
  const Scales scales = scales_of(s, x, true);
  if (product(scales.shape) > 800) return false;
  const bool attribute = s.opset() < 9;
  const Piece list = attribute ? Piece{} : s.constant_of(DataType::Float32, {x.rank()}, scales.scales);
  Written n = s.node(name);
  n.in(x);
  if (attribute)
    n.reals("scales", scales.scales);
  else
    n.in(list);
  if (s.random().chance(0.6))
    n.text("mode", s.random().one_of({"nearest", s.opset() < 9 ? "linear" : "linear"}));
  n.out(x.type, scales.shape, x.low, x.high, false, x.typical);
  return true;
}

bool resize(Sketch& s, const char* name) {
  static const Types kWide = {DataType::Float32, DataType::Float32, DataType::Float32, DataType::Int8,
                              DataType::UInt8};
  Random& r = s.random();
  const std::string mode = r.one_of({"", "nearest", "linear", "linear", "cubic"});
  const bool interpolates = mode == "linear" || mode == "cubic";
  const Piece x =
      s.take({s.opset() >= 11 && !interpolates ? kWide : kFloat, interpolates ? 4 : 1, 4, -1e4, 1e4});
  if (mode == "cubic" && s.opset() < 11) return false;
  Scales scales = scales_of(s, x, false);
  if (interpolates)
    for (std::size_t d = 0; d < 2; ++d) scales.scales[d] = 1, scales.shape[d] = x.shape[d];
  if (product(scales.shape) > 800) return false;
  if (scales.shape == x.shape) scales.scales.assign(x.shape.size(), 1);
  const Piece list = s.constant_of(DataType::Float32, {x.rank()}, scales.scales);
  if (s.opset() < 11) {
    Written n = s.node(name);
    n.in(x).in(list);
    if (!mode.empty()) n.text("mode", mode);
    n.out(x.type, scales.shape, x.low, x.high, !interpolates, x.typical);
    return true;
  }
  const bool by_size = r.chance(0.4);
  for (auto& extent : scales.shape)
    if (by_size && r.chance(0.3) && &extent > &scales.shape[1])
      extent = r.between(std::int64_t{1}, std::int64_t{7});
  if (product(scales.shape) > 800) return false;
  const Piece sizes = by_size ? s.integers(scales.shape) : Piece{};
  // Two inputs that may be absent since version 13, and before that have no element.
  const Piece none = s.opset() < 13 ? s.constant_of(DataType::Float32, {0}, {}) : Piece{};
  const auto empty = [&](Written& n) { s.opset() < 13 ? n.in(none) : n.absent(); };
  Written n = s.node(name);
  n.in(x);
  empty(n);
  if (by_size)
    empty(n), n.in(sizes);
  else
    n.in(list);
  if (!mode.empty()) n.text("mode", mode);
  std::vector<std::string> transforms = {"half_pixel", "pytorch_half_pixel", "asymmetric"};
  // ONNX and ONNX Runtime align corners to different extents if a scale does not divide.
  bool divides = true;
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    divides = divides && (by_size || scales.scales[d] * double(x.shape[d]) == double(scales.shape[d]));
  if (divides) transforms.push_back("align_corners");
  if (s.opset() >= 19) transforms.push_back("half_pixel_symmetric");
  if (r.chance(0.6)) n.text("coordinate_transformation_mode", r.one_of(transforms));
  if (!interpolates && r.chance(0.6))
    n.text("nearest_mode", r.one_of({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
  if (mode == "cubic") {
    n.some("cubic_coeff_a", -0.75, -0.5);
    n.some("exclude_outside", 0, r.below(2));
  }
  if (s.opset() >= 18 && interpolates && r.chance(0.15)) n.integer("antialias", 1);
  n.out(x.type, scales.shape, x.low * 3 - 1, x.high * 3 + 1, !interpolates, x.typical);
  return true;
}

}  // namespace

std::vector<Operator> window_operators() {
  return {{"AveragePool", 7, kEver, pool},
          {"AveragePool", 7, kEver, pool},
          {"GlobalAveragePool", 1, kEver, global_pool},
          {"GlobalMaxPool", 1, kEver, global_pool},
          {"LpPool", 2, kEver, pool},
          {"MaxPool", 1, kEver, pool},
          {"MaxPool", 1, kEver, pool},
          {"MaxUnpool", 9, kEver, unpool},
          {"Resize", 10, kEver, resize},
          {"Resize", 10, kEver, resize},
          {"Upsample", 7, 9, upsample}};
}

}  // namespace vdla::random_graphs
