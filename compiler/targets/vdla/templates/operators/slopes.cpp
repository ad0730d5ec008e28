// SPDX-License-Identifier: Apache-2.0
// Tables that are two lines which meet at the input's zero point: leaky relus, absolute values. One line
// alone is another quantisation.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/table.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/pack.h"
#include "compiler/targets/vdla/templates/vector_template.h"
#include "support/fixed_point.h"

namespace vdla::pipeline::device {

using expr::DType;
using expr::Tensor;
using expr::Value;

namespace {

Space space_of(const Slopes& op, const isa::Geometry& g, const OnChip& on_chip) {
  return tile_space(op.image, op.image, {}, on_chip, g);
}
TileCost cost_of([[maybe_unused]] const Slopes& op, const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.par_fixed = std::tuple_size_v<decltype(op.slopes)> * kScaleParams;
  cost.acc_images = 2;
  cost.steps = 4;
  return cost;
}

/// Parameters [slope][3][N].
PackedConstants pack(const Slopes& op, const isa::Geometry& g) {
  PackedConstants constants;
  ParamWriter writer(constants.bytes, g.block_out, g.block_out);  // numbers are the same in every lane
  for (const Multiplier& m : op.slopes)
    for (const std::int32_t value : {-op.input_zero, m.value, shift_word(m)})
      writer.entry(0, [&](std::int64_t) { return value; });
  return constants;
}

Scheduled slopes(const Slopes& op, const TileKnobs& knobs, const isa::Geometry& g, const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const auto count = static_cast<std::int64_t>(op.slopes.size());
  const Tensor params = expr::placeholder("params", {count, kScaleParams, g.block_out}, DType::I32);
  const Tensor scale = loaded_params(params);
  const WindowInput input("in", op.image, op.image, {}, 0, g.block_out, on_chip.input, g);
  const auto scaled = [&](const char* name, int which) {
    return entries(name, op.image, g, [&](const Element& e) {
      const auto row = [&](int r) { return scale(Value(which), Value(r), e.n).expr(); };
      return Value(intrinsics::scale_value(widened(input(e)).expr(), row(0), row(1), row(2)));
    });
  };
  const Tensor one = scaled("one", 0), other = scaled("other", 1);
  const Tensor both = entries("both", op.image, g, [&](const Element& e) {
    const Value a = expr::at(one, e.indices(g.batch)), b = expr::at(other, e.indices(g.batch));
    return op.smaller ? expr::minimum(a, b) : expr::maximum(a, b);
  });
  const Tensor result = entries("result", op.image, g, [&](const Element& e) {
    return clamped_int8(expr::at(both, e.indices(g.batch)), op.zero_point, op.min, op.max);
  });
  return schedule_tiles({{input},
                         {},
                         {scale},
                         {{one, "scale"}, {other, "scale", true}, {both, op.smaller ? "min" : "max"}},
                         {result, "add"},
                         {input.parameter(), params, way_out(result, op.image, on_chip.output, g)}},
                        knobs, g, "slopes");
}

Reason why_not(const Slopes& op, const isa::Geometry& g) {
  if (auto why = one_value(op.min, op.max)) return why;
  if (auto why = bad_shift(op.slopes)) return why;
  if (auto why = bad_zero("input", op.input_zero)) return why;
  return misfit(space_of(op, g, {}), cost_of(op, g), g);
}

void lower(const Slopes& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const std::int64_t start = l.place(pack(op, g).bytes);
  const TileKnobs knobs = l.tile_knobs(op.name, space_of(op, g, l.on_chip()), cost_of(op, g));
  l.set_function(slopes(op, knobs, g, l.on_chip()),
                 {{Role::Input, 0}, {Role::Constants, start}, {Role::Output, 0}}, to_string(knobs),
                 l.views(op.image, op.image));
}

/// A table as scalings of the distance to the input's zero point, then its output's zero point and a clamp to
/// the values that it has.
class Table {
 public:
  Table(const std::array<std::int8_t, 256>& values, std::int32_t input_zero)
      : values_(values), input_zero_(input_zero) {}

  std::int32_t zero_point() const { return at(0); }
  std::int32_t min() const { return std::ranges::min(values_); }
  std::int32_t max() const { return std::ranges::max(values_); }

  /// A multiplier that gives the values at `sides` (1: above zero, -1: below), or nothing.
  std::optional<Multiplier> line(const std::vector<int>& sides) const;
  /// Whether `f` of a distance gives all values.
  template <class F>
  bool equals(const F& f) const {
    return std::ranges::all_of(std::views::iota(-128 - input_zero_, 128 - input_zero_), [&](int distance) {
      return std::clamp(f(distance) + zero_point(), min(), max()) == at(distance);
    });
  }

