// SPDX-License-Identifier: Apache-2.0
// Layers on the vector unit: depthwise convolution, add, pooling, requantisation. One tile of pixels and
// channel blocks at a time.
#include <functional>
#include <optional>

#include "compiler/expr/dsl.h"
#include "compiler/lower/lower.h"
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

Space space(const Image& out, const Window& window, const isa::Geometry& g) {
  Space s;
  s.out_h = out.h;
  s.out_w = out.w;
  s.out_blocks = s.in_blocks = padded_channels(out.c, g) / g.block_out;
  s.window = dense_window(window);
  return s;
}

std::vector<std::int64_t> blocked(const Image& image, const isa::Geometry& g) {
  return {image.h, image.w, padded_channels(image.c, g) / g.block_out, g.block_out};
}

const std::vector<std::string> kAxes = {"y", "x", "c", "n"};

/// A tensor of `image` whose element is body(y, x, c, n).
Tensor pixels(const char* name, const Image& image, const isa::Geometry& g,
              const std::function<Value(Value, Value, Value, Value)>& body) {
  return expr::compute(name, blocked(image, g), body, kAxes);
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
  std::vector<Tensor> operands;  ///< loaded for each tile (and chunk of kernel rows) into the operand buffer
  std::vector<Tensor> weights;   ///< loaded into par: for each chunk, or once for each block of channels when
                                 ///< there is one chunk
  std::vector<Tensor> parameters;  ///< loaded for each block of channels into par
  std::vector<Compute> acc;        ///< through the accumulators, in order
  Compute out;
  std::vector<Tensor> args;
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
  for (std::size_t axis : {2, 0, 1, 3}) order.push_back(stage.axis(axis));
  stage.reorder(order);
  stage.tensorize(stage.axis(3), intrinsic);
  return chunks;
}

