// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/vector_template.h"

#include <utility>

#include "compiler/intrinsics/copy_call.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/layout.h"

namespace vdla::pipeline::device {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
using expr::Value;
using isa::Buffer;

Buffer operand_buffer(const isa::Geometry& g) {
  return g.block_in == g.block_out ? Buffer::Inp : Buffer::Out;
}

Space tile_space(const Image& in, const Image& out, const SlidingWindow& window, const OnChip& on_chip,
                 const isa::Geometry& g) {
  Space s;
  s.out_h = out.h;
  s.out_w = (out.w + g.batch - 1) / g.batch;
  s.batch = g.batch;
  s.out_blocks = s.in_blocks = padded_channels(out.c, g) / g.block_out;
  s.window = dense_window(window);
  s.grouping = grouping_of(window, in.w, out.w, g.batch);
  s.gathered = skips_pixels(window) || (s.grouping.by_tap && s.grouping.step > 1);
  s.on_chip = on_chip;
  return s;
}

Tensor scale_params(const Image& image, const isa::Geometry& g, const std::string& suffix) {
  return expr::placeholder("params" + suffix, {blocked(image, g)[2], kScaleParams, g.block_out}, DType::I32);
}

namespace {

/// Orders the loops of one step: chunks of kernel rows (undefined without a reduction), then the nest of one
/// instruction. The first `o` dimensions are outer axes.
IterVar compute_step(schedule::Stage& stage, const char* intrinsic, std::int64_t kernel_rows, bool by_column,
                     std::size_t o) {
  std::vector<IterVar> order;
  IterVar chunks;
  if (stage.has_reduction()) {
    const IterVar kx = stage.reduce_axis(1);
    auto [outer, inner] = stage.split(stage.reduce_axis(0), kernel_rows);
    chunks = outer;
    order = by_column ? std::vector{outer, kx, inner} : std::vector{outer, inner, kx};
  }
  for (std::size_t axis : {2, 0, 1}) order.push_back(stage.axis(o + axis));
  for (std::size_t axis = o + kEntryAxis; axis < stage.compute().axes.size(); ++axis)
    order.push_back(stage.axis(axis));
  stage.reorder(order);
  stage.tensorize(stage.axis(o + kEntryAxis), intrinsic);
  return chunks;
}

}  // namespace

TileLoops schedule_tiles(schedule::Schedule& s, const Stages& t, const TileKnobs& k, const isa::Geometry& g) {
  schedule::Stage& out = s[t.args.back()];
  const std::size_t o = t.outer.size();
  auto [yo, yi] = out.split(out.axis(o), k.tile_h);
  const bool on_chip = out.tensor().node() == t.result.tensor.node();
  auto [xo, xi] = out.split(out.axis(o + 1), on_chip ? k.tile_w : k.tile_w * g.batch);
  auto [co, ci] = out.split(out.axis(o + 2), k.tile_c);
  if (on_chip) {
    std::vector<IterVar> order = {co, yo, xo, ci, yi, xi};
    for (std::size_t d = o + kEntryAxis; d < out.compute().axes.size(); ++d) order.push_back(out.axis(d));
    out.reorder(order);
    out.tensorize(out.axis(o + kEntryAxis), t.result.intrinsic);
  } else {
    auto [xg, b] = out.split(xi, g.batch);
    out.reorder({co, yo, xo, yi, xg, b, ci, out.axis(o + 3)});
    out.tensorize(yi, intrinsics::kStore);
    compute_whole_entries(s[t.result.tensor], g.batch, o + kEntryAxis);
    s[t.result.tensor].compute_at(out, xo).set_scope(intrinsics::scope_of(Buffer::Out));
    compute_step(s[t.result.tensor], t.result.intrinsic, 1, false, o);
  }
  for (const Stages::Compute& step : t.acc) compute_whole_entries(s[step.tensor], g.batch, o + kEntryAxis);
  IterVar chunks;
  for (const Stages::Compute& step : t.acc) {
    s[step.tensor].compute_at(out, xo).set_scope(intrinsics::scope_of(Buffer::Acc));
    chunks = compute_step(s[step.tensor], step.intrinsic, k.tile_kh, t.operands[0].by_column(), o);
  }
  for (std::size_t i = 1, before = 0; i < t.acc.size(); ++i) {
    if (t.acc[i].apart) continue;
    s[t.acc[i].tensor].share_storage(s[t.acc[before].tensor]);
    before = i;
  }
  const auto load = [&](const Tensor& tensor, Buffer buffer, const schedule::Stage& consumer,
                        const IterVar& at) {
    s[tensor].compute_at(consumer, at).set_scope(intrinsics::scope_of(buffer));
    if (buffer != Buffer::Par && g.batch > 1) {
      s[tensor].reorder({s[tensor].axis(o + 1), s[tensor].axis(o)});
      compute_whole_entries(s[tensor], g.batch, o + kInputRowAxis);
    }
    s[tensor].tensorize(s[tensor].axis(buffer == Buffer::Par ? 0 : o), intrinsics::kLoad);
  };
  const bool chunked = chunks.defined() && chunks.extent() > 1;
  const schedule::Stage& reader = chunked ? s[t.acc[0].tensor] : out;
  for (const WindowInput& operand : t.operands) {
    if (!operand.on_chip()) load(operand.tensor(), operand_buffer(g), reader, chunked ? chunks : xo);
  }
  const IterVar constants = t.constants_by_tile ? xo : co;
  for (const Tensor& weight : t.weights) load(weight, Buffer::Par, reader, chunked ? chunks : constants);
  for (const Tensor& parameter : t.parameters) load(parameter, Buffer::Par, out, constants);
  for (const Tensor& factor : t.factors) load(factor, Buffer::Par, out, xo);
  return {co, yo, xo};
}

Scheduled schedule_tiles(const Stages& t, const TileKnobs& k, const isa::Geometry& g, const char* name) {
  schedule::Schedule s({t.args.back()});
  schedule_tiles(s, t, k, g);
  return {name, std::move(s), t.args, t.outer};
}

Tensor loaded_params(const Tensor& tensor) {
  return expr::compute(tensor.name() + "_par", tensor.shape(), [&](const std::vector<Value>& indices) {
    return expr::cast(DType::I32, expr::at(tensor, indices));
  });
}

TileCost window_cost(const SlidingWindow& w, std::int64_t par_per_block, const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.steps = w.kernel_h * w.kernel_w + 1;
  cost.par_per_block = par_per_block;
  return cost;
}

TileCost two_images_cost(const isa::Geometry& g) {
  TileCost cost;
  cost.operand = operand_buffer(g);
  cost.operands = 2;
  cost.steps = 3;
  return cost;
}

}  // namespace vdla::pipeline::device
