// SPDX-License-Identifier: Apache-2.0
// Images moved by DMA alone: in through the out buffer, with a border where asked for, and out again.
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/copy_call.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "compiler/targets/vdla/templates/window_te.h"
#include "support/error.h"

namespace vdla::pipeline::device {

using expr::Tensor;
using isa::Buffer;

namespace {

SlidingWindow border_of(const Move& op) {
  SlidingWindow window;
  window.pad_top = op.pad_top;
  window.pad_left = op.pad_left;
  return window;
}

}  // namespace

Space space_of(const Move& op, const isa::Geometry& g, const OnChip&) {
  Space s;
  s.out_h = op.out.h;
  s.out_w = (op.out.w + g.batch - 1) / g.batch;
  s.batch = g.batch;
  s.out_blocks = s.in_blocks = padded_channels(op.out.c, g) / g.block_out;
  return s;
}

TileCost cost_of(const Move&, const isa::Geometry&) {
  TileCost cost;
  cost.operand = Buffer::Out;
  cost.steps = 0;
  cost.accumulates = false;
  return cost;
}

Moved moved(const Move& op, const isa::Geometry& g, const OuterAxes& outer, const std::string& suffix) {
  WindowInput input("in" + suffix, op.in, op.out, border_of(op), op.value, g.block_out, false, g, outer);
  Tensor out = stored_elements("out" + suffix, op.out, g, [&](const Element& e) { return input(e); }, outer);
  return {std::move(input), std::move(out)};
}

namespace {

/// Cuts what is stored into tiles; returns the loop over these.
expr::IterVar tiles_of(schedule::Stage& out, const TileKnobs& k, std::int64_t batch, std::size_t o) {
  auto [yo, yi] = out.split(out.axis(o), k.tile_h);
  auto [xo, xt] = out.split(out.axis(o + 1), k.tile_w * batch);
  auto [xi, b] = out.split(xt, batch);
  auto [co, ci] = out.split(out.axis(o + 2), k.tile_c);
  out.reorder({co, yo, xo, yi, xi, b, ci, out.axis(o + 3)});
  out.tensorize(yi, intrinsics::kStore);
  return xo;
}

}  // namespace

void schedule_move(schedule::Schedule& s, const Moved& copy, const TileKnobs& k, const isa::Geometry& g,
                   const OuterAxes& outer) {
  const std::int64_t batch = g.batch;
  const std::size_t o = outer.size();
  schedule::Stage& out = s[copy.out];
  const expr::IterVar tile = tiles_of(out, k, batch, o);
  schedule::Stage& loaded = s[copy.input.tensor()];
  loaded.compute_at(out, tile).set_scope(intrinsics::scope_of(Buffer::Out));
  if (batch > 1) {
    loaded.reorder({loaded.axis(o + 1), loaded.axis(o)});
    compute_whole_entries(loaded, batch, o + kInputRowAxis);
  }
  loaded.tensorize(loaded.axis(o), intrinsics::kLoad);
}

Filled filled(const Image& image, std::int32_t value, const isa::Geometry& g, const std::string& suffix) {
  const auto element = [&](const Element&) { return expr::Value(expr::int_imm(value, expr::DType::I8)); };
  Tensor fill = entries("fill" + suffix, image, g, element);
  Tensor out = stored_elements("out" + suffix, image, g,
                               [&](const Element& e) { return expr::at(fill, e.indices(g.batch)); }, {});
  return {std::move(fill), std::move(out)};
}

void schedule_fill(schedule::Schedule& s, const Filled& fill, const TileKnobs& k, const isa::Geometry& g) {
  schedule::Stage& out = s[fill.out];
  const expr::IterVar tile = tiles_of(out, k, g.batch, 0);
  schedule::Stage& value = s[fill.value];
  value.compute_at(out, tile).set_scope(intrinsics::scope_of(Buffer::Out));
  compute_whole_entries(value, g.batch, kEntryAxis);
  value.tensorize(value.axis(0), intrinsics::kLoad);
}

namespace {

void check(const Move& op) {
  check_window(op.name, op.in, op.out, {});
  check_images(op.name, op.images);
  VDLA_CHECK_USER(op.in.c == op.out.c && op.pad_top >= 0 && op.pad_left >= 0)
      << op.name << ": pads " << text(op.in) << " to " << text(op.out) << ", needs as many channels";
}

Reason why_not(const Move& op, const isa::Geometry& g) {
  if (auto why = bad_zero("the border's", op.value)) return why;
  return misfit(space_of(op, g), cost_of(op, g), g);
}

void lower(const Move& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const TileKnobs knobs = l.tile_knobs(op.name, space_of(op, g), cost_of(op, g));
  check_fits(op.name, space_of(op, g), cost_of(op, g), knobs, g);
  const OuterAxes outer = images_axis(op.images, op.in, op.out, g);
  const Moved copy = moved(op, g, outer);
  schedule::Schedule s({copy.out});
  schedule_move(s, copy, knobs, g, outer);
  l.set_function({"move", std::move(s), {copy.input.parameter(), copy.out}, outer},
                 {{Role::Input, 0}, {Role::Output, 0}}, to_string(knobs), l.views(op.in, op.out));
}

}  // namespace

template <>
const Operator<Move>& row<Move>() {
  static constexpr Operator<Move> kRow{
      .kind = [](const Move&) -> std::string_view { return "pad"; },
      .inputs = [](const Move& op) { return std::vector{op.in}; },
      .output = [](const Move& op) { return op.out; },
      .check = check,
      .why_not = why_not,
      .estimate = tile_estimate<Move, space_of, cost_of>,
      .lower = lower,
      .space = tile_knobs_of<Move, space_of, cost_of>,
      .bound_to_dram = [](const Move&, const isa::Geometry&) -> Reason { return "DMA moves it"; },
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::Pad& op) {
  if (auto no = n.no_image()) return *no;
  const auto pads = [&](std::size_t d) { return op.before[d] + op.after[d] != 0; };
  if (pads(0)) return WhyNot{"it pads images, the device pads rows, columns and channels"};
  if (pads(3) && (pads(1) || pads(2)))
    return WhyNot{"it pads pixels and channels at once, the device pads one of them"};
  if (pads(3))
    return Layer{Concat{n.name(), {image_of(n.in())}, false, op.before[3], op.after[3], op.value},
                 {n.node.inputs[0]}};
  return Layer{
      Move{n.name(), one_image(n.in()), one_image(n.out()), n.images(), op.before[1], op.before[2], op.value},
      {n.node.inputs[0]}};
}

}  // namespace vdla::pipeline::device
