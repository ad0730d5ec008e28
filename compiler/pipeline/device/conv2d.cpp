// SPDX-License-Identifier: Apache-2.0
// Convolution: a matrix product per tap and channel block, requantised on the way out.
#include <utility>

#include "compiler/expr/dsl.h"
#include "compiler/pipeline/device/storage.h"
#include "compiler/pipeline/device/templates.h"
#include "compiler/pipeline/device/window_te.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tensorize/intrinsic.h"

namespace vdla::pipeline::device {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
using expr::Value;
using isa::Buffer;

namespace {

struct ConvTensors {
  Tensor in, weights, params;  ///< in DRAM
  Tensor padded, acc, result;  ///< in SRAM
  Tensor out;                  ///< in DRAM
  // With a sum:
  Tensor other, sum_params;  ///< in DRAM
  Tensor loaded;             ///< `other` in SRAM
  Sum sum;
};

ConvTensors express(const Conv2d& op, const Space& s, const isa::Geometry& g) {
  const OnChip& on_chip = s.on_chip;
  const Window& w = op.window;
  const std::int64_t k_lanes = g.block_in, n_lanes = g.block_out;
  ConvTensors t;
  t.weights = expr::placeholder(
      "weights", {s.parts, s.out_blocks, w.kernel_h, w.kernel_w, s.in_blocks, n_lanes, k_lanes}, DType::I8);
  t.params = expr::placeholder("params", {s.out_blocks, kScaleParams, n_lanes}, DType::I32);
  const WindowInput input("in", op.in, op.out, w, op.input_zero, k_lanes, on_chip.input, g);
  t.in = input.parameter();
  t.padded = input.tensor();
  const IterVar part = expr::reduce_axis(s.parts, "part"), ky = expr::reduce_axis(w.kernel_h, "ky"),
                kx = expr::reduce_axis(w.kernel_w, "kx"), cb = expr::reduce_axis(s.in_blocks, "cb"),
                k = expr::reduce_axis(k_lanes, "k");
  t.acc = entries("acc", op.out, g, [&](const Element& e) {
    const Value weight = t.weights(part, e.block, ky, kx, cb, e.n, k);
    return expr::sum(widened(input(e, ky, kx, cb, k)) * widened(weight), {part, ky, kx, cb, k});
  });
  t.result = entries("result", op.out, g, [&](const Element& e) {
    return scaled_int8(expr::at(t.acc, e.indices(g.batch)), t.params, e.block, e.n, op.stage);
  });
  if (op.sum) {
    t.sum_params = expr::placeholder("sum_params", {3, kScaleParams, n_lanes}, DType::I32);
    const WindowInput other("other", op.out, op.out, {}, 0, n_lanes, false, g);
    t.other = other.parameter();
    t.loaded = other.tensor();
    t.sum = sum_of(
        *op.sum, [&](const Element& e) { return expr::at(t.result, e.indices(g.batch)); }, other,
        t.sum_params, g);
  }
  t.out = way_out(op.sum ? t.sum.result : t.result, op.out, on_chip.output, g);
  return t;
}

/// Loops of the output: tiles (of pixels and of channel blocks), then the pieces that are stored, or computed
/// on the way out, at once.
struct OutLoops {
  IterVar inputs;   ///< what is loaded here stays over all channel blocks
  IterVar weights;  ///< what is loaded here stays over all pixel tiles
  IterVar tile;     ///< one accumulator tile
  IterVar store;    ///< one store
};

OutLoops tile_output(schedule::Stage& out, const ConvKnobs& k, bool on_chip, std::int64_t batch) {
  auto [yo, yi] = out.split(out.axis(0), k.tile_h);
  auto [xo, xt] = out.split(out.axis(1), k.tile_w * batch);
  auto [xi, b] = out.split(xt, batch);
  auto [no, nt] = out.split(out.axis(2), k.tile_n);
  auto [nm, ni] = out.split(nt, k.store_n);
  const IterVar n = out.axis(3);
  const bool channels_outside = k.reuse == Reuse::KeepWeights;
  std::vector<IterVar> order = {yo, xo, no, nm};
  if (channels_outside) order = {no, yo, xo, nm};
  const std::vector<IterVar> inner = on_chip ? std::vector{ni, yi, xi, b, n} : std::vector{yi, xi, b, ni, n};
  order.insert(order.end(), inner.begin(), inner.end());
  out.reorder(order);
  if (on_chip) {
    out.tensorize(n, "scale");
  } else {
    out.tensorize(yi, tensorize::kStore);
  }
  return {xo, no, channels_outside ? xo : no, nm};
}

/// Loops of the accumulator tile: the chunks of its reduction, then the nest of matrix steps.
struct AccLoops {
  IterVar inputs;   ///< a chunk of input rows and blocks
  IterVar weights;  ///< the weights of one load
};

AccLoops order_reduction(schedule::Stage& acc, const ConvKnobs& k) {
  const IterVar y = acc.axis(0), x = acc.axis(1);
  const IterVar part = acc.reduce_axis(0), kx = acc.reduce_axis(2);
  auto [kyo, kyi] = acc.split(acc.reduce_axis(1), k.tile_kh);
  auto [co, ci] = acc.split(acc.reduce_axis(3), k.tile_c);
  auto [no, ni] = acc.split(acc.axis(2), k.load_n);
  std::vector<IterVar> order = {co, kyo, part, no, ni, kyi, kx, ci, y, x};
  for (std::size_t d = kEntryAxis; d < acc.compute().axes.size(); ++d) order.push_back(acc.axis(d));
  order.push_back(acc.reduce_axis(4));
  acc.reorder(order);
  acc.tensorize(acc.axis(kEntryAxis), "gemm");
  return {kyo, no};
}

/// A copy into SRAM: one load, or, in a tensor with copies, one for each kx.
void tensorize_copy(schedule::Stage& stage) { stage.tensorize(stage.axis(0), tensorize::kLoad); }
void tensorize_input(schedule::Stage& stage, std::int64_t batch) {
  if (batch > 1) stage.reorder({stage.axis(1), stage.axis(0)});
  tensorize_copy(stage);
}

/// The sum lies where the accumulators lay: gemm keeps the other bank to itself. (And inp: so the other image
/// is in out.)
loop::Func share_accumulators(const loop::Func& func) {
  return take_over(in_place(func, "first", "both"), "acc", "result", "first");
}
/// And its result where the convolution's lay.
loop::Func share_all(const loop::Func& func) { return follow(share_accumulators(func), "result", "sum"); }

}  // namespace

Space space_of(const Conv2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  Space s;
  s.out_h = op.out.h;
  s.out_w = (op.out.w + g.batch - 1) / g.batch;
  s.batch = g.batch;
  s.out_blocks = padded_channels(op.out.c, g) / g.block_out;
  s.in_blocks = padded_channels(op.in.c, g) / g.block_in;
  s.parts = conv_parts(op);
  s.window = dense_window(op.window);
  s.gathered = skips_pixels(op.window);
  s.adds = op.sum.has_value();
  s.on_chip = on_chip;
  return s;
}

Scheduled conv2d(const Conv2d& op, const ConvKnobs& knobs, const isa::Geometry& g, const OnChip& on_chip) {
  const Space space = space_of(op, g, on_chip);
  check_fits(op.name, space, knobs, g);
  const ConvTensors t = express(op, space, g);
  schedule::Schedule s({t.out});
  const Tensor weights = s.cache_read(t.weights, tensorize::scope_of(Buffer::Wgt), {t.acc});
  const Tensor params = s.cache_read(t.params, tensorize::scope_of(Buffer::Par), {t.result});

  const OutLoops out = tile_output(s[t.out], knobs, on_chip.output, g.batch);
  const AccLoops acc = order_reduction(s[t.acc], knobs);
  const auto scale_out = [&](const Tensor& tensor, Buffer buffer) {
    schedule::Stage& stage = s[tensor];
    stage.compute_at(s[t.out], out.store).set_scope(tensorize::scope_of(buffer));
    stage.reorder({stage.axis(2), stage.axis(0), stage.axis(1)});
    stage.tensorize(stage.axis(kEntryAxis), "scale");
    compute_whole_entries(stage, g.batch);
  };
  if (op.sum || !on_chip.output) scale_out(t.result, Buffer::Out);
  compute_whole_entries(s[t.acc], g.batch);
  s[t.acc].compute_at(s[t.out], out.tile).set_scope(tensorize::scope_of(Buffer::Acc));

  if (!on_chip.input) {
    schedule::Stage& padded = s[t.padded];
    compute_whole_entries(padded, g.batch, kInputRowAxis);
    padded.set_scope(tensorize::scope_of(Buffer::Inp));
    if (knobs.reuse == Reuse::KeepInput) {
      padded.compute_at(s[t.out], out.inputs);
    } else {
      padded.compute_at(s[t.acc], acc.inputs);
    }
    tensorize_input(padded, g.batch);
  }
  if (knobs.reuse == Reuse::KeepWeights) {
    s[weights].compute_at(s[t.out], out.weights);
  } else {
    s[weights].compute_at(s[t.acc], acc.weights);
  }
  s[params].compute_at(s[t.out], out.weights);
  tensorize_copy(s[weights]);
  tensorize_copy(s[params]);
  if (!op.sum) return {"conv2d", std::move(s), {t.in, t.weights, t.params, t.out}};

  scale_out(t.sum.first, Buffer::Acc);
  scale_out(t.sum.both, Buffer::Acc);
  if (!on_chip.output) scale_out(t.sum.result, Buffer::Out);
  const Tensor sum_params =
      s.cache_read(t.sum_params, tensorize::scope_of(Buffer::Par), {t.sum.first, t.sum.both, t.sum.result});
  s[sum_params].compute_at(s[t.out], out.weights);
  tensorize_copy(s[sum_params]);
  s[t.loaded].compute_at(s[t.out], out.store).set_scope(tensorize::scope_of(Buffer::Out));
  compute_whole_entries(s[t.loaded], g.batch, kInputRowAxis);
  tensorize_input(s[t.loaded], g.batch);
  return {"conv2d_add",
          std::move(s),
          {t.in, t.weights, t.params, t.other, t.sum_params, t.out},
          on_chip.output ? share_accumulators : share_all};
}

}  // namespace vdla::pipeline::device
