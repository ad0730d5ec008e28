// SPDX-License-Identifier: Apache-2.0
// Average of a window: its sum times the reciprocal of the count of valid elements, which is a field of an
// instruction. So regions of the result whose windows have the same count are stages of their own, each an
// output of one schedule with its own tiles.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/table.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/vector_template.h"
#include "support/error.h"
#include "support/fixed_point.h"

namespace vdla::pipeline::device {

using expr::IterVar;
using expr::Tensor;
using expr::Value;

namespace {

Space space_of(const AvgPool2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  return tile_space(op.in, op.out, op.window, on_chip, g);
}
TileCost cost_of(const AvgPool2d& op, const isa::Geometry& g) { return window_cost(op.window, 0, g); }

Reason why_not(const AvgPool2d& op, const isa::Geometry& g) {
  if (auto why = one_value(op.min, op.max)) return why;
  const std::int64_t count = op.window.kernel_h * op.window.kernel_w;
  if (count > 65535) return fmt::format("a window of {} elements, the device averages at most 65535", count);
  if (op.offset < -127 || op.offset > 128) return fmt::format("offset {} is beyond -127..128", op.offset);
  return misfit(space_of(op, g, {}), cost_of(op, g), g);
}

/// Output positions first, ..., last whose windows have `count` valid elements along one dimension.
struct Stretch {
  std::int64_t first, last, count;
};

std::vector<Stretch> stretches(std::int64_t out, std::int64_t in, std::int64_t kernel, std::int64_t stride,
                               std::int64_t dilation, std::int64_t pad) {
  std::vector<Stretch> all;
  for (std::int64_t o = 0; o < out; ++o) {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < kernel; ++k) {
      const std::int64_t i = o * stride + k * dilation - pad;
      count += i >= 0 && i < in;
    }
    if (!all.empty() && all.back().count == count) {
      all.back().last = o;
    } else {
      all.push_back({o, o, count});
    }
  }
  return all;
}

std::vector<Stretch> column_stretches(const AvgPool2d& op) {
  const SlidingWindow& w = op.window;
  return stretches(op.out.w, op.in.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left);
}

/// Windows with as many valid elements each.
struct Region {
  AvgPool2d op;  ///< operator of these windows alone
  std::int64_t count;
  TileKnobs knobs;
  View in, out;
  std::string suffix;  ///< suffix of the names of its stages
};

Region region_of(const AvgPool2d& whole, const Stretch& y, const Stretch& x, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  AvgPool2d op = whole;
  const std::int64_t top = y.first * op.window.stride_h - op.window.pad_top;
  const std::int64_t left = x.first * op.window.stride_w - op.window.pad_left;
  const std::int64_t first_row = std::max<std::int64_t>(top, 0),
                     first_column = std::max<std::int64_t>(left, 0);
  op.window.pad_top = first_row - top;
  op.window.pad_left = first_column - left;
  op.in.h -= first_row;
  op.in.w -= first_column;
  op.out.h = y.last - y.first + 1;
  op.out.w = x.last - x.first + 1;
  TileKnobs knobs = l.tile_knobs(op.name, space_of(op, g, l.on_chip()), cost_of(op, g));
  knobs.tile_h = std::min(knobs.tile_h, op.out.h);
  knobs.tile_w = std::min(knobs.tile_w, op.out.w);
  check_fits(op.name, space_of(op, g, l.on_chip()), cost_of(op, g), knobs, g);
  // On chip the padding is there already.
  const std::int64_t row = l.on_chip().input ? top : first_row;
  const std::int64_t column = l.on_chip().input ? left : first_column;
  const bool is_whole = op.out == whole.out;
  return {op,
          y.count * x.count,
          knobs,
          view(whole.in, l.residence().input, row, column, 0, g),
          view(whole.out, l.residence().output, y.first, x.first, 0, g),
          is_whole ? "" : fmt::format(".y{}x{}", y.first, x.first)};
}

std::vector<Region> regions_of(const AvgPool2d& op, Lowering& l) {
  const SlidingWindow& w = op.window;
  std::vector<Region> regions;
  for (const Stretch& y : stretches(op.out.h, op.in.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top)) {
    for (const Stretch& x : column_stretches(op)) {
      VDLA_CHECK_USER(y.count > 0 && x.count > 0)
          << op.name << ": the window at " << y.first << ", " << x.first << " has no valid element";
      regions.push_back(region_of(op, y, x, l));
    }
  }
  return regions;
}

Stages stages_of(const Region& region, const isa::Geometry& g, const OnChip& on_chip,
                 const OuterAxes& outer) {
  const AvgPool2d& op = region.op;
  const std::string& suffix = region.suffix;
  const WindowInput input("in" + suffix, op.in, op.out, op.window, -op.offset, g.block_out, on_chip.input, g,
                          outer);
  const Tensor acc = entries(
      "acc" + suffix, op.out, g,
      [&](const Element& e) {
        return over_window(op.window, [&](const IterVar& ky, const IterVar& kx) {
          const Value x = widened(input(e, ky, kx, e.block, e.n));
          return expr::sum(op.offset == 0 ? x : x + i32(op.offset), {ky, kx});
        });
      },
      outer);
  const Reciprocal divisor = reciprocal_of(static_cast<std::uint32_t>(region.count));
  const Tensor result = entries(
      "result" + suffix, op.out, g,
      [&](const Element& e) {
        const Value mean(intrinsics::avg_value(expr::at(acc, e.indices(g.batch)).expr(), divisor));
        return clamped_int8(mean, -op.offset, op.min, op.max);
      },
      outer);
  return {{input},
          {},
          {},
          {{acc, "add"}},
          {result, "avg"},
          {input.parameter(), way_out(result, op.out, on_chip.output, g, outer, "out" + suffix)},
          outer};
}

void lower(const AvgPool2d& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const OuterAxes outer = images_axis(op.images, op.in, op.out, g);
  const std::vector<Region> regions = regions_of(op, l);
  std::vector<Stages> stages;
  std::vector<Tensor> outputs, args;
  std::vector<DeviceParam> params;
  std::vector<View> views;
  for (const Region& region : regions) {
    stages.push_back(stages_of(region, g, l.on_chip(), outer));
    outputs.push_back(stages.back().args.back());
    args.insert(args.end(), stages.back().args.begin(), stages.back().args.end());
    params.insert(params.end(), {{Role::Input, 0}, {Role::Output, 0}});
    views.insert(views.end(), {region.in, region.out});
  }
  schedule::Schedule s(outputs);
  for (std::size_t i = 0; i < regions.size(); ++i) schedule_tiles(s, stages[i], regions[i].knobs, g);
  const Region& largest = *std::ranges::max_element(
      regions, {}, [](const Region& region) { return region.op.out.h * region.op.out.w; });
  l.set_function({"avg_pool2d", std::move(s), args, outer}, std::move(params), to_string(largest.knobs),
                 views);
}

}  // namespace

