// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution on the vector unit. With a channel multiplier it is a convolution with dense weights.
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/pack.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "compiler/targets/vdla/templates/vector_template.h"

namespace vdla::pipeline::device {

using expr::DType;
using expr::IterVar;
using expr::Tensor;

Space space_of(const DepthwiseConv2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  return tile_space(op.in, op.out, op.window, on_chip, g);
}

TileCost cost_of(const DepthwiseConv2d& op, const isa::Geometry& g) {
  TileCost cost = window_cost(op.window, kScaleParams, g);
  cost.par_per_row = op.window.kernel_w;
  return cost;
}

PackedConstants pack(const DepthwiseConv2d& op, const isa::Geometry& g) {
  VDLA_CHECK(op.in.c == op.out.c);
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w, lanes = g.block_out;
  const auto weight_at = [&](std::int64_t t, std::int64_t c) {
    return op.weights[static_cast<std::size_t>(t * op.out.c + c)] - op.weight_zero;
  };
  PackedConstants constants;
  ParamWriter words(constants.bytes, op.out.c, lanes);
  for (std::int64_t block = 0; block < blocks_of(op.out.c, lanes, g); ++block) {
    for (std::int64_t t = 0; t < taps; ++t) {
      if (op.weight_zero != 0) {
        words.entry(block, [&](std::int64_t c) { return weight_at(t, c); });
        continue;
      }
      for (std::int64_t c = block * lanes; c < (block + 1) * lanes; ++c) {
        constants.bytes.push_back(static_cast<std::uint8_t>(c < op.out.c ? weight_at(t, c) : 0));
      }
    }
  }
  append_scale(constants, op.out.c, op.stage, g, [&](std::int64_t c) {
    std::int64_t sum = 0;
    for (std::int64_t t = 0; t < taps; ++t) sum += weight_at(t, c);
    const std::int64_t bias = op.bias.empty() ? 0 : op.bias[static_cast<std::size_t>(c)];
    return wrap32(bias - op.input_zero * sum);
  });
  return constants;
}

Stages depthwise_stages(const DepthwiseConv2d& op, const WindowInput& input, const isa::Geometry& g,
                        const OnChip& on_chip, const OuterAxes& outer, const std::string& suffix) {
  const SlidingWindow& w = op.window;
  const Tensor weights =
      expr::placeholder("weights" + suffix, {blocked(op.in, g)[2], w.kernel_h, w.kernel_w, g.block_out},
                        op.weight_zero == 0 ? DType::I8 : DType::I32);
  const Tensor params = scale_params(op.out, g, suffix);
  const Tensor wide = loaded_params(weights), scale = loaded_params(params);
  const Tensor acc = entries(
      "acc" + suffix, op.out, g,
      [&](const Element& e) {
        return over_window(w, [&](const IterVar& ky, const IterVar& kx) {
          return expr::sum(widened(input(e, ky, kx, e.block, e.n)) * wide(e.block, ky, kx, e.n), {ky, kx});
        });
      },
      outer);
  const Tensor result = scaled_result(acc, op.out, scale, op.stage, g, outer, suffix);
  return {{input},
          {wide},
          {scale},
          {{acc, "mac"}},
          {result, "scale"},
          {input.parameter(), weights, params, way_out(result, op.out, on_chip.output, g, outer)},
          outer};
}

Scheduled depthwise(const DepthwiseConv2d& op, const TileKnobs& knobs, const isa::Geometry& g,
                    const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const OuterAxes outer = images_axis(op.images, op.in, op.out, g);
  const WindowInput input("in", op.in, op.out, op.window, op.input_zero, g.block_out, on_chip.input, g,
                          outer);
  return schedule_tiles(depthwise_stages(op, input, g, on_chip, outer), knobs, g, "depthwise_conv2d");
}

namespace {

/// All but the weights, whose order stays: for spaces.
Conv2d dense_shape(const DepthwiseConv2d& op) {
  Conv2d conv;
  conv.name = op.name;
  conv.in = op.in;
  conv.out = op.out;
  conv.images = op.images;
  conv.window = op.window;
  conv.weights = op.weights;
  conv.bias = op.bias;
  conv.input_zero = op.input_zero;
  conv.weight_zero = op.weight_zero;
  conv.stage = op.stage;
  return conv;
}

}  // namespace

std::int64_t conv_parts(const DepthwiseConv2d& op) {
  return op.in.c == op.out.c ? 1 : conv_parts(dense_shape(op));
}

bool can_correct(const DepthwiseConv2d& op) { return op.in.c != op.out.c && can_correct(dense_shape(op)); }

Conv2d as_conv2d(const DepthwiseConv2d& op) {
  Conv2d conv = dense_shape(op);
  conv.groups = op.in.c;
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w;
  std::vector<std::int8_t> weights(op.weights.size());
  for (std::int64_t t = 0; t < taps; ++t) {
    for (std::int64_t o = 0; o < op.out.c; ++o) {
      weights[static_cast<std::size_t>(o * taps + t)] =
          op.weights[static_cast<std::size_t>(t * op.out.c + o)];
    }
  }
  conv.weights = std::move(weights);
  return without_groups(conv);
}

namespace {

Reason why_not(const DepthwiseConv2d& op, const isa::Geometry& g) {
  if (auto why = bad_stage(op)) return why;
  if (auto why = bad_zero("weight", op.weight_zero)) return why;
  if (op.in.c != op.out.c) return misfit(space_of(dense_shape(op), g), g);
  return misfit(space_of(op, g), cost_of(op, g), g);
}

std::optional<double> estimate(const DepthwiseConv2d& op, const isa::Geometry& g, const isa::Timing& t,
                               const OnChip& on_chip) {
  if (op.in.c != op.out.c) return total(least_work(space_of(dense_shape(op), g, on_chip), g, t));
  return total(least_work(space_of(op, g, on_chip), cost_of(op, g), g, t));
}

LayerSpace depthwise_knobs_of(const DepthwiseConv2d& op, const isa::Geometry& g, const isa::Timing& t,
                              const OnChip& on_chip) {
  if (op.in.c != op.out.c) return layer_space(space_of(dense_shape(op), g, on_chip), g, t);
  return layer_space(space_of(op, g, on_chip), cost_of(op, g), g, t);
}

void check(const DepthwiseConv2d& op) {
  check_window(op.name, op.in, op.out, op.window);
  check_images(op.name, op.images);
  VDLA_CHECK_USER(op.out.c % op.in.c == 0)
      << op.name << ": " << op.out.c << " output channels are not a multiple of " << op.in.c << " inputs";
  check_size(op.name, "weights", op.weights.size(), op.out.c * op.window.kernel_h * op.window.kernel_w);
  if (!op.bias.empty()) check_size(op.name, "bias", op.bias.size(), op.out.c);
  check_stage(op.name, op.stage, op.out.c);
}

void lower(const DepthwiseConv2d& op, Lowering& l) {
  if (op.in.c != op.out.c) {
    row<Conv2d>().lower(as_conv2d(op), l);
    return;
  }
  const isa::Geometry& g = l.geometry();
  PackedConstants constants = pack(op, g);
  const std::int64_t start = l.place(std::move(constants.bytes));
  const TileKnobs knobs = l.tile_knobs(op.name, space_of(op, g, l.on_chip()), cost_of(op, g));
  l.set_function(depthwise(op, knobs, g, l.on_chip()),
                 {{Role::Input, 0},
                  {Role::Constants, start + constants.weights_offset},
                  {Role::Constants, start + constants.params_offset},
                  {Role::Output, 0}},
                 to_string(knobs), l.views(op.in, op.out, op.window));
  if (op.weight_zero != 0) l.note_weights(kWideWeights);
}

}  // namespace

template <>
const Operator<DepthwiseConv2d>& row<DepthwiseConv2d>() {
  static constexpr Operator<DepthwiseConv2d> kRow{
      .kind = [](const DepthwiseConv2d&) -> std::string_view { return "depthwise_conv2d"; },
      .inputs = [](const DepthwiseConv2d& op) { return std::vector{op.in}; },
      .output = [](const DepthwiseConv2d& op) { return op.out; },
      .check = [](const DepthwiseConv2d& op) { check(op); },
      .why_not = why_not,
      .estimate = estimate,
      .lower = lower,
      .space = depthwise_knobs_of,
      .macs =
          [](const DepthwiseConv2d& op) {
            return op.out.h * op.out.w * static_cast<std::int64_t>(op.weights.size());
          },
      .padding =
          [](const DepthwiseConv2d& op) {
            return Padding{reach_beyond(op.in, op.out, op.window), op.input_zero};
          },
      .window = [](const DepthwiseConv2d& op) { return op.window; },
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::DepthwiseConv2d& op) {
  if (auto no = n.no_image()) return *no;
  if (auto no = n.no_constant_weights()) return *no;
  const graph::Shape& w = n.input(1).shape;
  DepthwiseConv2d d;
  d.name = n.name();
  d.in = one_image(n.in());
  d.out = one_image(n.out());
  d.images = n.images();
  d.window = window_of({w[1], w[2]}, op.stride, op.dilation, op.pads);
  d.weights = n.weights();
  d.bias = n.bias();
  d.input_zero = op.input_zero_point;
  d.weight_zero = op.weight_zero_point;
  d.stage = op.out;
  return Layer{std::move(d), {n.node.inputs[0]}};
}

}  // namespace vdla::pipeline::device
