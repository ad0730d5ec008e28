// SPDX-License-Identifier: Apache-2.0
// The larger, or the smaller, of two images' elements.
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/vector_template.h"

namespace vdla::pipeline::device {

using expr::Tensor;
using expr::Value;

namespace {

Space space_of(const Extremum& op, const isa::Geometry& g, const OnChip& on_chip) {
  return tile_space(op.image, op.image, {}, on_chip, g);
}
TileCost cost_of([[maybe_unused]] const Extremum& op, const isa::Geometry& g) { return two_images_cost(g); }

Scheduled extremum(const Extremum& op, const TileKnobs& knobs, const isa::Geometry& g,
                   const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const WindowInput a("a", op.image, op.image, {}, 0, g.block_out, on_chip.input, g);
  const WindowInput b("b", op.image, op.image, {}, 0, g.block_out, on_chip.second_input, g);
  const Tensor first = entries("first", op.image, g, [&](const Element& e) { return widened(a(e)); });
  const Tensor both = entries("both", op.image, g, [&](const Element& e) {
    const Value one = expr::at(first, e.indices(g.batch)), other = widened(b(e));
    return op.smaller ? expr::minimum(one, other) : expr::maximum(one, other);
  });
  const Tensor result = entries("result", op.image, g, [&](const Element& e) {
    return clamped_int8(expr::at(both, e.indices(g.batch)), 0, -128, 127);
  });
  const char* intrinsic = op.smaller ? "min" : "max";
  return schedule_tiles({{a, b},
                         {},
                         {},
                         {{first, intrinsic}, {both, intrinsic}},
                         {result, "add"},
                         {a.parameter(), b.parameter(), way_out(result, op.image, on_chip.output, g)}},
                        knobs, g, intrinsic);
}

Reason why_not(const Extremum& op, const isa::Geometry& g) {
  return misfit(space_of(op, g, {}), cost_of(op, g), g);
}

void lower(const Extremum& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const TileKnobs knobs = l.tile_knobs(op.name, space_of(op, g, l.on_chip()), cost_of(op, g));
  l.set_function(extremum(op, knobs, g, l.on_chip()),
                 {{Role::Input, 0}, {Role::SecondInput, 0}, {Role::Output, 0}}, to_string(knobs),
                 l.views(op.image, op.image));
}

LayerOrNot layer(const GraphNode& n, bool smaller) {
  if (auto no = n.different_shapes()) return *no;
  return Layer{Extremum{n.name(), image_of(n.out()), smaller}, {n.node.inputs[0], n.node.inputs[1]}};
}

}  // namespace

template <>
const Operator<Extremum>& row<Extremum>() {
  static constexpr Operator<Extremum> kRow{
      .kind = [](const Extremum& op) -> std::string_view { return op.smaller ? "minimum" : "maximum"; },
      .inputs = [](const Extremum& op) { return std::vector{op.image, op.image}; },
      .output = [](const Extremum& op) { return op.image; },
      .check = [](const Extremum& op) { check_image(op.name, "image", op.image); },
      .why_not = why_not,
      .estimate = tile_estimate<Extremum, space_of, cost_of>,
      .lower = lower,
      .space = tile_knobs_of<Extremum, space_of, cost_of>,
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::Maximum&) { return layer(n, false); }
LayerOrNot from_graph(const GraphNode& n, const graph::Minimum&) { return layer(n, true); }

}  // namespace vdla::pipeline::device
