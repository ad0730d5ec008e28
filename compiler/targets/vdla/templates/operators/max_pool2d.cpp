// SPDX-License-Identifier: Apache-2.0
// Maximum of a window.
#include <string_view>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/vector_template.h"

namespace vdla::pipeline::device {

using expr::IterVar;
using expr::Tensor;

namespace {

Space space_of(const MaxPool2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  return tile_space(op.in, op.out, op.window, on_chip, g);
}
TileCost cost_of(const MaxPool2d& op, const isa::Geometry& g) { return window_cost(op.window, 0, g); }

Scheduled max_pool(const MaxPool2d& op, const TileKnobs& knobs, const isa::Geometry& g,
                   const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const OuterAxes outer = images_axis(op.images, op.in, op.out, g);
  const WindowInput input("in", op.in, op.out, op.window, -128, g.block_out, on_chip.input, g, outer);
  const Tensor acc = entries(
      "acc", op.out, g,
      [&](const Element& e) {
        return over_window(op.window, [&](const IterVar& ky, const IterVar& kx) {
          return expr::max(widened(input(e, ky, kx, e.block, e.n)), {ky, kx});
        });
      },
      outer);
  const Tensor result = entries(
      "result", op.out, g,
      [&](const Element& e) { return clamped_int8(expr::at(acc, e.indices(g.batch)), 0, op.min, op.max); },
      outer);
  return schedule_tiles({{input},
                         {},
                         {},
                         {{acc, "max"}},
                         {result, "add"},
                         {input.parameter(), way_out(result, op.out, on_chip.output, g, outer)},
                         outer},
                        knobs, g, "max_pool2d");
}

Reason why_not(const MaxPool2d& op, const isa::Geometry& g) {
  if (auto why = one_value(op.min, op.max)) return why;
  return misfit(space_of(op, g, {}), cost_of(op, g), g);
}

void lower(const MaxPool2d& op, Lowering& l) {
  const TileKnobs knobs =
      l.tile_knobs(op.name, space_of(op, l.geometry(), l.on_chip()), cost_of(op, l.geometry()));
  l.set_function(max_pool(op, knobs, l.geometry(), l.on_chip()), {{Role::Input, 0}, {Role::Output, 0}},
                 to_string(knobs), l.views(op.in, op.out, op.window));
}

}  // namespace

template <>
const Operator<MaxPool2d>& row<MaxPool2d>() {
  static constexpr Operator<MaxPool2d> kRow{
      .kind = [](const MaxPool2d&) -> std::string_view { return "max_pool2d"; },
      .inputs = [](const MaxPool2d& op) { return std::vector{op.in}; },
      .output = [](const MaxPool2d& op) { return op.out; },
      .check = check_pool<MaxPool2d>,
      .why_not = why_not,
      .estimate = tile_estimate<MaxPool2d, space_of, cost_of>,
      .lower = lower,
      .space = tile_knobs_of<MaxPool2d, space_of, cost_of>,
      .padding = [](const MaxPool2d& op) { return Padding{reach_beyond(op.in, op.out, op.window), -128}; },
      .window = [](const MaxPool2d& op) { return op.window; },
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::MaxPool2d& op) {
  if (auto no = n.no_image()) return *no;
  return Layer{MaxPool2d{n.name(), one_image(n.in()), one_image(n.out()), n.images(),
                         window_of(op.kernel, op.stride, {}, op.pads), op.min, op.max},
               {n.node.inputs[0]}};
}

}  // namespace vdla::pipeline::device
