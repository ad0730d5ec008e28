// SPDX-License-Identifier: Apache-2.0
// Pooling and means.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/graph/requant.h"
#include "compiler/graph/shape.h"
#include "compiler/import/integer/rules.h"
#include "compiler/import/integer/window.h"
#include "compiler/import/reshape.h"

namespace vdla::import::integer {
namespace {

Window pooling_window(const Context& c) {
  const Window w = window_of(c, image_shape(c), {});
  const std::int64_t ceil = c.integer("ceil_mode", 0);
  c.require(
      w.dilation == graph::Hw{} && ceil == 0,
      fmt::format("has dilations {}x{} and ceil_mode {}, needs 1x1 and 0", w.dilation.h, w.dilation.w, ceil));
  return w;
}

/// Whether the graph's integer operator is what a MaxPool computes.
bool is_plain(const Context& c) {
  const std::size_t rank = c.shape(0).size();
  const Integers dilations = c.integers("dilations", Integers{});
  return (rank == 3 || rank == 4) && c.integer("ceil_mode", 0) == 0 && !c.wants(1) &&
         std::ranges::all_of(dilations, [](std::int64_t d) { return d == 1; });
}

void max_pool(const Context& c) {
  if (!is_plain(c)) return move_elements(c);
  const Window w = pooling_window(c);
  windows(c, image_shape(c), w, 1);
  const Quantized x = images(c);
  c.set(like_input(
      c, c.add(c.name(), graph::MaxPool2d{w.kernel, w.stride, w.pads}, {x.id}, c.quantization(x), x.perm)));
}

void global_max_pool(const Context& c) {
  const Shape in = image_shape(c);
  const Quantized x = images(c);
  const graph::MaxPool2d op{{in[2], in[3]}, {}, {}};
  c.set(like_input(c, c.add(c.name(), op, {x.id}, c.quantization(x), x.perm)));
}

/// Average of windows. With the input's own scale and valid elements counted, the reference's pooling; else a
/// sum whose multiplier holds 1 / count.
Quantized average_of(const Context& c, const Quantized& x, const Window& w, bool count_padding,
                     const Request& request) {
  const graph::Quantization from = c.quantization(x);
  const graph::Quantization& to = request.quantization;
  const bool padded = !(w.pads == graph::Pads{});
  const bool exclude = padded && !count_padding;
  const graph::OutputStage unit = stage(request, {graph::Multiplier{}});
  if ((from.scale == to.scale && from.zero_point == to.zero_point) && (!padded || exclude))
    return c.add(c.name(), graph::AvgPool2d{w.kernel, w.stride, w.pads, 0, unit.min, unit.max}, {x.id}, to,
                 x.perm);
  if (exclude) {
    // The average is rounded in steps of the input, and once more: together less than a step of the output.
    c.require(
        1.8 * to.scale[0] >= from.scale[0],
        fmt::format("has an output in steps of {:.6g} of an input in steps of {:.6g}, needs {:.6g} at least",
                    to.scale[0], from.scale[0], from.scale[0] / 1.8));
    const Quantized mean =
        c.add(c.name(), graph::AvgPool2d{w.kernel, w.stride, w.pads}, {x.id}, from, x.perm);
    graph::Requantize op{from.zero_point[0],
                         stage(request, {graph::multiplier_of(from.scale[0] / to.scale[0])}, {255})};
    return c.add(c.name() + "/scale", std::move(op), {mean.id}, to, x.perm);
  }
  const auto count = static_cast<double>(w.kernel.h * w.kernel.w);
  graph::SumPool2d op{w.kernel, w.stride, w.pads, from.zero_point[0],
                      stage(request, {graph::multiplier_of(from.scale[0] / (count * to.scale[0]))},
                            {255 * w.kernel.h * w.kernel.w})};
  return c.add(c.name(), std::move(op), {x.id}, to, x.perm);
}

void average(const Context& c, const Window& w, bool count_padding) {
  const Shape in = image_shape(c);
  const Shape out = windows(c, in, w, in[1]);
  const Quantized x = images(c);
  Deferred d;
  d.quantize = [c, x, w, count_padding](const Request& request) {
    return like_input(c, average_of(c, x, w, count_padding, request));
  };
  c.set(std::move(d), like_input(c, out));
}

void average_pool(const Context& c) { average(c, pooling_window(c), c.integer("count_include_pad", 0) != 0); }

void global_average_pool(const Context& c) {
  const Shape in = image_shape(c);
  average(c, {{in[2], in[3]}, {}, {}, {}}, false);
}

/// Axes of a reduction in order; all where the node names none.
Integers reduced_axes(const Context& c, std::size_t rank) {
  Integers axes = listed(c, "axes");
  c.require(!axes.empty() || c.integer("noop_with_empty_axes", 0) == 0,
            "has noop_with_empty_axes and no axis, needs one");
  axes = c.axes(axes, rank);
  if (axes.empty())
    for (std::size_t d = 0; d < rank; ++d) axes.push_back(static_cast<std::int64_t>(d));
  std::sort(axes.begin(), axes.end());
  return axes;
}

void reduce_mean(const Context& c) {
  const Shape x = c.shape(0);
  c.require(!x.empty(), "has a scalar as input, needs a dimension");
  const Integers axes = reduced_axes(c, x.size());
  const bool keep = c.integer("keepdims") != 0;
  if (x.size() == 4 && axes == Integers{2, 3} && keep) return global_average_pool(c);
  double count = 1;
  graph::Mean op;
  op.keep_dims = keep;
  Shape out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool reduced = std::ranges::find(axes, static_cast<std::int64_t>(i)) != axes.end();
    if (reduced) op.axes.push_back(static_cast<int>(i));
    if (reduced) count *= static_cast<double>(x[i]);
    if (!reduced || keep) out.push_back(reduced ? 1 : x[i]);
  }
  const Quantized in = c.stored_as(c.quantized(0), identity_perm(x.size()), c.name());
  Deferred d;
  d.quantize = [c, in, op, count, rank = out.size()](const Request& request) {
    graph::Mean mean = op;
    const graph::Quantization from = c.quantization(in);
    mean.input_zero_point = from.zero_point[0];
    mean.out = stage(request, {graph::multiplier_of(from.scale[0] / (count * request.quantization.scale[0]))},
                     {static_cast<std::int64_t>(255 * count)});
    return c.add(c.name(), std::move(mean), {in.id}, request.quantization, identity_perm(rank));
  };
  c.set(std::move(d), out);
}

constexpr Rule kPoolingRules[] = {
    {"AveragePool", average_pool},
    {"GlobalAveragePool", global_average_pool},
    {"GlobalMaxPool", global_max_pool, true},
    {"MaxPool", max_pool, true, true},
    {"ReduceMean", reduce_mean},
};

}  // namespace

std::span<const Rule> pooling_rules() { return kPoolingRules; }

}  // namespace vdla::import::integer
