// SPDX-License-Identifier: Apache-2.0
// Another quantisation of the same image, or a clamp.
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/pack.h"
#include "compiler/targets/vdla/templates/vector_template.h"

namespace vdla::pipeline::device {

using expr::Tensor;

namespace {

Space space_of(const Requantize& op, const isa::Geometry& g, const OnChip& on_chip) {
  return tile_space(op.image, op.image, {}, on_chip, g);
}
TileCost cost_of([[maybe_unused]] const Requantize& op, const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.par_per_block = kScaleParams;
  cost.accumulates = false;
  return cost;
}

/// Parameters [channel block][3][N].
PackedConstants pack(const Requantize& op, const isa::Geometry& g) {
  PackedConstants constants;
  append_scale(constants, op.image.c, op.stage, g, [&](std::int64_t) { return -op.input_zero; });
  return constants;
}

Scheduled requantize(const Requantize& op, const TileKnobs& knobs, const isa::Geometry& g,
                     const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const Tensor params = scale_params(op.image, g), scale = loaded_params(params);
  const WindowInput input("in", op.image, op.image, {}, 0, g.block_out, on_chip.input, g);
  const Tensor result = entries("result", op.image, g, [&](const Element& e) {
    return scaled_int8(widened(input(e)), scale, e.block, e.n, op.stage);
  });
  return schedule_tiles({{input},
                         {},
                         {scale},
                         {},
                         {result, "scale"},
                         {input.parameter(), params, way_out(result, op.image, on_chip.output, g)}},
                        knobs, g, "requantize");
}

Reason why_not(const Requantize& op, const isa::Geometry& g) {
  if (auto why = bad_stage(op)) return why;
  return misfit(space_of(op, g, {}), cost_of(op, g), g);
}

void check(const Requantize& op) {
  check_image(op.name, "image", op.image);
  check_stage(op.name, op.stage, op.image.c);
}

void lower(const Requantize& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const std::int64_t start = l.place(pack(op, g).bytes);
  const TileKnobs knobs = l.tile_knobs(op.name, space_of(op, g, l.on_chip()), cost_of(op, g));
  l.set_function(requantize(op, knobs, g, l.on_chip()),
                 {{Role::Input, 0}, {Role::Constants, start}, {Role::Output, 0}}, to_string(knobs),
                 l.views(op.image, op.image));
}

}  // namespace

template <>
const Operator<Requantize>& row<Requantize>() {
  static constexpr Operator<Requantize> kRow{
      .kind = [](const Requantize&) -> std::string_view { return "requantize"; },
      .inputs = [](const Requantize& op) { return std::vector{op.image}; },
      .output = [](const Requantize& op) { return op.image; },
      .check = check,
      .why_not = why_not,
      .estimate = tile_estimate<Requantize, space_of, cost_of>,
      .lower = lower,
      .space = tile_knobs_of<Requantize, space_of, cost_of>,
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::Requantize& op) {
  return Layer{Requantize{n.name(), image_of(n.in()), op.input_zero_point, op.out}, {n.node.inputs[0]}};
}

}  // namespace vdla::pipeline::device
