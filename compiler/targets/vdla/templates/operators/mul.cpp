// SPDX-License-Identifier: Apache-2.0
// TFLite's MUL: an image times constants or numbers that the network computes, one for each channel, or times
// an image. Factors are read from par, which LOAD widens them into.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
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

namespace {

bool by_constants(const Mul& op) { return !op.factors.empty(); }
bool by_image(const Mul& op) { return !by_constants(op) && !op.by_channel; }
Image factor_image(const Mul& op) { return by_image(op) ? op.image : Image{1, 1, op.image.c}; }
/// A second step takes the zero point of factors that are not known before.
bool takes_zero_off(const Mul& op) { return !by_constants(op) && op.b_zero != 0; }

Space space_of(const Mul& op, const isa::Geometry& g, const OnChip& on_chip) {
  return tile_space(op.image, op.image, {}, on_chip, g);
}
TileCost cost_of(const Mul& op, const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.par_per_block = kScaleParams + (by_image(op) ? 0 : 1);
  cost.par_images = by_image(op) ? 1 : 0;
  cost.steps = takes_zero_off(op) ? 3 : 2;
  return cost;
}

/// Constant factors less their zero point, [channel block][N], and parameters [channel block][3][N].
PackedConstants pack(const Mul& op, const isa::Geometry& g) {
  PackedConstants constants;
  if (by_constants(op)) {
    ParamWriter factors(constants.bytes, op.image.c, g.block_out);
    for (std::int64_t block = 0; block < blocks_of(op.image.c, g.block_out, g); ++block)
      factors.entry(block,
                    [&](std::int64_t c) { return op.factors[static_cast<std::size_t>(c)] - op.b_zero; });
  }
  append_scale(constants, op.image.c, op.stage, g, [](std::int64_t) { return 0; });
  return constants;
}

Scheduled product(const Mul& op, const TileKnobs& knobs, const isa::Geometry& g, const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const Tensor params = scale_params(op.image, g), scale = loaded_params(params);
  const WindowInput input("in", op.image, op.image, {}, 0, g.block_out, on_chip.input, g);
  const Tensor factors =
      expr::placeholder("factors", blocked(factor_image(op), g), by_constants(op) ? DType::I32 : DType::I8);
  const Tensor wide = loaded_params(factors);
  const auto x = [&](const Element& e) {
    return op.a_zero == 0 ? widened(input(e)) : widened(input(e)) + i32(-op.a_zero);
  };
  std::vector<Stages::Compute> steps;
  steps.push_back({entries("product", op.image, g,
                           [&](const Element& e) {
                             return x(e) *
                                    (by_image(op) ? wide(e.y, e.x, e.block, e.n) : wide(0, 0, e.block, e.n));
                           }),
                   "mac"});
  if (takes_zero_off(op)) {
    const Tensor before = steps.back().tensor;
    steps.push_back({entries("less_zero", op.image, g,
                             [&](const Element& e) {
                               return expr::at(before, e.indices(g.batch)) + x(e) * i32(-op.b_zero);
                             }),
                     op.b_zero == -1 ? "add" : "mac"});  // a factor of 1 is none
  }
  const Tensor result = scaled_result(steps.back().tensor, op.image, scale, op.stage, g, {});
  Stages stages{
      {input},           {},
      {scale},           steps,
      {result, "scale"}, {input.parameter(), factors, params, way_out(result, op.image, on_chip.output, g)}};
  (by_image(op) ? stages.factors : stages.parameters).push_back(wide);
  return schedule_tiles(stages, knobs, g, "mul");
}

Reason why_not(const Mul& op, const isa::Geometry& g) {
  if (auto why = one_value(op.stage.min, op.stage.max)) return why;
  if (auto why = bad_shift(op.stage.multiplier)) return why;
  if (auto why = bad_zero("first input's", op.a_zero)) return why;
  if (auto why = bad_zero("second input's", op.b_zero)) return why;
  if (by_image(op) && g.batch > 1)
    return fmt::format("it multiplies two images, the {} pixels of an entry have one factor", g.batch);
  return misfit(space_of(op, g, {}), cost_of(op, g), g);
}

void check(const Mul& op) {
  check_image(op.name, "image", op.image);
  check_stage(op.name, op.stage, op.image.c);
  if (by_constants(op)) check_size(op.name, "its constant", op.factors.size(), op.image.c);
}

void lower(const Mul& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  PackedConstants constants = pack(op, g);
  const std::int64_t start = l.place(std::move(constants.bytes));
  const TileKnobs knobs = l.tile_knobs(op.name, space_of(op, g, l.on_chip()), cost_of(op, g));
  const DeviceParam factors = by_constants(op)
                                  ? DeviceParam{Role::Constants, start + constants.weights_offset}
                                  : DeviceParam{Role::SecondInput, 0};
  Views views = l.views(op.image, op.image);
  views.second = view(factor_image(op), l.residence().second_input, 0, 0, 0, g);
  l.set_function(
      product(op, knobs, g, l.on_chip()),
      {{Role::Input, 0}, factors, {Role::Constants, start + constants.params_offset}, {Role::Output, 0}},
      to_string(knobs), views);
}

}  // namespace

template <>
const Operator<Mul>& row<Mul>() {
  static constexpr Operator<Mul> kRow{
      .kind = [](const Mul&) -> std::string_view { return "mul"; },
      .inputs =
          [](const Mul& op) {
            return by_constants(op) ? std::vector{op.image} : std::vector{op.image, factor_image(op)};
          },
      .output = [](const Mul& op) { return op.image; },
      .check = check,
      .why_not = why_not,
      .estimate = tile_estimate<Mul, space_of, cost_of>,
      .lower = lower,
      .space = tile_knobs_of<Mul, space_of, cost_of>,
      .second_elsewhere = "multiplies by it from par",
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::Mul& op) {
  const std::optional<std::size_t> channels = n.input_by_channel();
  if (!channels)
    if (auto no = n.different_shapes()) return *no;
  const std::size_t b = channels.value_or(1);
  Mul mul{n.name(), image_of(n.out()), {}, channels.has_value(), op.a_zero_point, op.b_zero_point, op.out};
  if (b == 0) std::swap(mul.a_zero, mul.b_zero);
  const graph::TensorId a = n.node.inputs[1 - b];
  if (!channels || !n.input(b).constant()) return Layer{std::move(mul), {a, n.node.inputs[b]}};
  mul.factors = n.constant(b);
  return Layer{std::move(mul), {a}};
}

}  // namespace vdla::pipeline::device