template <>
const Operator<AvgPool2d>& row<AvgPool2d>() {
  static constexpr Operator<AvgPool2d> kRow{
      .kind = [](const AvgPool2d&) -> std::string_view { return "avg_pool2d"; },
      .inputs = [](const AvgPool2d& op) { return std::vector{op.in}; },
      .output = [](const AvgPool2d& op) { return op.out; },
      .check = check_pool<AvgPool2d>,
      .why_not = why_not,
      .estimate = tile_estimate<AvgPool2d, space_of, cost_of>,
      .lower = lower,
      .space = tile_knobs_of<AvgPool2d, space_of, cost_of>,
      .padding =
          [](const AvgPool2d& op) { return Padding{reach_beyond(op.in, op.out, op.window), -op.offset}; },
      .bound_to_dram = [](const AvgPool2d& op, const isa::Geometry& g) -> Reason {
        if (g.batch == 1 || column_stretches(op).size() == 1) return std::nullopt;
        return fmt::format("some of its regions begin within an entry of {} pixels", g.batch);
      },
      .window = [](const AvgPool2d& op) { return op.window; },
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::AvgPool2d& op) {
  if (auto no = n.no_image()) return *no;
  return Layer{AvgPool2d{n.name(), one_image(n.in()), one_image(n.out()), n.images(),
                         window_of(op.kernel, op.stride, {}, op.pads), op.offset, op.min, op.max},
               {n.node.inputs[0]}};
}

}  // namespace vdla::pipeline::device
