// SPDX-License-Identifier: Apache-2.0
// Layers on the vector unit: depthwise convolution, add, pooling, requantisation. One tile of pixels and
// channel blocks at a time.
#include <functional>
#include <optional>
#include <utility>

#include "compiler/expr/dsl.h"
#include "compiler/pipeline/device/storage.h"
#include "compiler/pipeline/device/templates.h"
#include "compiler/pipeline/device/window_te.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tensorize/intrinsic.h"
#include "compiler/tensorize/table.h"
#include "support/fixed_point.h"

namespace vdla::pipeline::device {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
using expr::Value;
using isa::Buffer;

namespace {

/// Element-wise operands come from inp where an entry of it has the lanes of the vector unit, else from out.
Buffer operand_buffer(const isa::Geometry& g) {
  return g.block_in == g.block_out ? Buffer::Inp : Buffer::Out;
}

Space space(const Image& out, const Window& window, const OnChip& on_chip, const isa::Geometry& g) {
  Space s;
  s.out_h = out.h;
  s.out_w = (out.w + g.batch - 1) / g.batch;
  s.batch = g.batch;
  s.out_blocks = s.in_blocks = padded_channels(out.c, g) / g.block_out;
  s.window = dense_window(window);
  s.gathered = skips_pixels(window);
  s.on_chip = on_chip;
  return s;
}

Tensor scale_params(const Image& image, const isa::Geometry& g) {
  return expr::placeholder("params", {blocked(image, g)[2], kScaleParams, g.block_out}, DType::I32);
}

/// Stages of a layer and the intrinsics that they are made of.
struct Stages {
  struct Compute {
    Tensor tensor;
    const char* intrinsic;
  };
  std::vector<WindowInput> operands;  ///< not on chip: loaded for each tile (and chunk of kernel rows)
  std::vector<Tensor> weights;  ///< loaded into par: for each chunk, or once for each block of channels when
                                ///< there is one chunk
  std::vector<Tensor> parameters;  ///< loaded for each block of channels into par
  std::vector<Compute> acc;        ///< through the accumulators, in order
  Compute result;                  ///< in the out buffer, or the output itself
  std::vector<Tensor> args;        ///< the last one is the output
};

/// Orders the loops of one step: chunks of kernel rows (undefined without a reduction), then the nest of one
/// instruction.
IterVar compute_step(schedule::Stage& stage, const char* intrinsic, std::int64_t kernel_rows) {
  std::vector<IterVar> order;
  IterVar chunks;
  if (stage.has_reduction()) {
    const IterVar kx = stage.reduce_axis(1);
    auto [outer, inner] = stage.split(stage.reduce_axis(0), kernel_rows);
    chunks = outer;
    order = {outer, inner, kx};
  }
  for (std::size_t axis : {2, 0, 1}) order.push_back(stage.axis(axis));
  for (std::size_t axis = kEntryAxis; axis < stage.compute().axes.size(); ++axis)
    order.push_back(stage.axis(axis));
  stage.reorder(order);
  stage.tensorize(stage.axis(kEntryAxis), intrinsic);
  return chunks;
}

Scheduled schedule_tiles(const Stages& t, const TileKnobs& k, const isa::Geometry& g, const char* name) {
  schedule::Schedule s({t.args.back()});
  schedule::Stage& out = s[t.args.back()];
  auto [yo, yi] = out.split(out.axis(0), k.tile_h);
  auto [xo, xt] = out.split(out.axis(1), k.tile_w * g.batch);
  auto [xi, b] = out.split(xt, g.batch);
  auto [co, ci] = out.split(out.axis(2), k.tile_c);
  if (out.tensor().node() == t.result.tensor.node()) {
    out.reorder({co, yo, xo, ci, yi, xi, b, out.axis(3)});
    out.tensorize(out.axis(3), t.result.intrinsic);
  } else {
    out.reorder({co, yo, xo, yi, xi, b, ci, out.axis(3)});
    out.tensorize(yi, tensorize::kStore);
    compute_whole_entries(s[t.result.tensor], g.batch);
    s[t.result.tensor].compute_at(out, xo).set_scope(tensorize::scope_of(Buffer::Out));
    compute_step(s[t.result.tensor], t.result.intrinsic, 1);
  }
  for (const Stages::Compute& step : t.acc) compute_whole_entries(s[step.tensor], g.batch);
  IterVar chunks;
  for (const Stages::Compute& step : t.acc) {
    s[step.tensor].compute_at(out, xo).set_scope(tensorize::scope_of(Buffer::Acc));
    chunks = compute_step(s[step.tensor], step.intrinsic, k.tile_kh);
  }
  const auto load = [&](const Tensor& tensor, Buffer buffer, const schedule::Stage& consumer,
                        const IterVar& at) {
    s[tensor].compute_at(consumer, at).set_scope(tensorize::scope_of(buffer));
    if (buffer != Buffer::Par && g.batch > 1) {
      s[tensor].reorder({s[tensor].axis(1), s[tensor].axis(0)});
      compute_whole_entries(s[tensor], g.batch, kInputRowAxis);
    }
    s[tensor].tensorize(s[tensor].axis(0), tensorize::kLoad);
  };
  const bool chunked = chunks.defined() && chunks.extent() > 1;
  const schedule::Stage& reader = chunked ? s[t.acc[0].tensor] : out;
  for (const WindowInput& operand : t.operands) {
    if (!operand.on_chip()) load(operand.tensor(), operand_buffer(g), reader, chunked ? chunks : xo);
  }
  for (const Tensor& weight : t.weights) load(weight, Buffer::Par, reader, chunked ? chunks : co);
  for (const Tensor& parameter : t.parameters) load(parameter, Buffer::Par, out, co);
  return {name, std::move(s), t.args};
}

/// `tensor` with each element in a memory of its own, to be loaded; i8 becomes i32 (widened).
Tensor loaded_params(const Tensor& tensor) {
  return expr::compute(tensor.name() + "_par", tensor.shape(), [&](const std::vector<Value>& indices) {
    return expr::cast(DType::I32, expr::at(tensor, indices));
  });
}

/// The window of every output element, as a reduction.
template <class Body>
Value over_window(const Window& w, const Body& body) {
  const IterVar ky = expr::reduce_axis(w.kernel_h, "ky"), kx = expr::reduce_axis(w.kernel_w, "kx");
  return body(ky, kx);
}

}  // namespace

Space space_of(const DepthwiseConv2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  return space(op.out, op.window, on_chip, g);
}
Space space_of(const Add& op, const isa::Geometry& g, const OnChip& on_chip) {
  return space(op.image, {}, on_chip, g);
}
Space space_of(const Extremum& op, const isa::Geometry& g, const OnChip& on_chip) {
  return space(op.image, {}, on_chip, g);
}
Space space_of(const MaxPool2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  return space(op.out, op.window, on_chip, g);
}
Space space_of(const AvgPool2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  return space(op.out, op.window, on_chip, g);
}
Space space_of(const SumPool2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  return space(op.out, op.window, on_chip, g);
}
Space space_of(const Requantize& op, const isa::Geometry& g, const OnChip& on_chip) {
  return space(op.image, {}, on_chip, g);
}

namespace {

TileCost pool_cost(const Window& w, std::int64_t par_per_block, const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.steps = w.kernel_h * w.kernel_w + 1;
  cost.par_per_block = par_per_block;
  return cost;
}

}  // namespace

TileCost cost_of(const DepthwiseConv2d& op, const isa::Geometry& g) {
  TileCost cost = pool_cost(op.window, kScaleParams, g);
  cost.par_per_row = op.window.kernel_w;
  return cost;
}
TileCost cost_of(const MaxPool2d& op, const isa::Geometry& g) { return pool_cost(op.window, 0, g); }
TileCost cost_of(const AvgPool2d& op, const isa::Geometry& g) { return pool_cost(op.window, 0, g); }
TileCost cost_of(const SumPool2d& op, const isa::Geometry& g) {
  return pool_cost(op.window, kScaleParams, g);
}

TileCost cost_of(const Add&, const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.operands = 2;
  cost.steps = 3;
  cost.par_fixed = 3 * kScaleParams;
  return cost;
}

TileCost cost_of(const Extremum&, const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.operands = 2;
  cost.steps = 3;
  return cost;
}

TileCost cost_of(const Requantize&, const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.par_per_block = kScaleParams;
  cost.accumulates = false;
  return cost;
}

Scheduled depthwise(const DepthwiseConv2d& op, const TileKnobs& knobs, const isa::Geometry& g,
                    const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const Window& w = op.window;
  const Tensor weights =
      expr::placeholder("weights", {blocked(op.in, g)[2], w.kernel_h, w.kernel_w, g.block_out},
                        op.weight_zero == 0 ? DType::I8 : DType::I32);
  const Tensor params = scale_params(op.out, g);
  const WindowInput input("in", op.in, op.out, w, op.input_zero, g.block_out, on_chip.input, g);
  const Tensor wide = loaded_params(weights), scale = loaded_params(params);
  const Tensor acc = entries("acc", op.out, g, [&](const Element& e) {
    return over_window(w, [&](const IterVar& ky, const IterVar& kx) {
      return expr::sum(widened(input(e, ky, kx, e.block, e.n)) * wide(e.block, ky, kx, e.n), {ky, kx});
    });
  });
  const Tensor result = entries("result", op.out, g, [&](const Element& e) {
    return scaled_int8(expr::at(acc, e.indices(g.batch)), scale, e.block, e.n, op.stage);
  });
  return schedule_tiles({{input},
                         {wide},
                         {scale},
                         {{acc, "mac"}},
                         {result, "scale"},
                         {input.parameter(), weights, params, way_out(result, op.out, on_chip.output, g)}},
                        knobs, g, "depthwise_conv2d");
}

namespace {

loop::Func accumulate_in_place(const loop::Func& func) { return in_place(func, "first", "both"); }

}  // namespace

Scheduled add(const Add& op, const TileKnobs& knobs, const isa::Geometry& g, const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const Tensor params = expr::placeholder("params", {3, kScaleParams, g.block_out}, DType::I32);
  const WindowInput a("a", op.image, op.image, {}, 0, g.block_out, on_chip.input, g);
  const WindowInput b("b", op.image, op.image, {}, 0, g.block_out, on_chip.second_input, g);
  const Tensor scale = loaded_params(params);
  const Sum sum = sum_of(op, a, b, scale, g);
  Scheduled scheduled = schedule_tiles(
      {{a, b},
       {},
       {scale},
       {{sum.first, "scale"}, {sum.both, "scale"}},
       {sum.result, "scale"},
       {a.parameter(), b.parameter(), params, way_out(sum.result, op.image, on_chip.output, g)}},
      knobs, g, "add");
  scheduled.share_storage = accumulate_in_place;
  return scheduled;
}

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
  Scheduled scheduled =
      schedule_tiles({{a, b},
                      {},
                      {},
                      {{first, intrinsic}, {both, intrinsic}},
                      {result, "add"},
                      {a.parameter(), b.parameter(), way_out(result, op.image, on_chip.output, g)}},
                     knobs, g, intrinsic);
  scheduled.share_storage = accumulate_in_place;
  return scheduled;
}

