// SPDX-License-Identifier: Apache-2.0
// Average of a window: its sum times the reciprocal of the count of valid elements. Regions of the result
// whose windows have the same count are a part each.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/pipeline/device/from_graph.h"
#include "compiler/pipeline/device/limits.h"
#include "compiler/pipeline/device/operator.h"
#include "compiler/pipeline/device/vector_template.h"
#include "compiler/tensorize/table.h"
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

/// Every window has `count` valid elements.
Scheduled avg_pool(const AvgPool2d& op, std::int64_t count, const TileKnobs& knobs, const isa::Geometry& g,
                   const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const WindowInput input("in", op.in, op.out, op.window, -op.offset, g.block_out, on_chip.input, g);
  const Tensor acc = entries("acc", op.out, g, [&](const Element& e) {
    return over_window(op.window, [&](const IterVar& ky, const IterVar& kx) {
      const Value x = widened(input(e, ky, kx, e.block, e.n));
      return expr::sum(op.offset == 0 ? x : x + i32(op.offset), {ky, kx});
    });
  });
  const Reciprocal divisor = reciprocal_of(static_cast<std::uint32_t>(count));
  const Tensor result = entries("result", op.out, g, [&](const Element& e) {
    const Value mean(tensorize::avg_value(expr::at(acc, e.indices(g.batch)).expr(), divisor));
    return clamped_int8(mean, -op.offset, op.min, op.max);
  });
  return schedule_tiles({{input},
                         {},
                         {},
                         {{acc, "add"}},
                         {result, "avg"},
                         {input.parameter(), way_out(result, op.out, on_chip.output, g)}},
                        knobs, g, "avg_pool2d");
}

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

void add_region(const AvgPool2d& whole, const Stretch& y, const Stretch& x, Lowering& l) {
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
  // On chip the padding is there already.
  const std::int64_t row = l.on_chip().input ? top : first_row;
  const std::int64_t column = l.on_chip().input ? left : first_column;
  l.add_part(avg_pool(op, y.count * x.count, knobs, g, l.on_chip()), {{Role::Input, 0}, {Role::Output, 0}},
             to_string(knobs),
             {view(whole.in, l.residence().input, row, column, 0, g),
              {},
              view(whole.out, l.residence().output, y.first, x.first, 0, g)});
}

void lower(const AvgPool2d& op, Lowering& l) {
  const SlidingWindow& w = op.window;
  for (const Stretch& y : stretches(op.out.h, op.in.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top)) {
    for (const Stretch& x : column_stretches(op)) {
      VDLA_CHECK_USER(y.count > 0 && x.count > 0)
          << op.name << ": the window at " << y.first << ", " << x.first << " has no valid element";
      add_region(op, y, x, l);
    }
  }
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
      .padding =
          [](const AvgPool2d& op) { return Padding{reach_beyond(op.in, op.out, op.window), -op.offset}; },
      .bound_to_dram = [](const AvgPool2d& op, const isa::Geometry& g) -> Reason {
        if (g.batch == 1 || column_stretches(op).size() == 1) return std::nullopt;
        return fmt::format("some of its parts begin within an entry of {} pixels", g.batch);
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
