// SPDX-License-Identifier: Apache-2.0
// TFLite's ADD of two images, or of an image and a pixel.
#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/pack.h"
#include "compiler/targets/vdla/templates/vector_template.h"

namespace vdla::pipeline::device {

using expr::DType;
using expr::Tensor;

void check(const Add& op) {
  check_image(op.name, "image", op.image);
  check_stage(op.name, op.stage, op.image.c);
  VDLA_CHECK_USER(op.left_shift >= 0 && op.left_shift <= 31)
      << op.name << ": left shift is " << op.left_shift << ", needs 0..31";
}

Reason beyond_fields(const Add& op) {
  const auto too_far = [&](const Multiplier& m) -> std::optional<std::string> {
    if (op.left_shift + m.left() <= 31) return std::nullopt;
    return fmt::format("left shift {} is beyond 31", op.left_shift + m.left());
  };
  const Multiplier operands[] = {op.a, op.b};
  for (auto& why : {bad_shift(operands), bad_shift(op.stage.multiplier), too_far(op.a), too_far(op.b),
                    bad_zero("first input's", op.a_zero), bad_zero("second input's", op.b_zero)})
    if (why) return why;
  return std::nullopt;
}

PackedConstants pack(const Add& op, const isa::Geometry& g) {
  const auto input = [&](const Multiplier& m) {
    const std::int32_t left = op.left_shift + m.left(), right = m.right();
    return left | right << 8;
  };
  PackedConstants constants;
  const std::int64_t lanes = g.block_out;
  ParamWriter writer(constants.bytes, lanes, lanes);  // numbers are the same in every lane
  const auto triple = [&](std::int32_t bias, std::int32_t multiplier, std::int32_t shifts) {
    for (std::int32_t value : {bias, multiplier, shifts}) {
      writer.entry(0, [&](std::int64_t) { return value; });
    }
  };
  triple(-op.a_zero, op.a.value, input(op.a));
  triple(-op.b_zero, op.b.value, input(op.b));
  triple(0, op.stage.multiplier[0].value, shift_word(op.stage.multiplier[0]));
  return constants;
}

namespace {

Image second_image(const Add& op) { return op.by_channel ? Image{1, 1, op.image.c} : op.image; }

Space space_of(const Add& op, const isa::Geometry& g, const OnChip& on_chip) {
  return tile_space(op.image, op.image, {}, on_chip, g);
}
TileCost cost_of([[maybe_unused]] const Add& op, const isa::Geometry& g) {
  TileCost cost = two_images_cost(g);
  cost.par_fixed = 3 * kScaleParams;
  return cost;
}

Scheduled add(const Add& op, const TileKnobs& knobs, const isa::Geometry& g, const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const Tensor params = expr::placeholder("params", {3, kScaleParams, g.block_out}, DType::I32);
  const WindowInput a("a", op.image, op.image, {}, 0, g.block_out, on_chip.input, g);
  const Image second = second_image(op);
  const WindowInput b("b", second, second, {}, 0, g.block_out, on_chip.second_input, g);
  const auto of_b = [&](const Element& e) { return b(op.by_channel ? Element{0, 0, e.block, 0, e.n} : e); };
  const Tensor scale = loaded_params(params);
  const Sum sum = sum_of(op, a, of_b, scale, g);
  return schedule_tiles(
      {{a, b},
       {},
       {scale},
       {{sum.first, "scale"}, {sum.both, "scale"}},
       {sum.result, "scale"},
       {a.parameter(), b.parameter(), params, way_out(sum.result, op.image, on_chip.output, g)}},
      knobs, g, "add");
}

Reason why_not(const Add& op, const isa::Geometry& g) {
  if (auto why = one_value(op.stage.min, op.stage.max)) return why;
  if (auto why = beyond_fields(op)) return why;
  if (op.by_channel && g.batch > 1)
    return fmt::format("its second image is one pixel, entries have {}", g.batch);
  return misfit(space_of(op, g, {}), cost_of(op, g), g);
}

void lower(const Add& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const std::int64_t start = l.place(pack(op, g).bytes);
  const TileKnobs knobs = l.tile_knobs(op.name, space_of(op, g, l.on_chip()), cost_of(op, g));
  Views views = l.views(op.image, op.image);
  views.second = view(second_image(op), l.residence().second_input, 0, 0, 0, g);
  l.set_function(add(op, knobs, g, l.on_chip()),
                 {{Role::Input, 0}, {Role::SecondInput, 0}, {Role::Constants, start}, {Role::Output, 0}},
                 to_string(knobs), views);
}

}  // namespace

template <>
const Operator<Add>& row<Add>() {
  static constexpr Operator<Add> kRow{
      .kind = [](const Add&) -> std::string_view { return "add"; },
      .inputs = [](const Add& op) { return std::vector{op.image, second_image(op)}; },
      .output = [](const Add& op) { return op.image; },
      .check = [](const Add& op) { check(op); },
      .why_not = why_not,
      .estimate = tile_estimate<Add, space_of, cost_of>,
      .lower = lower,
      .space = tile_knobs_of<Add, space_of, cost_of>,
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::Add& op) {
  const std::optional<std::size_t> channels = n.input_by_channel();
  if (!channels)
    if (auto no = n.different_shapes()) return *no;
  Add add{n.name(), image_of(n.out()), op.left_shift, op.a_zero_point, op.b_zero_point, op.a, op.b, op.out};
  add.by_channel = n.input(0).shape != n.input(1).shape;
  const std::size_t b = add.by_channel ? *channels : 1;
  if (b == 0) {
    std::swap(add.a, add.b);
    std::swap(add.a_zero, add.b_zero);
  }
  return Layer{std::move(add), {n.node.inputs[1 - b], n.node.inputs[b]}};
}

}  // namespace vdla::pipeline::device