Scheduled max_pool(const MaxPool2d& op, const TileKnobs& knobs, const isa::Geometry& g,
                   const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const WindowInput input("in", op.in, op.out, op.window, -128, g.block_out, on_chip.input, g);
  const Tensor acc = entries("acc", op.out, g, [&](const Element& e) {
    return over_window(op.window, [&](const IterVar& ky, const IterVar& kx) {
      return expr::max(widened(input(e, ky, kx, e.block, e.n)), {ky, kx});
    });
  });
  const Tensor result = entries("result", op.out, g, [&](const Element& e) {
    return clamped_int8(expr::at(acc, e.indices(g.batch)), 0, op.min, op.max);
  });
  return schedule_tiles({{input},
                         {},
                         {},
                         {{acc, "max"}},
                         {result, "add"},
                         {input.parameter(), way_out(result, op.out, on_chip.output, g)}},
                        knobs, g, "max_pool2d");
}

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

Scheduled sum_pool(const SumPool2d& op, const TileKnobs& knobs, const isa::Geometry& g,
                   const OnChip& on_chip) {
  check_fits(op.name, space_of(op, g, on_chip), cost_of(op, g), knobs, g);
  const Tensor params = scale_params(op.out, g), scale = loaded_params(params);
  const WindowInput input("in", op.in, op.out, op.window, op.input_zero, g.block_out, on_chip.input, g);
  const Tensor acc = entries("acc", op.out, g, [&](const Element& e) {
    return over_window(op.window, [&](const IterVar& ky, const IterVar& kx) {
      return expr::sum(widened(input(e, ky, kx, e.block, e.n)), {ky, kx});
    });
  });
  const Tensor result = entries("result", op.out, g, [&](const Element& e) {
    return scaled_int8(expr::at(acc, e.indices(g.batch)), scale, e.block, e.n, op.stage);
  });
  return schedule_tiles({{input},
                         {},
                         {scale},
                         {{acc, "add"}},
                         {result, "scale"},
                         {input.parameter(), params, way_out(result, op.out, on_chip.output, g)}},
                        knobs, g, "sum_pool2d");
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

}  // namespace vdla::pipeline::device
