// SPDX-License-Identifier: Apache-2.0
// Resizes of images N H W C.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/import/tensor/resample.h"
#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

/// How a place of the output is one of the input.
struct Alignment {
  bool corners = false, half_pixels = false;
};

/// Steps of the input for one of the output, in float32 as the reference kernels compute it.
float scale_of(const Alignment& a, std::int64_t in, std::int64_t out) {
  return a.corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                              : static_cast<float>(in) / static_cast<float>(out);
}

/// The two elements around each place along a dimension, and how much the second one counts.
struct Between {
  Integers lower, upper;
  std::vector<double> fraction;
};

Between reals_between(const Alignment& a, std::int64_t in, std::int64_t out) {
  Between b;
  const float scale = scale_of(a, in, out);
  for (std::int64_t i = 0; i < out; ++i) {
    const auto o = static_cast<float>(i);
    const float at = a.half_pixels ? (o + 0.5F) * scale - 0.5F : o * scale;
    b.lower.push_back(std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(at)), 0));
    b.upper.push_back(std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(at)), in - 1));
    b.fraction.push_back(at - static_cast<float>(b.lower.back()));
  }
  return b;
}

/// Fractions of 1024 parts, as the reference kernel of int8 and int16 computes them in integers.
constexpr std::int64_t kParts = 1 << 10;
constexpr double kWhole = static_cast<double>(kParts * kParts);
Between parts_between(const Alignment& a, std::int64_t in, std::int64_t out) {
  Between b;
  const std::int64_t scale =
      a.corners && out > 1 ? (kParts * (in - 1) + (out - 1) / 2) / (out - 1) : (kParts * in + out / 2) / out;
  for (std::int64_t i = 0; i < out; ++i) {
    const std::int64_t at = a.half_pixels ? i * scale + scale / 2 - kParts / 2 : i * scale;
    b.lower.push_back(std::max<std::int64_t>(at / kParts, 0));
    b.upper.push_back(std::min<std::int64_t>((at + kParts - 1) / kParts, in - 1));
    b.fraction.push_back(static_cast<double>(at - kParts * b.lower.back()));
  }
  return b;
}

/// Most places of an axis of the result: a list has all of them.
constexpr std::int64_t kMostPlaces = 1 << 20;

/// Extents of the output, input 1: height, width.
std::pair<std::int64_t, std::int64_t> size_of(const Operation& c, const Value& x) {
  const Integers size = c.integers(1, "size");
  c.require(x.rank() == 4 && size.size() == 2, "needs data N H W C and a size of two numbers");
  for (std::int64_t extent : size)
    c.require(extent > 0 && extent <= kMostPlaces,
              fmt::format("has an extent of {} in its size, needs 1 to {}", extent, kMostPlaces));
  return {size[0], size[1]};
}

/// Integers are in one scale before and after: they are weighted, not rescaled.
void require_same_scale(const Operation& c) {
  c.require(c.quantised_output(0) && c.quantization(0) == c.output_quantization(0),
            "has an input and an output of different scales or zero points, needs equal ones");
}

/// All four neighbours of each place, [N, height, width, C].
std::vector<Value> neighbours(const Operation& c, const Value& x, const Between& y, const Between& z) {
  std::vector<Value> result;
  const auto at = [&](const Value& v, const Integers& places, int axis) {
    return c.gather(
        v, tensor::make_constant(DataType::Int64, {static_cast<std::int64_t>(places.size())}, places), axis);
  };
  for (const Integers* rows : {&y.lower, &y.upper}) {
    const Value row = at(x, *rows, 1);
    for (const Integers* columns : {&z.lower, &z.upper}) result.push_back(at(row, *columns, 2));
  }
  return result;
}

/// The places as Bilinear takes them, or nothing: a weight is no multiple of 1 / parts. Means of one element
/// have one weight.
std::optional<Value> places_of(const Between& b, std::int64_t in, std::int64_t whole, std::int64_t parts) {
  Integers places;
  for (std::size_t i = 0; i < b.fraction.size(); ++i) {
    const std::int64_t first = std::min(b.lower[i], in - 1);
    const double weight = b.upper[i] == first ? 0 : b.fraction[i] * static_cast<double>(parts / whole);
    if (weight != std::floor(weight)) return std::nullopt;
    places.insert(places.end(), {first, b.upper[i], static_cast<std::int64_t>(weight)});
  }
  return tensor::make_constant(DataType::Int32, {static_cast<std::int64_t>(b.fraction.size()), 3}, places);
}