loop::Func schedule_tiles(const Stages& t, const TileKnobs& k, const isa::Geometry& g, const char* name) {
  schedule::Schedule s({t.out.tensor});
  const Tensor result = s.cache_write(t.out.tensor, tensorize::scope_of(Buffer::Out));
  schedule::Stage& out = s[t.out.tensor];
  auto [yo, yi] = out.split(out.axis(0), k.tile_h);
  auto [xo, xi] = out.split(out.axis(1), k.tile_w);
  auto [co, ci] = out.split(out.axis(2), k.tile_c);
  out.reorder({co, yo, xo, yi, xi, ci, out.axis(3)});
  out.tensorize(yi, tensorize::kStore);

  s[result].compute_at(out, xo);
  compute_step(s[result], t.out.intrinsic, 1);
  IterVar chunks;
  for (const Stages::Compute& step : t.acc) {
    s[step.tensor].compute_at(out, xo).set_scope(tensorize::scope_of(Buffer::Acc));
    chunks = compute_step(s[step.tensor], step.intrinsic, k.tile_kh);
  }
  const auto load = [&](const Tensor& tensor, Buffer buffer, const schedule::Stage& consumer,
                        const IterVar& at) {
    s[tensor].compute_at(consumer, at).set_scope(tensorize::scope_of(buffer));
    s[tensor].tensorize(s[tensor].axis(0), tensorize::kLoad);
  };
  const bool chunked = chunks.defined() && chunks.extent() > 1;
  const schedule::Stage& reader = chunked ? s[t.acc[0].tensor] : out;
  for (const Tensor& operand : t.operands) load(operand, operand_buffer(g), reader, chunked ? chunks : xo);
  for (const Tensor& weight : t.weights) load(weight, Buffer::Par, reader, chunked ? chunks : co);
  for (const Tensor& parameter : t.parameters) load(parameter, Buffer::Par, out, co);
  return lower::lower(s, t.args, name);
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

Space space_of(const DepthwiseConv2d& op, const isa::Geometry& g) { return space(op.out, op.window, g); }
Space space_of(const Add& op, const isa::Geometry& g) { return space(op.image, {}, g); }
Space space_of(const MaxPool2d& op, const isa::Geometry& g) { return space(op.out, op.window, g); }
Space space_of(const AvgPool2d& op, const isa::Geometry& g) { return space(op.out, op.window, g); }
Space space_of(const SumPool2d& op, const isa::Geometry& g) { return space(op.out, op.window, g); }
Space space_of(const Requantize& op, const isa::Geometry& g) { return space(op.image, {}, g); }

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

TileCost cost_of(const Requantize&, const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.par_per_block = kScaleParams;
  cost.accumulates = false;
  return cost;
}

loop::Func depthwise(const DepthwiseConv2d& op, const TileKnobs& knobs, const isa::Geometry& g) {
  check_fits(op.name, space_of(op, g), cost_of(op, g), knobs, g);
  const Window& w = op.window;
  const Tensor in = expr::placeholder("in", blocked(op.in, g), DType::I8);
  const Tensor weights =
      expr::placeholder("weights", {blocked(op.in, g)[2], w.kernel_h, w.kernel_w, g.block_out},
                        op.weight_zero == 0 ? DType::I8 : DType::I32);
  const Tensor params = scale_params(op.out, g);
  const Tensor padded = padded_input(in, op.out, w, op.input_zero);
  const Tensor wide = loaded_params(weights), scale = loaded_params(params);
  const Tensor acc = pixels("acc", op.out, g, [&](Value y, Value x, Value c, Value n) {
    return over_window(w, [&](const IterVar& ky, const IterVar& kx) {
      const Value a = padded(padded_row(w, y, ky), padded_column(w, x, kx), c, n);
      return expr::sum(widened(a) * wide(c, ky, kx, n), {ky, kx});
    });
  });
  const Tensor out = pixels("out", op.out, g, [&](Value y, Value x, Value c, Value n) {
    return scaled_int8(acc(y, x, c, n), scale, c, n, op.stage);
  });
  return schedule_tiles(
      {{padded}, {wide}, {scale}, {{acc, "mac"}}, {out, "scale"}, {in, weights, params, out}}, knobs, g,
      "depthwise_conv2d");
}

loop::Func add(const Add& op, const TileKnobs& knobs, const isa::Geometry& g) {
  check_fits(op.name, space_of(op, g), cost_of(op, g), knobs, g);
  const Tensor a = expr::placeholder("a", blocked(op.image, g), DType::I8);
  const Tensor b = expr::placeholder("b", blocked(op.image, g), DType::I8);
  const Tensor params = expr::placeholder("params", {3, kScaleParams, g.block_out}, DType::I32);
  const Tensor a_in = padded_input(a, op.image, {}, 0), b_in = padded_input(b, op.image, {}, 0);
  const Tensor scale = loaded_params(params);
  const auto scaled = [&](const Value& value, int which, const Value& n) {
    const auto row = [&](int r) { return scale(Value(which), Value(r), n).expr(); };
    return Value(tensorize::scale_value(value.expr(), row(0), row(1), row(2)));
  };
  const Tensor first = pixels("first", op.image, g, [&](Value y, Value x, Value c, Value n) {
    return scaled(widened(a_in(y, x, c, n)), 0, n);
  });
  const Tensor both = pixels("both", op.image, g, [&](Value y, Value x, Value c, Value n) {
    return first(y, x, c, n) + scaled(widened(b_in(y, x, c, n)), 1, n);
  });
  const Tensor out = pixels("out", op.image, g, [&](Value y, Value x, Value c, Value n) {
    return clamped_int8(scaled(both(y, x, c, n), 2, n), op.stage.zero_point, op.stage.min, op.stage.max);
  });
  const loop::Func func = schedule_tiles(
      {{a_in, b_in}, {}, {scale}, {{first, "scale"}, {both, "scale"}}, {out, "scale"}, {a, b, params, out}},
      knobs, g, "add");
  return in_place(func, "first", "both");
}

loop::Func max_pool(const MaxPool2d& op, const TileKnobs& knobs, const isa::Geometry& g) {
  check_fits(op.name, space_of(op, g), cost_of(op, g), knobs, g);
  const Tensor in = expr::placeholder("in", blocked(op.in, g), DType::I8);
  const Tensor padded = padded_input(in, op.out, op.window, -128);
  const Tensor acc = pixels("acc", op.out, g, [&](Value y, Value x, Value c, Value n) {
    return over_window(op.window, [&](const IterVar& ky, const IterVar& kx) {
      return expr::max(widened(padded(padded_row(op.window, y, ky), padded_column(op.window, x, kx), c, n)),
                       {ky, kx});
    });
  });
  const Tensor out = pixels("out", op.out, g, [&](Value y, Value x, Value c, Value n) {
    return clamped_int8(acc(y, x, c, n), 0, op.min, op.max);
  });
  return schedule_tiles({{padded}, {}, {}, {{acc, "max"}}, {out, "add"}, {in, out}}, knobs, g, "max_pool2d");
}

loop::Func avg_pool(const AvgPool2d& op, std::int64_t count, const TileKnobs& knobs, const isa::Geometry& g) {
  check_fits(op.name, space_of(op, g), cost_of(op, g), knobs, g);
  const Tensor in = expr::placeholder("in", blocked(op.in, g), DType::I8);
  const Tensor padded = padded_input(in, op.out, op.window, -op.offset);
  const Tensor acc = pixels("acc", op.out, g, [&](Value y, Value x, Value c, Value n) {
    return over_window(op.window, [&](const IterVar& ky, const IterVar& kx) {
      const Value a = widened(padded(padded_row(op.window, y, ky), padded_column(op.window, x, kx), c, n));
      return expr::sum(op.offset == 0 ? a : a + i32(op.offset), {ky, kx});
    });
  });
  const Reciprocal divisor = reciprocal_of(static_cast<std::uint32_t>(count));
  const Tensor out = pixels("out", op.out, g, [&](Value y, Value x, Value c, Value n) {
    const Value mean(tensorize::avg_value(acc(y, x, c, n).expr(), divisor));
    return clamped_int8(mean, -op.offset, op.min, op.max);
  });
  return schedule_tiles({{padded}, {}, {}, {{acc, "add"}}, {out, "avg"}, {in, out}}, knobs, g, "avg_pool2d");
}

loop::Func sum_pool(const SumPool2d& op, const TileKnobs& knobs, const isa::Geometry& g) {
  check_fits(op.name, space_of(op, g), cost_of(op, g), knobs, g);
  const Tensor in = expr::placeholder("in", blocked(op.in, g), DType::I8);
  const Tensor params = scale_params(op.out, g), scale = loaded_params(params);
  const Tensor padded = padded_input(in, op.out, op.window, op.input_zero);
  const Tensor acc = pixels("acc", op.out, g, [&](Value y, Value x, Value c, Value n) {
    return over_window(op.window, [&](const IterVar& ky, const IterVar& kx) {
      return expr::sum(widened(padded(padded_row(op.window, y, ky), padded_column(op.window, x, kx), c, n)),
                       {ky, kx});
    });
  });
  const Tensor out = pixels("out", op.out, g, [&](Value y, Value x, Value c, Value n) {
    return scaled_int8(acc(y, x, c, n), scale, c, n, op.stage);
  });
  return schedule_tiles({{padded}, {}, {scale}, {{acc, "add"}}, {out, "scale"}, {in, params, out}}, knobs, g,
                        "sum_pool2d");
}

loop::Func requantize(const Requantize& op, const TileKnobs& knobs, const isa::Geometry& g) {
  check_fits(op.name, space_of(op, g), cost_of(op, g), knobs, g);
  const Tensor in = expr::placeholder("in", blocked(op.image, g), DType::I8);
  const Tensor params = scale_params(op.image, g), scale = loaded_params(params);
  const Tensor loaded = padded_input(in, op.image, {}, 0);
  const Tensor out = pixels("out", op.image, g, [&](Value y, Value x, Value c, Value n) {
    return scaled_int8(widened(loaded(y, x, c, n)), scale, c, n, op.stage);
  });
  return schedule_tiles({{loaded}, {}, {scale}, {}, {out, "scale"}, {in, params, out}}, knobs, g,
                        "requantize");
}

}  // namespace vdla::pipeline::device
