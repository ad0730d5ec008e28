// SPDX-License-Identifier: Apache-2.0
// PRelu with a slope for each channel: the larger of x and x * slope where no slope is above one, the smaller
// where none is below. Both are layers that the device has.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/graph/requant.h"
#include "compiler/graph/sources.h"
#include "compiler/import/integer/rules.h"

namespace vdla::import::integer {
namespace {

/// Shape of images whose last dimension is the same.
Shape as_images(const Shape& stored) {
  if (stored.size() == 4) return stored;
  return {1, 1, graph::element_count(stored) / stored.back(), stored.back()};
}

Quantized reshaped_to(const Context& c, const Quantized& v, const Shape& shape,
                      const std::vector<int>& perm) {
  if (c.graph().tensor(v.id).shape == shape) return {v.id, perm};
  return c.add(c.name() + "/view", graph::Reshape{shape}, {v.id}, c.quantization(v), perm);
}

/// The elements of x, whose channels are stored last, times the slopes of their channels.
Quantized sloped(const Context& c, const Quantized& x, const std::vector<double>& slopes,
                 const Request& request) {
  const Shape stored = c.graph().tensor(x.id).shape;
  graph::Quantization q{{}, std::vector<std::int32_t>(slopes.size(), 0), 3};
  std::vector<std::int8_t> signs;
  for (const double s : slopes) {
    signs.push_back(s > 0 ? 1 : s < 0 ? -1 : 0);
    q.scale.push_back(s == 0 ? 1 : std::abs(s));
  }
  const std::string name = c.name() + "/sloped";
  const graph::TensorId weights = c.graph().add_constant(
      name + "/weights", DataType::Int8, {1, 1, 1, stored.back()}, graph::to_bytes(signs), q,
      graph::as(c.as_it_is(1).origins.list(), Likeness::From));
  const graph::Quantization from = c.quantization(x), to = request.quantization;
  graph::DepthwiseConv2d op;
  op.input_zero_point = from.zero_point[0];
  op.out = stage(request, graph::convolution_multipliers(from.scale[0], q.scale, to.scale[0]),
                 std::vector<std::int64_t>(slopes.size(), 255));
  const Quantized images = reshaped_to(c, x, as_images(stored), identity_perm(4));
  const Quantized y = c.add(name, std::move(op), {images.id, weights, graph::kNone}, to, identity_perm(4));
  return reshaped_to(c, y, stored, x.perm);
}

/// The tensor with a dimension of the model stored last.
Quantized with_last(const Context& c, const Quantized& x, std::size_t axis) {
  if (x.perm.back() == static_cast<int>(axis)) return x;
  std::vector<int> perm = x.perm;
  std::erase(perm, static_cast<int>(axis));
  perm.push_back(static_cast<int>(axis));
  return c.stored_as(x, perm, c.name());
}

void prelu(const Context& c) {
  if (set_function(c)) return;
  c.require(!c.is_constant(0), "reads constants alone, needs a computed value");
  std::vector<double> slopes = c.reals(1);
  const auto axis = sloped_axis(c.shape(1), c.shape(0));
  c.require(axis.has_value(),
            fmt::format("has slopes of {} for an input of {}, needs them along one dimension",
                        graph::to_string(c.shape(1)), graph::to_string(c.shape(0))));
  const auto side = side_of_slopes(slopes);
  c.require(side.has_value(), "has slopes above and below one, needs them on one side");
  const Quantized given = c.quantized(0);
  const Quantized x = slopes.size() == 1 ? given : with_last(c, given, *axis);
  slopes.resize(static_cast<std::size_t>(c.graph().tensor(x.id).shape.back()), slopes[0]);
  Deferred d;
  d.quantize = [c, x, slopes, side = *side](const Request& request) {
    const Quantized same = in_scale(c, x, request), below = sloped(c, x, slopes, request);
    graph::Op op = graph::Maximum{};
    if (side == SlopeSide::Smaller) op = graph::Minimum{};
    return c.add(c.name(), std::move(op), {same.id, below.id}, request.quantization, x.perm);
  };
  c.set(std::move(d), c.shape(0));
}

constexpr Rule kSlopeRules[] = {{"PRelu", prelu}};

}  // namespace

std::optional<SlopeSide> side_of_slopes(const std::vector<double>& slopes) {
  if (!std::ranges::all_of(slopes, [](double s) { return std::isfinite(s); })) return std::nullopt;
  if (std::ranges::all_of(slopes, [](double s) { return s <= 1; })) return SlopeSide::Larger;
  if (std::ranges::all_of(slopes, [](double s) { return s >= 1; })) return SlopeSide::Smaller;
  return std::nullopt;
}

std::optional<std::size_t> sloped_axis(const Shape& slopes, const Shape& input) {
  for (std::size_t axis = 0; axis < input.size(); ++axis)
    if (is_along(slopes, input, axis)) return axis;
  return std::nullopt;
}

std::span<const Rule> slope_rules() { return kSlopeRules; }

}  // namespace vdla::import::integer
