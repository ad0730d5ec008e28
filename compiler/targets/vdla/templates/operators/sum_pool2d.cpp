// SPDX-License-Identifier: Apache-2.0
// Sum of a window through the output stage. A mean is one whose windows are the dimensions that it goes over;
// one over channels is a convolution.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
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

using expr::IterVar;
using expr::Tensor;

namespace {

Space space_of(const SumPool2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  return tile_space(op.in, op.out, op.window, on_chip, g);
}
TileCost cost_of(const SumPool2d& op, const isa::Geometry& g) {
  return window_cost(op.window, kScaleParams, g);
}

/// Parameters [channel block][3][N].
PackedConstants pack(const SumPool2d& op, const isa::Geometry& g) {
  PackedConstants constants;
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w;
  append_scale(constants, op.out.c, op.stage, g, [&](std::int64_t) { return wrap32(-taps * op.input_zero); });
  return constants;
}

Scheduled sum_pool(const SumPool2d& op, const TileKnobs& knobs, const isa::Geometry& g,
                   const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const Tensor params = scale_params(op.out, g), scale = loaded_params(params);
  const OuterAxes outer = images_axis(op.images, op.in, op.out, g);
  const WindowInput input("in", op.in, op.out, op.window, op.input_zero, g.block_out, on_chip.input, g,
                          outer);
  const Tensor acc = entries(
      "acc", op.out, g,
      [&](const Element& e) {
        return over_window(op.window, [&](const IterVar& ky, const IterVar& kx) {
          return expr::sum(widened(input(e, ky, kx, e.block, e.n)), {ky, kx});
        });
      },
      outer);
  const Tensor result = scaled_result(acc, op.out, scale, op.stage, g, outer);
  return schedule_tiles({{input},
                         {},
                         {scale},
                         {{acc, "add"}},
                         {result, "scale"},
                         {input.parameter(), params, way_out(result, op.out, on_chip.output, g, outer)},
                         outer},
                        knobs, g, "sum_pool2d");
}

Reason why_not(const SumPool2d& op, const isa::Geometry& g) {
  if (auto why = bad_stage(op)) return why;
  return misfit(space_of(op, g, {}), cost_of(op, g), g);
}

void check(const SumPool2d& op) {
  check_pool(op);
  check_stage(op.name, op.stage, op.out.c);
}

void lower(const SumPool2d& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const std::int64_t start = l.place(pack(op, g).bytes);
  const TileKnobs knobs = l.tile_knobs(op.name, space_of(op, g, l.on_chip()), cost_of(op, g));
  l.set_function(sum_pool(op, knobs, g, l.on_chip()),
                 {{Role::Input, 0}, {Role::Constants, start}, {Role::Output, 0}}, to_string(knobs),
                 l.views(op.in, op.out, op.window));
}

}  // namespace

template <>
const Operator<SumPool2d>& row<SumPool2d>() {
  static constexpr Operator<SumPool2d> kRow{
      .kind = [](const SumPool2d&) -> std::string_view { return "sum_pool2d"; },
      .inputs = [](const SumPool2d& op) { return std::vector{op.in}; },
      .output = [](const SumPool2d& op) { return op.out; },
      .check = check,
      .why_not = why_not,
      .estimate = tile_estimate<SumPool2d, space_of, cost_of>,
      .lower = lower,
      .space = tile_knobs_of<SumPool2d, space_of, cost_of>,
      .padding =
          [](const SumPool2d& op) { return Padding{reach_beyond(op.in, op.out, op.window), op.input_zero}; },
      .window = [](const SumPool2d& op) { return op.window; },
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::SumPool2d& op) {
  if (auto no = n.no_image()) return *no;
  return Layer{SumPool2d{n.name(), one_image(n.in()), one_image(n.out()), n.images(),
                         window_of(op.kernel, op.stride, {}, op.pads), op.input_zero_point, op.out},
               {n.node.inputs[0]}};
}

namespace {

/// A mean over channels, and over the rows and columns in front of them: a convolution of one channel with
/// weights of 1.
LayerOrNot mean_of_channels(const GraphNode& n, const graph::Mean& op, int first) {
  constexpr std::int64_t kMostWeights = 1 << 16;
  const graph::Shape& x = n.in();
  const Image out = image_of(n.out());
  const std::int64_t images =
      std::accumulate(x.begin(), x.begin() + first, std::int64_t{1}, std::multiplies<>());
  if (out.c != 1 || out.h * out.w != images)
    return WhyNot{"its mean is over channels, and pixels become channels of its result"};
  const Image in = image_of(graph::Shape(x.begin() + first, x.end()));
  const std::int64_t count = in.h * in.w * in.c;
  if (count > kMostWeights)
    return WhyNot{
        fmt::format("its mean is over {} elements with their channels, as many weights, the device "
                    "takes {} at most",
                    count, kMostWeights)};
  Conv2d sum;
  sum.name = n.name();
  const bool pixels = in.h * in.w == 1;
  sum.in = pixels ? Image{images, 1, in.c} : in;
  sum.out = pixels ? Image{images, 1, 1} : Image{};
  sum.images = pixels ? 1 : images;
  sum.window = window_of({in.h, in.w}, {}, {}, {});
  sum.weights = std::vector<std::int8_t>(static_cast<std::size_t>(count), 1);
  sum.input_zero = op.input_zero_point;
  sum.stage = op.out;
  return Layer{std::move(sum), {n.node.inputs[0]}};
}

}  // namespace

LayerOrNot from_graph(const GraphNode& n, const graph::Mean& op) {
  const graph::Shape& x = n.in();
  const int rank = static_cast<int>(x.size());
  std::set<int> axes;
  for (int a : op.axes) axes.insert(a < 0 ? a + rank : a);
  if (axes.empty()) return WhyNot{"its mean is over no dimension"};
  const int first = *axes.begin(), last = *axes.rbegin();
  if (last - first + 1 != static_cast<int>(axes.size()))
    return WhyNot{"its mean is over dimensions that are no neighbours"};
  if (last == rank - 1) return mean_of_channels(n, op, first);
  const auto extent = [&](int from, int to) {
    return std::accumulate(x.begin() + from, x.begin() + to, std::int64_t{1}, std::multiplies<>());
  };
  const std::int64_t before = extent(0, first), among = extent(first, last + 1),
                     behind = extent(last + 1, rank - 1);
  const auto layer = [&](std::int64_t images, const Image& in, const Image& out) {
    return Layer{SumPool2d{n.name(), in, out, images, window_of({in.h / out.h, in.w / out.w}, {}, {}, {}),
                           op.input_zero_point, op.out},
                 {n.node.inputs[0]}};
  };
  const std::int64_t c = x.back();
  if (behind > 1) return layer(before, {among, behind, c}, {1, behind, c});
  if (before > 1 && first == last) return layer(1, {before, among, c}, {before, 1, c});
  const std::int64_t rows = extent(first, first + 1);
  return layer(before, {rows, among / rows, c}, {1, 1, c});
}

}  // namespace vdla::pipeline::device