/// Weighted means of four neighbours of integers with a scale, bit for bit as the reference kernels: uint8 in
/// float32, others in integers. Means of uint8 with weights of 8 bits are exact, and rounded once.
Value bilinear_of_integers(const Operation& c, const Value& x, const Alignment& a, std::int64_t height,
                           std::int64_t width) {
  using expr::DType;
  using tensor::real;
  const bool uint8 = c.uint8_input(0);
  const auto between = uint8 ? reals_between : parts_between;
  const Between y = between(a, x.shape[1], height), z = between(a, x.shape[2], width);
  if (x.type == DataType::Int8) {
    constexpr std::int64_t kExactParts = 1 << 8;
    const std::int64_t parts = uint8 ? kExactParts : kParts, whole = uint8 ? 1 : kParts;
    const auto rows = places_of(y, x.shape[1], whole, parts),
               columns = places_of(z, x.shape[2], whole, parts);
    if (rows && columns) return c.emit(graph::Bilinear{parts, uint8 ? -128 : 0}, {x, *rows, *columns});
  }
  std::vector<Value> inputs = neighbours(c, x, y, z);
  const DataType type = uint8 ? DataType::Float32 : DataType::Int64;
  inputs.push_back(tensor::make_constant(type, {height, 1, 1}, y.fraction));
  inputs.push_back(tensor::make_constant(type, {width, 1}, z.fraction));
  return c.map("Bilinear", inputs, [&](const auto& v) {
    const auto number = [&](double n) -> expr::Value {
      return uint8 ? real(n, v[4]) : expr::Value(expr::number(static_cast<std::int64_t>(n), DType::I64));
    };
    // uint8 is stored 128 lower.
    const auto element = [&](std::size_t i) -> expr::Value {
      return uint8 ? cast(DType::F32, cast(DType::I32, v[i]) + 128) : cast(DType::I64, v[i]);
    };
    const expr::Value one = number(uint8 ? 1 : static_cast<double>(kParts));
    const expr::Value &dy = v[4], &dx = v[5];
    if (uint8) {
      const expr::Value sum = element(0) * (one - dy) * (one - dx) + element(2) * dy * (one - dx) +
                              element(1) * (one - dy) * dx + element(3) * dy * dx + number(0.5);
      return cast(DType::I8, cast(DType::I32, sum) - 128);
    }
    const expr::Value sum = element(0) * (one - dy) * (one - dx) + element(2) * dy * (one - dx) +
                            element(1) * (one - dy) * dx + element(3) * dy * dx;
    const expr::Value half = number(0.5 * kWhole);
    return cast(graph::dtype_of(x.type), (sum + select(sum > 0, half, 0 - half)) / number(kWhole));
  });
}

void resize_bilinear(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_ResizeBilinearOptions);
  const Alignment a{o.align_corners(), o.half_pixel_centers()};
  Value x = c.in(0);
  const auto [height, width] = size_of(c, x);
  if (c.quantised_input(0)) {
    require_same_scale(c);
    return c.set(bilinear_of_integers(c, x, a, height, width));
  }
  x = c.floats(0);
  for (const auto& [axis, extent] : {std::pair{1, height}, std::pair{2, width}}) {
    const auto d = static_cast<std::size_t>(axis);
    if (x.shape[d] == extent) continue;
    const Between b = reals_between(a, x.shape[d], extent);
    std::vector<double> rest;
    rest.reserve(b.fraction.size());
    for (double f : b.fraction) rest.push_back(1 - f);
    x = tensor::resampled(c, x, d, {b.lower, b.upper}, {rest, b.fraction});
  }
  c.set(x);
}

void resize_nearest(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_ResizeNearestNeighborOptions);
  const Alignment a{o.align_corners(), o.half_pixel_centers()};
  Value x = c.in(0);
  const auto [height, width] = size_of(c, x);
  for (const auto& [axis, extent] : {std::pair{1, height}, std::pair{2, width}}) {
    const auto d = static_cast<std::size_t>(axis);
    const float scale = scale_of(a, x.shape[d], extent), offset = a.half_pixels ? 0.5F : 0;
    Integers places;
    for (std::int64_t i = 0; i < extent; ++i) {
      const float at = (static_cast<float>(i) + offset) * scale;
      const auto place = static_cast<std::int64_t>(a.corners ? std::round(at) : std::floor(at));
      places.push_back(std::clamp<std::int64_t>(place, 0, x.shape[d] - 1));
    }
    x = tensor::resampled(c, x, d, {places}, {{}});
  }
  c.set(x);
}

constexpr Row kResizeRows[] = {
    {"RESIZE_BILINEAR", resize_bilinear, Takes::Moved},
    {"RESIZE_NEAREST_NEIGHBOR", resize_nearest, Takes::Moved},
};

}  // namespace

std::span<const Row> resize_rows() { return kResizeRows; }

}  // namespace vdla::import::tflite
