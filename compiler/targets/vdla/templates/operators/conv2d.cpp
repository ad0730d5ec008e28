// SPDX-License-Identifier: Apache-2.0
// Convolution: a matrix product per tap and channel block, requantised on the way out, where a sum can join
// it.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/copy_call.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/joins.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/pack.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "compiler/targets/vdla/templates/window_te.h"
#include "support/ceil_div.h"
#include "support/error.h"
#include "support/int8_summands.h"

namespace vdla::pipeline::device {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
using expr::Value;
using isa::Buffer;

namespace {

/// Weights or parameters that an element needs, at `rest` in them.
Value constant_at(const Tensor& constants, const Element& e, const OuterAxes& outer,
                  std::initializer_list<Value> rest) {
  std::vector<Value> indices;
  for (std::size_t i = 0; i < outer.size(); ++i)
    if (outer[i].has_own_weights()) indices.push_back(e.outer[i]);
  indices.insert(indices.end(), rest);
  return expr::at(constants, indices);
}

/// Blocks of accumulators: those of output channels, and where `tile` is not 0 a correction behind each
/// `tile` of them.
struct Corrections {
  std::int64_t blocks, tile;

  std::int64_t count() const { return tile == 0 ? blocks : blocks / tile * (tile + 1); }
  std::int64_t parts(std::int64_t without) const { return tile == 0 ? without : 1; }
  /// The place of an element of the output.
  Element place_of(Element e) const {
    if (tile == 0) return e;
    e.block = expr::floor_div(e.block, Value(tile)) * Value(tile + 1) + expr::floor_mod(e.block, Value(tile));
    return e;
  }
  /// The element of the output that has this place, which is none of a correction's.
  Element element_at(Element e) const {
    if (tile == 0) return e;
    e.block =
        expr::floor_div(e.block, Value(tile + 1)) * Value(tile) + expr::floor_mod(e.block, Value(tile + 1));
    return e;
  }
  /// The correction of the tile that has this place.
  Element correction_of(Element e) const {
    e.block = expr::floor_div(e.block, Value(tile + 1)) * Value(tile + 1) + Value(tile);
    return e;
  }
};

}  // namespace

ConvTensors conv_tensors(const Conv2d& op, const OnChip& on_chip, const isa::Geometry& g,
                         const OuterAxes& outer, std::int64_t corrected) {
  const Space s = space_of(op, g, on_chip);
  const Corrections blocks{s.out_blocks, corrected};
  const SlidingWindow& w = op.window;
  const std::int64_t k_lanes = g.block_in, n_lanes = g.block_out;
  ConvTensors t;
  const OuterAxes own = with_own_weights(outer);
  t.weights = expr::placeholder("weights",
                                shape_of(own, {blocks.parts(s.parts), blocks.count(), w.kernel_h, w.kernel_w,
                                               s.in_blocks, n_lanes, k_lanes}),
                                DType::I8);
  t.params = expr::placeholder("params", shape_of(own, {s.out_blocks, kScaleParams, n_lanes}), DType::I32);
  const WindowInput input("in", op.in, op.out, w, op.input_zero, k_lanes, on_chip.input, g, outer);
  t.in = input.parameter();
  t.padded = input.tensor();
  t.by_column = input.by_column();
  const IterVar part = expr::reduce_axis(blocks.parts(s.parts), "part"),
                ky = expr::reduce_axis(w.kernel_h, "ky"), kx = expr::reduce_axis(w.kernel_w, "kx"),
                cb = expr::reduce_axis(s.in_blocks, "cb"), k = expr::reduce_axis(k_lanes, "k");
  const Image made{op.out.h, op.out.w, blocks.count() * n_lanes};
  t.acc = entries(
      "acc", made, g,
      [&](const Element& e) {
        const Value weight = constant_at(t.weights, e, outer, {part, e.block, ky, kx, cb, e.n, k});
        return expr::sum(widened(input(e, ky, kx, cb, k)) * widened(weight), {part, ky, kx, cb, k});
      },
      outer);
  t.sums = t.acc;
  if (corrected > 0)
    t.sums = entries(
        "corrected", made, g,
        [&](const Element& e) {
          const auto at = [&](const Element& other) { return expr::at(t.acc, other.indices(g.batch)); };
          return at(e) + at(blocks.correction_of(e));
        },
        outer);
  t.result = entries(
      "result", op.out, g,
      [&](const Element& e) {
        const auto params = [&](std::int64_t row) {
          return constant_at(t.params, e, outer, {e.block, Value(row), e.n});
        };
        return scaled_int8(expr::at(t.sums, blocks.place_of(e).indices(g.batch)), params, op.stage);
      },
      outer);
  if (op.sum) {
    t.sum_params = expr::placeholder("sum_params", {3, kScaleParams, n_lanes}, DType::I32);
    const WindowInput other("other", op.out, op.out, {}, 0, n_lanes, false, g);
    t.other = other.parameter();
    t.loaded = other.tensor();
    const AccumulatorBlocks acc{made, [=](const Element& e) { return blocks.element_at(e); },
                                [=](const Element& e) { return blocks.place_of(e); }};
    t.sum = sum_of(
        *op.sum, [&](const Element& e) { return expr::at(t.result, e.indices(g.batch)); }, other,
        t.sum_params, g, acc);
  }
  t.out = way_out(op.sum ? t.sum.result : t.result, op.out, on_chip.output, g, outer);
  return t;
}

namespace {

/// Loops of the output: tiles (of pixels and of channel blocks), then the pieces that are stored, or computed
/// on the way out, at once.
struct OutLoops {
  IterVar inputs;   ///< loop at which inputs are loaded, which stay over all channel blocks
  IterVar weights;  ///< loop at which weights are loaded, which stay over all pixel tiles
  IterVar tile;     ///< one accumulator tile
  IterVar store;    ///< one store
};

/// Virtual threads share out the tiles of `axis`, one of the `loops` over tiles, whose loop is inside of
/// theirs then.
void share_out(schedule::Stage& out, std::vector<IterVar>& loops, IterVar& axis, std::int64_t vthreads) {
  const auto at = std::ranges::find(loops, axis);
  const auto [rest, thread] = out.split(axis, vthreads);
  out.bind(thread, expr::ForKind::VThread);
  axis = *at = rest;
  loops.insert(at, thread);
}

/// Loops of the outer axes are outside. Where weights are kept, they stay over those that share them: images.
OutLoops tile_output(schedule::Stage& out, const ConvKnobs& k, const Space& space, const OuterAxes& outer) {
  const std::size_t o = outer.size();
  const bool on_chip = space.on_chip.output;
  const std::int64_t batch = space.batch;
  auto [yo, yi] = out.split(out.axis(o), k.tile_h);
  auto [xo, xi] = out.split(out.axis(o + 1), on_chip ? k.tile_w : k.tile_w * batch);
  auto [no, nt] = out.split(out.axis(o + 2), k.tile_n);
  auto [nm, ni] = out.split(nt, k.store_n);
  const bool channels_outside = k.reuse == Reuse::KeepWeights;
  std::vector<IterVar> order, shared;
  for (std::size_t i = 0; i < o; ++i)
    (channels_outside && !outer[i].has_own_weights() ? shared : order).push_back(out.axis(i));
  if (channels_outside) order.push_back(no);
  order.insert(order.end(), shared.begin(), shared.end());
  order.insert(order.end(), {yo, xo});
  if (!channels_outside) order.push_back(no);
  order.push_back(nm);
  if (k.vthreads > 1) {
    const ThreadAxis axis = thread_axis(space, k).value();
    share_out(out, order, axis == ThreadAxis::Rows ? yo : axis == ThreadAxis::Columns ? xo : no, k.vthreads);
  }
  if (on_chip) {
    order.insert(order.end(), {ni, yi, xi});
    for (std::size_t d = o + kEntryAxis; d < out.compute().axes.size(); ++d) order.push_back(out.axis(d));
    out.reorder(order);
    out.tensorize(out.axis(o + kEntryAxis), "scale");
  } else {
    auto [xg, b] = out.split(xi, batch);
    order.insert(order.end(), {yi, xg, b, ni, out.axis(o + 3)});
    out.reorder(order);
    out.tensorize(yi, intrinsics::kStore);
  }
  return {xo, no, channels_outside ? xo : no, nm};
}

/// Loops of the accumulator tile: the chunks of its reduction, then the nest of matrix steps.
struct AccLoops {
  IterVar inputs;   ///< a chunk of input rows and blocks
  IterVar weights;  ///< the weights of one load
};

AccLoops order_reduction(schedule::Stage& acc, const ConvKnobs& k, bool by_column, std::size_t o) {
  const IterVar y = acc.axis(o), x = acc.axis(o + 1);
  const IterVar part = acc.reduce_axis(0), kx = acc.reduce_axis(2);
  auto [kyo, kyi] = acc.split(acc.reduce_axis(1), k.tile_kh);
  auto [co, ci] = acc.split(acc.reduce_axis(3), k.tile_c);
  // Weights that are kept are one load, of all blocks that the tile has.
  const std::int64_t all = acc.axis(o + 2).extent();
  auto [no, ni] = acc.split(acc.axis(o + 2), k.reuse == Reuse::KeepWeights ? all : k.load_n);
  std::vector<IterVar> order = {co, kyo, part, no, ni, kyi, kx, ci, y, x};
  if (by_column) order = {co, kyo, part, no, kx, ni, kyi, ci, y, x};
  for (std::size_t d = o + kEntryAxis; d < acc.compute().axes.size(); ++d) order.push_back(acc.axis(d));
  order.push_back(acc.reduce_axis(4));
  acc.reorder(order);
  acc.tensorize(acc.axis(o + kEntryAxis), "gemm");
  return {kyo, no};
}

/// Adds the correction to the accumulators of a tile, in their place.
void correct(schedule::Schedule& s, const ConvTensors& t, const IterVar& tile, const isa::Geometry& g,
             std::size_t o) {
  schedule::Stage& sums = s[t.sums];
  sums.compute_at(s[t.out], tile).set_scope(intrinsics::scope_of(Buffer::Acc));
  sums.share_storage(s[t.acc]);
  sums.reorder({sums.axis(o + 2), sums.axis(o), sums.axis(o + 1)});
  sums.tensorize(sums.axis(o + kEntryAxis), "add");
  compute_whole_entries(sums, g.batch, o + kEntryAxis);
}

/// A copy into SRAM: one load, or, in a tensor with copies, one for each kx.
void tensorize_copy(schedule::Stage& stage, std::size_t o = 0) {
  stage.tensorize(stage.axis(o), intrinsics::kLoad);
}
void tensorize_input(schedule::Stage& stage, std::int64_t batch, std::size_t o) {
  if (batch > 1) stage.reorder({stage.axis(o + 1), stage.axis(o)});
  tensorize_copy(stage, o);
}

}  // namespace

Space space_of(const Conv2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  Space s;
  s.out_h = op.out.h;
  s.out_w = (op.out.w + g.batch - 1) / g.batch;
  s.batch = g.batch;
  s.out_blocks = padded_channels(op.out.c, g) / g.block_out;
  s.in_blocks = ceil_div(op.in.c, std::int64_t{g.block_in});
  s.stored_blocks = padded_channels(op.in.c, g) / g.block_in;
  s.parts = conv_parts(op);
  s.corrects = can_correct(op);
  s.window = dense_window(op.window);
  s.grouping = grouping_of(op.window, op.in.w, op.out.w, g.batch);
  s.gathered = skips_pixels(op.window) || (s.grouping.by_tap && s.grouping.step > 1);
  s.adds = op.sum.has_value();
  s.on_chip = on_chip;
  return s;
}

ConvConstants schedule_conv(schedule::Schedule& s, const ConvTensors& t, const ConvKnobs& knobs,
                            const Space& space, const isa::Geometry& g, const OuterAxes& outer) {
  const OnChip& on_chip = space.on_chip;
  const std::size_t o = outer.size();
  const Tensor weights = s.cache_read(t.weights, intrinsics::scope_of(Buffer::Wgt), {t.acc});
  const Tensor params = s.cache_read(t.params, intrinsics::scope_of(Buffer::Par), {t.result});

  const OutLoops out = tile_output(s[t.out], knobs, space, outer);
  const AccLoops acc = order_reduction(s[t.acc], knobs, t.by_column, o);
  const auto scale_out = [&](const Tensor& tensor, Buffer buffer) {
    schedule::Stage& stage = s[tensor];
    stage.compute_at(s[t.out], out.store).set_scope(intrinsics::scope_of(buffer));
    stage.reorder({stage.axis(o + 2), stage.axis(o), stage.axis(o + 1)});
    stage.tensorize(stage.axis(o + kEntryAxis), "scale");
    compute_whole_entries(stage, g.batch, o + kEntryAxis);
  };
  if (space.adds || !on_chip.output) scale_out(t.result, Buffer::Out);
  compute_whole_entries(s[t.acc], g.batch, o + kEntryAxis);
  s[t.acc].compute_at(s[t.out], out.tile).set_scope(intrinsics::scope_of(Buffer::Acc));
  if (knobs.corrected) correct(s, t, out.tile, g, o);

  if (!on_chip.input) {
    schedule::Stage& padded = s[t.padded];
    compute_whole_entries(padded, g.batch, o + kInputRowAxis);
    padded.set_scope(intrinsics::scope_of(Buffer::Inp));
    const std::int64_t blocks = knobs.reuse == Reuse::KeepInput ? space.in_blocks : knobs.tile_c;
    if (space.loaded_blocks(blocks) > blocks)
      padded.compute_whole(padded.axis(o + (g.batch > 1 ? kInputRowAxis - 1 : 2)));
    if (knobs.reuse == Reuse::KeepInput) {
      padded.compute_at(s[t.out], out.inputs);
    } else {
      padded.compute_at(s[t.acc], acc.inputs);
    }
    tensorize_input(padded, g.batch, o);
  }
  if (!on_chip.constants) {
    if (knobs.reuse == Reuse::KeepWeights) {
      s[weights].compute_at(s[t.out], out.weights);
    } else {
      s[weights].compute_at(s[t.acc], acc.weights);
    }
    s[params].compute_at(s[t.out], out.weights);
  }
  tensorize_copy(s[weights]);
  tensorize_copy(s[params]);
  if (!space.adds) return {weights, params};

  // The sum lies where the accumulators lay: gemm keeps the other bank to itself. (And inp: so the other
  // image is in out.) Its result lies where the convolution's did.
  scale_out(t.sum.first, Buffer::Acc);
  scale_out(t.sum.both, Buffer::Acc);
  s[t.sum.first].share_storage(s[t.sums]);
  s[t.sum.both].share_storage(s[t.sum.first]);
  if (!on_chip.output) {
    scale_out(t.sum.result, Buffer::Out);
    s[t.sum.result].share_storage(s[t.result]);
  }
  const Tensor sum_params =
      s.cache_read(t.sum_params, intrinsics::scope_of(Buffer::Par), {t.sum.first, t.sum.both, t.sum.result});
  s[sum_params].compute_at(s[t.out], out.weights);
  tensorize_copy(s[sum_params]);
  s[t.loaded].compute_at(s[t.out], out.store).set_scope(intrinsics::scope_of(Buffer::Out));
  compute_whole_entries(s[t.loaded], g.batch, o + kInputRowAxis);
  tensorize_input(s[t.loaded], g.batch, o);
  return {weights, params};
}

Scheduled conv2d(const Conv2d& op, const ConvKnobs& knobs, const isa::Geometry& g, const OnChip& on_chip,
                 const OuterAxes& outer) {
  const Space space = space_of(op, g, on_chip);
  check_fits(op.name, space, knobs, g);
  const ConvTensors t = conv_tensors(op, on_chip, g, outer, knobs.corrected_blocks());
  schedule::Schedule s({t.out});
  schedule_conv(s, t, knobs, space, g, outer);
  if (!op.sum) return {"conv2d", std::move(s), {t.in, t.weights, t.params, t.out}, outer};
  return {"conv2d_add", std::move(s), {t.in, t.weights, t.params, t.other, t.sum_params, t.out}};
}

bool can_correct(const Conv2d& op) { return conv_parts(op) > 1 && op.weight_zero != -128; }

std::int64_t conv_parts(const Conv2d& op) {
  const std::int64_t parts = int8_summands(op.weight_zero);
  if (parts < 3 || op.weights.empty()) return parts;
  return std::ranges::find(op.weights, std::int8_t{127}) == op.weights.end() ? 2 : 3;
}

namespace {

/// The summands of weight - weight_zero, each within int8.
std::int8_t part_of(std::int32_t weight, std::int32_t zero, std::int64_t part) {
  std::int32_t rest = weight - zero;
  for (; part > 0; --part) rest -= std::clamp(rest, -128, 127);
  return static_cast<std::int8_t>(std::clamp(rest, -128, 127));
}

/// One part of `count` weights that follow each other.
void put_weights(const std::int8_t* from, std::int64_t count, std::int32_t zero, std::int64_t part,
                 std::uint8_t* to) {
  if (zero == 0 && part == 0) {  // as they are, in most models
    std::copy_n(from, count, to);
    return;
  }
  for (std::int64_t k = 0; k < count; ++k) to[k] = static_cast<std::uint8_t>(part_of(from[k], zero, part));
}

/// Packs weights in `parts` parts, or in one part with a correction block after each `corrected` blocks.
PackedConstants pack(const Conv2d& op, std::int64_t parts, std::int64_t corrected, const isa::Geometry& g) {
  VDLA_CHECK(op.groups == 1);
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w;
  const std::int64_t k_lanes = g.block_in, n_lanes = g.block_out;
  const std::int64_t in_blocks = ceil_div(op.in.c, k_lanes), out_blocks = blocks_of(op.out.c, n_lanes, g);
  VDLA_CHECK(corrected == 0 || out_blocks % corrected == 0) << op.name;
  const std::int32_t zero = corrected > 0 ? 0 : op.weight_zero;
  // The weights of an output channel, a tap and a block of input channels follow each other.
  const auto weights_at = [&](std::int64_t o, std::int64_t t, std::int64_t ib) {
    return &op.weights[static_cast<std::size_t>((o * taps + t) * op.in.c + ib * k_lanes)];
  };

  PackedConstants constants;
  const std::int64_t entry = n_lanes * k_lanes;
  constants.bytes.resize(static_cast<std::size_t>(parts * Corrections{out_blocks, corrected}.count() * taps *
                                                  in_blocks * entry));
  std::uint8_t* to = constants.bytes.data();
  const auto depth_of = [&](std::int64_t ib) { return std::min(op.in.c - ib * k_lanes, k_lanes); };
  const auto add_block = [&](std::int64_t ob, std::int64_t part) {
    for (std::int64_t t = 0; t < taps; ++t) {
      for (std::int64_t ib = 0; ib < in_blocks; ++ib) {
        const std::int64_t channels = std::min(op.out.c - ob * n_lanes, n_lanes);
        for (std::int64_t n = 0; n < channels; ++n)
          put_weights(weights_at(ob * n_lanes + n, t, ib), depth_of(ib), zero, part, to + n * k_lanes);
        to += entry;
      }
    }
  };
  const auto add_correction = [&] {
    for (std::int64_t t = 0; t < taps; ++t) {
      for (std::int64_t ib = 0; ib < in_blocks; ++ib, to += entry)
        for (std::int64_t n = 0; n < n_lanes; ++n)
          std::fill_n(to + n * k_lanes, depth_of(ib), static_cast<std::uint8_t>(-op.weight_zero));
    }
  };
  for (std::int64_t part = 0; part < parts; ++part) {
    for (std::int64_t ob = 0; ob < out_blocks; ++ob) {
      add_block(ob, part);
      if (corrected > 0 && (ob + 1) % corrected == 0) add_correction();
    }
  }
  append_scale(constants, op.out.c, op.stage, g, [&](std::int64_t o) {
    const std::int64_t terms = taps * op.in.c;
    std::int64_t sum = -terms * op.weight_zero;
    for (const std::int8_t weight : op.weights.part(o * terms, terms)) sum += weight;
    const std::int64_t bias = op.bias.empty() ? 0 : op.bias[static_cast<std::size_t>(o)];
    return wrap32(bias - op.input_zero * sum);
  });
  return constants;
}

}  // namespace

PackedConstants pack(const Conv2d& op, const isa::Geometry& g) { return pack(op, conv_parts(op), 0, g); }

OutputStage channels_of(const OutputStage& stage, std::int64_t first, std::int64_t count) {
  OutputStage one = stage;
  if (stage.multiplier.size() == 1) return one;
  const auto begin = stage.multiplier.begin() + static_cast<std::ptrdiff_t>(first);
  one.multiplier.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return one;
}

Conv2d dense(std::string name, std::int64_t rows, std::int64_t inputs, std::int64_t outputs,
             SharedValues<std::int8_t> weights, SharedValues<std::int32_t> bias, std::int32_t input_zero,
             std::int32_t weight_zero, OutputStage stage) {
  Conv2d op;
  op.name = std::move(name);
  op.in = {rows, 1, inputs};
  op.out = {rows, 1, outputs};
  op.weights = std::move(weights);
  op.bias = std::move(bias);
  op.input_zero = input_zero;
  op.weight_zero = weight_zero;
  op.stage = std::move(stage);
  return op;
}

Conv2d without_groups(const Conv2d& op) {
  if (op.groups == 1) return op;
  Conv2d dense = op;
  dense.groups = 1;
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w;
  const std::int64_t group_in = op.in.c / op.groups, group_out = op.out.c / op.groups;
  std::vector<std::int8_t> weights(static_cast<std::size_t>(op.out.c * taps * op.in.c),
                                   static_cast<std::int8_t>(op.weight_zero));
  for (std::int64_t o = 0; o < op.out.c; ++o) {
    for (std::int64_t t = 0; t < taps; ++t) {
      for (std::int64_t i = 0; i < group_in; ++i) {
        weights[static_cast<std::size_t>((o * taps + t) * op.in.c + (o / group_out) * group_in + i)] =
            op.weights[static_cast<std::size_t>((o * taps + t) * group_in + i)];
      }
    }
  }
  dense.weights = std::move(weights);
  return dense;
}

namespace {

/// Whether each group is a layer of its own: whole blocks of channels in and out. Others are filled up
/// (without_groups()).
bool groups_apart(const Conv2d& op, const isa::Geometry& g) {
  const std::int64_t block = channel_block(g);
  return op.groups > 1 && op.in.c / op.groups % block == 0 && op.out.c / op.groups % block == 0;
}

/// One of the groups as a convolution of its own: what of its shape changes.
void narrow_to_group(Conv2d& conv) {
  conv.in.c /= conv.groups;
  conv.out.c /= conv.groups;
  conv.groups = 1;
}

Conv2d group_of(const Conv2d& op, std::int64_t group) {
  Conv2d one = op;
  narrow_to_group(one);
  const std::int64_t weights = static_cast<std::int64_t>(op.weights.size()) / op.groups;
  one.weights = op.weights.part(group * weights, weights);
  if (!op.bias.empty()) one.bias = op.bias.part(group * one.out.c, one.out.c);
  one.stage = channels_of(op.stage, group * one.out.c, one.out.c);
  return one;
}

/// Begin of the first group's constants, and distance of the next ones'.
struct GroupConstants {
  std::int64_t weights = 0, params = 0, distance = 0;
};

/// All groups have as many parts as the one that needs most.
GroupConstants place_constants(const Conv2d& op, std::int64_t corrected, Lowering& l) {
  const std::int64_t parts = corrected > 0 ? 1 : conv_parts(op);
  GroupConstants all;
  for (std::int64_t group = 0; group < op.groups; ++group) {
    const Conv2d one = op.groups == 1 ? op : group_of(op, group);
    PackedConstants constants = pack(one, parts, corrected, l.geometry());
    const std::int64_t start = l.place(std::move(constants.bytes));
    if (group == 0) all = {start + constants.weights_offset, start + constants.params_offset, 0};
    if (group == 1) all.distance = start + constants.weights_offset - all.weights;
  }
  return all;
}

void lower(const Conv2d& whole, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const bool apart = groups_apart(whole, g);
  const Conv2d op = apart ? whole : without_groups(whole);
  Conv2d one = op;
  if (apart) narrow_to_group(one);
  const Space space = space_of(one, g, l.on_chip());
  const ConvKnobs knobs = l.conv_knobs(one.name, space);
  check_fits(one.name, space, knobs, g);  // before constants are packed by them
  OuterAxes outer = images_axis(op.images, op.in, op.out, g);
  const GroupConstants constants = place_constants(op, knobs.corrected_blocks(), l);
  if (apart) {
    const auto distance = [&](const Image& group, bool on_chip) { return group.c * (on_chip ? g.batch : 1); };
    outer.push_back({"group", op.groups, distance(one.in, l.on_chip().input),
                     distance(one.out, l.on_chip().output), constants.distance, constants.distance});
  }
  std::vector<DeviceParam> params = {
      {Role::Input, 0}, {Role::Constants, constants.weights}, {Role::Constants, constants.params}};
  if (op.sum) {
    params.push_back({Role::SecondInput, 0});
    params.push_back({Role::Constants, l.place(pack(*op.sum, g).bytes)});
  }
  params.push_back({Role::Output, 0});
  l.set_function(conv2d(one, knobs, g, l.on_chip(), outer), std::move(params), to_string(knobs),
                 l.views(op.in, op.out, op.window));
  l.note_weights(knobs.corrected ? std::string(kCorrectedWeights) : text_of_parts(space.parts));
}

void check(const Conv2d& op) {
  check_window(op.name, op.in, op.out, op.window);
  check_images(op.name, op.images);
  VDLA_CHECK_USER(op.groups > 0 && op.in.c % op.groups == 0 && op.out.c % op.groups == 0)
      << op.name << ": " << op.groups << " groups do not divide " << op.in.c << " input and " << op.out.c
      << " output channels";
  check_size(op.name, "weights", op.weights.size(),
             op.out.c * op.window.kernel_h * op.window.kernel_w * (op.in.c / op.groups));
  if (!op.bias.empty()) check_size(op.name, "bias", op.bias.size(), op.out.c);
  check_stage(op.name, op.stage, op.out.c);
  if (!op.sum) return;
  check(*op.sum);
  VDLA_CHECK_USER(op.images == 1 && op.groups == 1 && op.sum->image == op.out)
      << op.name << ": its sum '" << op.sum->name << "' is of " << text(op.sum->image)
      << ", needs one image and group and the output's size " << text(op.out);
}

Reason why_not(const Conv2d& op, const isa::Geometry& g) {
  const OutputStage& stage = op.sum && op.sum->stage.max - op.sum->stage.min < op.stage.max - op.stage.min
                                 ? op.sum->stage
                                 : op.stage;
  if (auto why = one_value(stage.min, stage.max)) return why;
  if (auto why = bad_stage(op)) return why;
  if (auto why = bad_zero("weight", op.weight_zero)) return why;
  if (op.sum)
    if (auto why = beyond_fields(*op.sum)) return why;
  return misfit(space_of(op, g), g);
}

/// Space of the convolution, or of one of its groups where each is a layer of its own.
Space space_of_part(const Conv2d& op, const isa::Geometry& g, const OnChip& on_chip) {
  if (!groups_apart(op, g)) return space_of(op, g, on_chip);
  Conv2d narrow = op;
  narrow_to_group(narrow);
  return space_of(narrow, g, on_chip);
}

std::optional<double> estimate(const Conv2d& op, const isa::Geometry& g, const isa::Timing& t,
                               const OnChip& on_chip) {
  const auto one = total(least_work(space_of_part(op, g, on_chip), g, t));
  const std::int64_t parts = groups_apart(op, g) ? op.groups : 1;
  return one ? std::optional(static_cast<double>(parts) * *one) : std::nullopt;
}

LayerSpace knobs_of(const Conv2d& op, const isa::Geometry& g, const isa::Timing& t, const OnChip& on_chip) {
  return layer_space(space_of_part(op, g, on_chip), g, t);
}

}  // namespace

template <>
const Operator<Conv2d>& row<Conv2d>() {
  static constexpr Operator<Conv2d> kRow{
      .kind = [](const Conv2d& op) -> std::string_view { return op.sum ? "conv2d+add" : "conv2d"; },
      .inputs =
          [](const Conv2d& op) { return op.sum ? std::vector{op.in, op.sum->image} : std::vector{op.in}; },
      .output = [](const Conv2d& op) { return op.out; },
      .check = check,
      .why_not = why_not,
      .estimate = estimate,
      .lower = lower,
      .space = knobs_of,
      .macs =
          [](const Conv2d& op) {
            return op.out.h * op.out.w *
                   (static_cast<std::int64_t>(op.weights.size()) - op.out.c * op.filler);
          },
      .padding =
          [](const Conv2d& op) { return Padding{reach_beyond(op.in, op.out, op.window), op.input_zero}; },
      .second_elsewhere = "adds it from out",
      .window = [](const Conv2d& op) { return op.window; },
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::Conv2d& op) {
  if (auto no = n.no_image()) return *no;
  if (auto no = n.no_constant_weights()) return *no;
  const graph::Shape& w = n.input(1).shape;
  Conv2d d;
  d.name = n.name();
  d.in = one_image(n.in());
  d.out = one_image(n.out());
  d.images = n.images();
  d.window = window_of({w[1], w[2]}, op.stride, op.dilation, op.pads);
  d.groups = op.groups;
  d.weights = n.weights();
  d.bias = n.bias();
  d.input_zero = op.input_zero_point;
  d.weight_zero = op.weight_zero_point;
  d.stage = op.out;
  d.filler = op.filler;
  return Layer{std::move(d), {n.node.inputs[0]}};
}

namespace {

/// The image of one batch that a reshape in front flattens to one row.
graph::TensorId flattened_image(const GraphNode& n) {
  for (const graph::Node& other : n.graph.nodes) {
    if (other.output != n.node.inputs[0] || !std::holds_alternative<graph::Reshape>(other.op)) continue;
    const graph::Shape& image = n.graph.tensor(other.inputs[0]).shape;
    if (image.size() == 4 && image[0] == 1) return other.inputs[0];
  }
  return graph::kNone;
}

}  // namespace

/// Layer of one row behind an image that is flattened: with a kernel of the image's size.
LayerOrNot from_graph(const GraphNode& n, const graph::FullyConnected& op) {
  if (auto no = n.no_constant_weights()) return *no;
  const graph::Shape &x = n.in(), &w = n.input(1).shape;
  const std::int64_t rows = graph::element_count(x) / w[1];
  Conv2d d = dense(n.name(), rows, w[1], w[0], n.weights(), n.bias(), op.input_zero_point,
                   op.weight_zero_point, op.out);
  const graph::TensorId image = rows == 1 ? flattened_image(n) : graph::kNone;
  if (image == graph::kNone) return Layer{std::move(d), {n.node.inputs[0]}};
  d.in = image_of(n.graph.tensor(image).shape);
  d.out = {1, 1, w[0]};
  d.window.kernel_h = d.in.h;
  d.window.kernel_w = d.in.w;
  return Layer{std::move(d), {image}};
}

Joined<Conv2d> on_the_way_out(const Conv2d& conv, const Add& sum, std::size_t which, const isa::Geometry& g) {
  if (conv.sum || conv.images != 1 || conv.groups != 1 || conv.out != sum.image) return std::nullopt;
  if (sum.by_channel) return WhyNot{"its other operand is one pixel"};
  Conv2d both = conv;
  both.sum = sum;
  if (which == 1) {
    std::swap(both.sum->a, both.sum->b);
    std::swap(both.sum->a_zero, both.sum->b_zero);
  }
  if (auto why = unsupported(both, g)) return WhyNot{std::move(*why)};
  return both;
}

}  // namespace vdla::pipeline::device
