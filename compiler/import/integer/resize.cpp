// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample of int8 tensors: the nearest element is moved, a mean of neighbours is computed in
// integers.
#include "compiler/import/tensor/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/graph/requant.h"
#include "compiler/import/integer/rules.h"
#include "compiler/import/integer/window.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::integer {
namespace {

using expr::DType;
using tensor::Scalar;
using tensor::Taps;

/// Bits of the weights along a dimension: the sum over two dimensions stays within int32.
constexpr int kBits = 11, kMostDimensions = 2;
constexpr std::int64_t kWhole = std::int64_t{1} << kBits;

/// A dimension of the stored tensor, its taps, and how much the second one counts.
struct Line {
  std::size_t stored;
  Taps taps;
};

Value second_weights(const Line& line, std::size_t rank) {
  Integers parts;
  for (const double weight : line.taps.weights[1])
    parts.push_back(std::lround(weight * static_cast<double>(kWhole)));
  Shape shape(rank - line.stored, 1);
  shape[0] = static_cast<std::int64_t>(parts.size());
  return tensor::make_constant(DataType::Int32, shape, parts);
}

/// The neighbours of each place: those of the first line's lower places come first.
std::vector<Value> neighbours(const tensor::Composer& c, const Value& x, const std::vector<Line>& lines) {
  std::vector<Value> result = {x};
  for (const Line& line : lines) {
    std::vector<Value> next;
    for (const Value& v : result)
      for (const Integers& places : line.taps.places)
        next.push_back(c.gather(
            v, tensor::make_constant(DataType::Int64, {static_cast<std::int64_t>(places.size())}, places),
            static_cast<int>(line.stored)));
    result = std::move(next);
  }
  return result;
}

/// The sum times the multiplier of real `factor`, over 2^bits, rounded once, halves upwards.
Scalar multiplied_once(const Context& c, const Scalar& sum, double factor, int bits) {
  constexpr int kMostShift = 62;
  const graph::Multiplier m = graph::multiplier_of(factor);
  const int right = 31 - m.shift + bits;
  c.require(right > 0 && right <= kMostShift,
            fmt::format("multiplies by {}, needs a factor of 2^-9 to 2^30", factor));
  const auto number = [](std::int64_t n) { return Scalar(expr::number(n, DType::I64)); };
  return (cast(DType::I64, sum) * number(m.value) + number(std::int64_t{1} << (right - 1))) >> number(right);
}

/// Places and second weights along a stored dimension as graph::Bilinear takes them; nothing where a weight
/// is none of its parts.
constexpr std::int64_t kParts = 1024;
std::optional<Value> mean_places(const std::vector<Line>& lines, std::size_t stored, std::int64_t extent) {
  const auto line = std::ranges::find(lines, stored, &Line::stored);
  Integers places;
  if (line == lines.end()) {
    for (std::int64_t i = 0; i < extent; ++i) places.insert(places.end(), {i, i, 0});
  } else {
    const auto& [at, weights] = line->taps;
    for (std::size_t i = 0; i < at[0].size(); ++i) {
      const double parts = at[0][i] == at[1][i] ? 0 : weights[1][i] * static_cast<double>(kParts);
      if (parts != std::floor(parts)) return std::nullopt;
      places.insert(places.end(), {at[0][i], at[1][i], static_cast<std::int64_t>(parts)});
    }
  }
  const auto count = static_cast<std::int64_t>(places.size() / 3);
  return tensor::make_constant(DataType::Int32, {count, 3}, places);
}

/// Means of an image's rows and columns in its own scale, which the device has, and another scale behind them
/// where its steps are large enough: both are rounded, together by less than a step of the output.
std::optional<Quantized> means_of(const Context& c, const Quantized& x, const std::vector<Line>& lines,
                                  const Request& request) {
  const graph::Quantization from = c.quantization(x);
  const graph::Quantization& to = request.quantization;
  const Value image = c.network().value_of(x.id);
  if (image.rank() != 4 || 1.8 * to.scale[0] < from.scale[0]) return std::nullopt;
  if (std::ranges::any_of(lines, [](const Line& line) { return line.stored != 1 && line.stored != 2; }))
    return std::nullopt;
  const auto rows = mean_places(lines, 1, image.shape[1]), columns = mean_places(lines, 2, image.shape[2]);
  if (!rows || !columns) return std::nullopt;
  const tensor::Composer composer(c.network(), c.name(), c.where(), from);
  const Value y = composer.emit(graph::Bilinear{kParts, from.zero_point[0]}, {image, *rows, *columns}, from);
  const graph::OutputStage unit = stage(request, {graph::Multiplier{}});
  if (from.scale == to.scale && from.zero_point == to.zero_point && unit.min == -128 && unit.max == 127)
    return Quantized{y.id, x.perm};
  graph::Requantize op{from.zero_point[0],
                       stage(request, {graph::multiplier_of(from.scale[0] / to.scale[0])}, {255})};
  return c.add(c.name() + "/scale", std::move(op), {y.id}, to, x.perm);
}

Quantized weighted(const Context& c, const Quantized& x, const std::vector<Line>& lines,
                   const Request& request) {
  if (const auto means = means_of(c, x, lines, request)) return *means;
  const graph::Quantization from = c.quantization(x);
  const tensor::Composer composer(c.network(), c.name(), c.where(), from);
  std::vector<Value> inputs = neighbours(composer, c.network().value_of(x.id), lines);
  const std::size_t count = inputs.size();
  for (const Line& line : lines) inputs.push_back(second_weights(line, x.perm.size()));
  const graph::OutputStage out = stage(request, {});
  const Value y = composer.map(
      c.op(), inputs,
      [&](const auto& v) {
        std::vector<Scalar> sums;
        sums.reserve(count);
        for (std::size_t i = 0; i < count; ++i) sums.push_back(cast(DType::I32, v[i]) - from.zero_point[0]);
        for (std::size_t k = lines.size(); k-- > 0;) {
          const Scalar& second = v[count + k];
          const Scalar first = Scalar(expr::number(kWhole, DType::I32)) - second;
          std::vector<Scalar> halved;
          for (std::size_t i = 0; i < sums.size(); i += 2)
            halved.push_back(sums[i] * first + sums[i + 1] * second);
          sums = std::move(halved);
        }
        const auto number = [](std::int64_t n) { return Scalar(expr::number(n, DType::I64)); };
        const Scalar steps = multiplied_once(c, sums[0], from.scale[0] / request.quantization.scale[0],
                                             kBits * static_cast<int>(lines.size()));
        return cast(DType::I8, clamp(steps + number(out.zero_point), number(out.min), number(out.max)));
      },
      request.quantization);
  return {y.id, x.perm};
}

void resize_linear(const Context& c) {
  c.require(c.as_it_is(0).type == DataType::Float32 && !c.is_constant(0),
            fmt::format("weighs {}, needs a computed tensor behind a DequantizeLinear", c.input_text(0)));
  const Quantized x = c.shape(0).size() == 4 ? images(c) : c.quantized(0);
  std::vector<Taps> taps = tensor::resize_taps(c);
  Shape shape = c.shape(0);
  std::vector<Line> lines;
  for (std::size_t d = 0; d < taps.size(); ++d) {
    if (taps[d].places.empty()) continue;
    shape[d] = static_cast<std::int64_t>(taps[d].places[0].size());
    const auto stored = std::ranges::find(x.perm, static_cast<int>(d)) - x.perm.begin();
    lines.push_back({static_cast<std::size_t>(stored), std::move(taps[d])});
  }
  c.require(lines.size() <= kMostDimensions,
            fmt::format("resizes {} dimensions, needs {} at most", lines.size(), kMostDimensions));
  if (lines.empty()) return c.set(x);
  Deferred d;
  d.quantize = [c, x, lines = std::move(lines)](const Request& request) {
    return weighted(c, x, lines, request);
  };
  c.set(std::move(d), std::move(shape));
}

/// Refuses tf_crop_and_resize: its value for places outside of the input is a real number, and integers that
/// move keep their scale.
void resize(const Context& c) {
  const std::string mode = c.text("mode"),
                    coordinates = c.text("coordinate_transformation_mode", "asymmetric");
  c.require(mode != "cubic", "has mode 'cubic', needs 'nearest' or 'linear'");
  c.require(coordinates != "tf_crop_and_resize",
            "has coordinate_transformation_mode '" + coordinates + "', needs one within its input");
  mode == "nearest" ? move_elements(c) : resize_linear(c);
}

constexpr Rule kResizeRules[] = {{"Resize", resize, true}, {"Upsample", resize, true}};

}  // namespace

std::span<const Rule> resize_rules() { return kResizeRules; }

}  // namespace vdla::import::integer