 private:
  /// Bounds of a multiplier's value, both included.
  struct Bounds {
    std::int64_t low = -INT32_MAX, high = INT32_MAX;
  };
  std::int32_t at(int distance) const {
    return values_.at(static_cast<std::size_t>(std::int64_t{distance} + input_zero_ + 128));
  }
  bool has(int distance) const { return distance + input_zero_ >= -128 && distance + input_zero_ <= 127; }
  void narrow(Bounds& bounds, const Multiplier& m, int distance) const;

  const std::array<std::int8_t, 256>& values_;
  std::int32_t input_zero_;
};

std::int32_t scaled(std::int32_t x, const Multiplier& m) {
  const std::int32_t wide = wrap_shift_left(x, static_cast<unsigned>(m.left()));
  return round_shift_right(srdh_mul(wide, m.value), static_cast<unsigned>(m.right()));
}

/// Narrows the bounds to multipliers that give the value at `distance`. A product is the same with both signs
/// changed, so that results of |distance| grow with the multiplier.
void Table::narrow(Bounds& bounds, const Multiplier& m, int distance) const {
  const bool below = distance < 0;
  if (below) bounds = {-bounds.high, -bounds.low};
  const std::int32_t step = at(distance) - zero_point();
  const auto first = [&](std::int32_t least) {
    const auto all = std::views::iota(bounds.low, bounds.high + 1);
    const auto below_least = [&](std::int64_t value) {
      return scaled(std::abs(distance), {static_cast<std::int32_t>(value), m.shift, m.guard}) < least;
    };
    return bounds.low +
           static_cast<std::int64_t>(std::ranges::partition_point(all, below_least) - all.begin());
  };
  const std::int64_t low = at(distance) == min() ? bounds.low : first(step);
  const std::int64_t high = at(distance) == max() ? bounds.high : first(step + 1) - 1;
  bounds = below ? Bounds{-high, -low} : Bounds{low, high};
}

std::optional<Multiplier> Table::line(const std::vector<int>& sides) const {
  // Multipliers as TFLite's kernels round, twice; then such whose first rounding does not show.
  std::vector<Multiplier> scales;
  for (int shift = -8; shift <= 8; ++shift) scales.push_back({0, shift, 0});
  constexpr int kGuard = 16;
  for (int shift : {0, 3, 6}) scales.push_back({0, shift, kGuard});
  for (Multiplier m : scales) {
    Bounds bounds;
    for (int far = 255; far > 0 && bounds.low <= bounds.high; --far)
      for (const int side : sides)
        if (has(side * far) && bounds.low <= bounds.high) narrow(bounds, m, side * far);
    if (bounds.low > bounds.high) continue;
    m.value = static_cast<std::int32_t>(std::midpoint(bounds.low, bounds.high));
    return m;
  }
  return std::nullopt;
}

}  // namespace

template <>
const Operator<Slopes>& row<Slopes>() {
  static constexpr Operator<Slopes> kRow{
      .kind = [](const Slopes&) -> std::string_view { return "slopes"; },
      .inputs = [](const Slopes& op) { return std::vector{op.image}; },
      .output = [](const Slopes& op) { return op.image; },
      .check = [](const Slopes& op) { check_image(op.name, "image", op.image); },
      .why_not = why_not,
      .estimate = tile_estimate<Slopes, space_of, cost_of>,
      .lower = lower,
      .space = tile_knobs_of<Slopes, space_of, cost_of>,
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::Lut& op) {
  const std::vector<std::int32_t>& zeros = n.input().quantization.zero_point;
  const std::int32_t input_zero = zeros.empty() ? 0 : zeros[0];
  if (auto why = bad_zero("input", input_zero)) return WhyNot{std::move(*why)};
  const Table table(op.table, input_zero);
  const Image image = image_of(n.out());
  const std::vector<graph::TensorId> inputs{n.node.inputs[0]};
  if (const auto line = table.line({1, -1}))
    return Layer{
        Requantize{n.name(), image, input_zero, {{*line}, table.zero_point(), table.min(), table.max()}},
        inputs};
  const auto above = table.line({1}), below = table.line({-1});
  for (const bool smaller : {false, true}) {
    const auto value = [&](int distance) {
      const std::int32_t a = scaled(distance, *above), b = scaled(distance, *below);
      return smaller ? std::min(a, b) : std::max(a, b);
    };
    if (above && below && table.equals(value))
      return Layer{Slopes{n.name(),
                          image,
                          input_zero,
                          {*above, *below},
                          smaller,
                          table.zero_point(),
                          table.min(),
                          table.max()},
                   inputs};
  }
  return WhyNot{"the device has no tables, and the function is no line with a bend at its zero point"};
}

}  // namespace vdla::pipeline::device
