// SPDX-License-Identifier: Apache-2.0
// Conv, Gemm, MatMul, pooling and reductions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "compiler/graph/requant.h"
#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "compiler/graph/sums.h"
#include "compiler/import/onnx_builder.h"
#include "support/error.h"

namespace vdla::import::onnx_model {
namespace {

/// Window attributes that Conv and the pools share.
struct WindowAttributes {
  graph::Hw kernel, stride, dilation;
  graph::Pads pads;
};

/// As many numbers as `otherwise` has, in the range of what a window has.
std::vector<std::int64_t> sizes(const NodeContext& c, const char* attribute, std::int64_t least,
                                std::vector<std::int64_t> otherwise) {
  constexpr std::int64_t kMost = graph::kMostOfWindow;
  const std::size_t count = otherwise.size();
  std::vector<std::int64_t> v = c.integers(attribute, std::move(otherwise));
  c.require(
      v.size() == count && std::ranges::all_of(v, [&](std::int64_t n) { return n >= least && n <= kMost; }),
      fmt::format("has {} [{}], needs {} numbers of {} to {}", attribute, fmt::join(v, ", "), count, least,
                  kMost));
  return v;
}

graph::Hw pair(const NodeContext& c, const char* attribute, graph::Hw otherwise) {
  const auto v = sizes(c, attribute, 1, {otherwise.h, otherwise.w});
  return {v[0], v[1]};
}

WindowAttributes window(const NodeContext& c, const graph::Shape& x, graph::Hw kernel) {
  c.require(x.size() == 4, "has an input of " + graph::to_string(x) + ", needs an image of 4 dimensions");
  WindowAttributes w{pair(c, "kernel_shape", kernel), pair(c, "strides", {}), pair(c, "dilations", {}), {}};
  const auto pads = sizes(c, "pads", 0, {0, 0, 0, 0});
  w.pads = {pads[0], pads[2], pads[1], pads[3]};
  const std::string automatic = c.text("auto_pad", "NOTSET");
  if (automatic == "VALID") w.pads = {};
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    std::tie(w.pads.top, w.pads.bottom) = graph::same_padding(x[2], w.kernel.h, w.stride.h, w.dilation.h);
    std::tie(w.pads.left, w.pads.right) = graph::same_padding(x[3], w.kernel.w, w.stride.w, w.dilation.w);
    if (automatic == "SAME_LOWER") {
      std::swap(w.pads.top, w.pads.bottom);
      std::swap(w.pads.left, w.pads.right);
    }
  }
  return w;
}

graph::Shape windows(const NodeContext& c, const graph::Shape& x, const WindowAttributes& w,
                     std::int64_t channels) {
  const std::int64_t h =
      graph::window_count(x[2], w.pads.top + w.pads.bottom, w.kernel.h, w.stride.h, w.dilation.h);
  const std::int64_t v =
      graph::window_count(x[3], w.pads.left + w.pads.right, w.kernel.w, w.stride.w, w.dilation.w);
  c.require(h > 0 && v > 0, "has a kernel larger than its padded input " + graph::to_string(x));
  return {x[0], channels, h, v};
}

/// Real biases in steps of input scale * weight scale. A bias that the model already has in these steps
/// passes unchanged.
graph::TensorId bias_tensor(const NodeContext& c, const std::vector<Constant>& biases, double input_scale,
                            const std::vector<double>& weight_scales, std::int64_t channels) {
  if (biases.empty()) return graph::kNone;
  std::vector<std::int32_t> result(static_cast<std::size_t>(channels), 0);
  Origins origins;
  std::vector<double> sum(result.size(), 0);
  for (const Constant& b : biases) {
    const auto values = b.reals();
    origins.add(b.origins, Likeness::From);
    c.require(
        static_cast<std::int64_t>(values.size()) == channels || values.size() == 1,
        "has a bias of " + std::to_string(values.size()) + " elements, needs " + std::to_string(channels));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[values.size() == 1 ? 0 : i];
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double step = input_scale * weight_scales[weight_scales.size() == 1 ? 0 : i];
    const double value = std::round(sum[i] / step);
    c.require(std::abs(value) <= INT32_MAX, "has a bias beyond int32 in steps of its scales");
    result[i] = static_cast<std::int32_t>(value);
  }
  return c.graph().add_constant(c.name() + "/bias", graph::DataType::Int32, {channels},
                                graph::to_bytes(result), {}, origins.list());
}

std::int32_t weight_zero_point(const NodeContext& c, const graph::Quantization& q) {
  c.require(
      std::all_of(q.zero_point.begin(), q.zero_point.end(), [&](int z) { return z == q.zero_point[0]; }),
      "has weights whose zero points differ by channel, needs one");
  return q.zero_point[0];
}

/// The largest accumulator of each output channel, or of all where they share one multiplier. `values` begin
/// with the output channel.
std::vector<std::int64_t> accumulator_bounds(const NodeContext& c, const Int8Constant& weights,
                                             const std::vector<std::int8_t>& values, std::int64_t channels,
                                             std::int32_t input_zero_point, graph::TensorId bias) {
  const auto depth = static_cast<std::int64_t>(values.size()) / channels;
  std::vector<std::int64_t> bounds;
  for (std::int64_t o = 0; o < channels; ++o) {
    const auto of_channel =
        std::span(values).subspan(static_cast<std::size_t>(o * depth), static_cast<std::size_t>(depth));
    std::int64_t sum = graph::distance(of_channel, weights.quantization.zero_point[0]);
    sum *= graph::reach(input_zero_point);
    if (bias != graph::kNone)
      sum +=
          std::abs(std::int64_t{c.graph().tensor(bias).values<std::int32_t>()[static_cast<std::size_t>(o)]});
    bounds.push_back(sum);
  }
  if (!weights.quantization.per_channel()) bounds = {*std::max_element(bounds.begin(), bounds.end())};
  return bounds;
}

/// Everything that a Conv needs once its output scale is known.
struct Convolution {
  Quantized x;
  WindowAttributes window;
  std::int64_t groups;
  graph::Shape weight_shape;  ///< as in the file: O, I / groups, H, W
  Int8Constant weights;
  std::vector<Constant> biases;

  Quantized emit(const NodeContext& c, const Request& request) const {
    const double input_scale = c.builder().quantization(x).scale[0];
    const std::int64_t channels = weight_shape[0];
    const bool depthwise = weight_shape[1] == 1 && groups > 1 && groups == c.graph().tensor(x.id).shape[3];
    const std::vector<int> order = depthwise ? std::vector<int>{1, 2, 3, 0} : std::vector<int>{0, 2, 3, 1};
    graph::Shape shape;
    for (int d : order) shape.push_back(weight_shape[static_cast<std::size_t>(d)]);
    graph::Quantization q = weights.quantization;
    if (q.per_channel()) q.axis = depthwise ? 3 : 0;
    const graph::TensorId w =
        c.graph().add_constant(c.name() + "/weights", graph::DataType::Int8, shape,
                               graph::to_bytes(permute(weights.values, weight_shape, order)), q,
                               graph::as(weights.origins.list(), Likeness::Reordered));
    const graph::TensorId b = bias_tensor(c, biases, input_scale, q.scale, channels);
    const auto out =
        stage(request, graph::convolution_multipliers(input_scale, q.scale, request.quantization.scale[0]),
              accumulator_bounds(c, weights, weights.values, channels,
                                 c.builder().quantization(x).zero_point[0], b));
    if (depthwise)
      return c.builder().add(c.name(), attributes<graph::DepthwiseConv2d>(c, out), {x.id, w, b},
                             request.quantization, nhwc_perm());
    auto op = attributes<graph::Conv2d>(c, out);
    op.groups = groups;
    return c.builder().add(c.name(), std::move(op), {x.id, w, b}, request.quantization, nhwc_perm());
  }

  template <class Attributes>
  Attributes attributes(const NodeContext& c, graph::OutputStage out) const {
    Attributes a;
    a.stride = window.stride;
    a.dilation = window.dilation;
    a.pads = window.pads;
    a.input_zero_point = c.builder().quantization(x).zero_point[0];
    a.weight_zero_point = weight_zero_point(c, weights.quantization);
    a.out = std::move(out);
    return a;
  }
};

void conv(const NodeContext& c) {
  Convolution v;
  v.weights = as_int8(c.constant(1), c.where());
  v.weight_shape = c.constant(1).shape;
  c.require(v.weight_shape.size() == 4,
            "has weights of " + graph::to_string(v.weight_shape) + ", needs 4 dimensions");
  c.require(!v.weights.quantization.per_channel() || v.weights.quantization.axis == 0,
            "has weights quantised along another axis than their output channels");
  const graph::Shape x = c.shape(0);
  v.window = window(c, x, {v.weight_shape[2], v.weight_shape[3]});
  c.require(v.window.kernel == graph::Hw{v.weight_shape[2], v.weight_shape[3]},
            "has a kernel_shape that differs from its weights");
  v.groups = c.integer("group", 1);
  c.require(v.groups > 0 && x[1] % v.groups == 0 && v.weight_shape[1] == x[1] / v.groups &&
                v.weight_shape[0] % v.groups == 0,
            "has weights " + graph::to_string(v.weight_shape) + " and " + std::to_string(v.groups) +
                " groups that do not fit " + std::to_string(x[1]) + " channels");
  v.x = c.builder().stored_as(c.quantized(0), nhwc_perm(), c.name());
  if (c.has(2)) v.biases.push_back(c.constant(2));
  Deferred d{windows(c, x, v.window, v.weight_shape[0]), c.what(), {}, {}, {}};
  d.quantize = [c, v = std::move(v)](const Request& request) { return v.emit(c, request); };
  c.set_output(std::move(d));
}

/// Rows of a matrix times constant weights; `transposed` weights are [outputs, inputs].
void dense(const NodeContext& c, bool transposed, std::vector<Constant> biases) {
  const Constant& w = c.constant(1);
  const graph::Shape x = c.shape(0);
  c.require(w.shape.size() == 2, "has weights of " + graph::to_string(w.shape) + ", needs 2 dimensions");
  const Int8Constant data = as_int8(w, c.where());
  const int outputs_axis = transposed ? 0 : 1;
  c.require(!data.quantization.per_channel() || data.quantization.axis == outputs_axis,
            "has weights quantised along another axis than their outputs");
  const std::int64_t outputs = w.shape[static_cast<std::size_t>(outputs_axis)],
                     inputs = w.shape[transposed ? 1 : 0];
  c.require(!x.empty() && x.back() == inputs,
            "has weights " + graph::to_string(w.shape) + " that do not fit input " + graph::to_string(x));
  const Quantized in = c.builder().stored_as(c.quantized(0), identity_perm(x.size()), c.name());
  const auto values = transposed ? data.values : permute(data.values, w.shape, {1, 0});
  const Sources named = graph::as(data.origins.list(), transposed ? Likeness::Same : Likeness::Reordered);
  Deferred d{x, c.what(), {}, {}, std::make_shared<std::vector<Constant>>(std::move(biases))};
  d.shape.back() = outputs;
  d.quantize = [c, in, values, data, named, inputs, outputs, all_biases = d.biases](const Request& request) {
    graph::Quantization q = data.quantization;
    if (q.per_channel()) q.axis = 0;
    const graph::Quantization from = c.builder().quantization(in);
    const graph::TensorId w = c.graph().add_constant(c.name() + "/weights", graph::DataType::Int8,
                                                     {outputs, inputs}, graph::to_bytes(values), q, named);
    const double input_scale = from.scale[0];
    graph::FullyConnected op{from.zero_point[0], weight_zero_point(c, q), {}};
    const graph::TensorId b = bias_tensor(c, *all_biases, input_scale, q.scale, outputs);
    op.out =
        stage(request, graph::convolution_multipliers(input_scale, q.scale, request.quantization.scale[0]),
              accumulator_bounds(c, data, values, outputs, from.zero_point[0], b));
    return c.builder().add(c.name(), std::move(op), {in.id, w, b}, request.quantization, in.perm);
  };
  c.set_output(std::move(d));
}

/// Of two activations, by their last two dimensions; the others broadcast.
void product(const NodeContext& c) {
  const graph::Shape a = c.shape(0), b = c.shape(1);
  c.require(a.size() >= 2 && b.size() >= 2 && a.back() == b[b.size() - 2],
            "cannot multiply " + graph::to_string(a) + " with " + graph::to_string(b));
  graph::Shape out =
      graph::broadcast(graph::Shape(a.begin(), a.end() - 2), graph::Shape(b.begin(), b.end() - 2));
  out.push_back(a[a.size() - 2]);
  out.push_back(b.back());
  const Quantized x = c.builder().stored_as(c.quantized(0), identity_perm(a.size()), c.name() + "/first");
  const Quantized y = c.builder().stored_as(c.quantized(1), identity_perm(b.size()), c.name() + "/second");
  Deferred d{out, c.what(), {}, {}, {}};
  d.quantize = [c, x, y, depth = a.back(), rank = out.size()](const Request& request) {
    const graph::Quantization p = c.builder().quantization(x), q = c.builder().quantization(y);
    graph::BatchMatMul op{false, false, p.zero_point[0], q.zero_point[0], {}};
    op.out = stage(request, {graph::multiplier_of(p.scale[0] * q.scale[0] / request.quantization.scale[0])},
                   {depth * graph::reach(op.a_zero_point) * graph::reach(op.b_zero_point)});
    return c.builder().add(c.name(), std::move(op), {x.id, y.id}, request.quantization, identity_perm(rank));
  };
  c.set_output(std::move(d));
}

void gemm(const NodeContext& c) {
  c.require(c.real("alpha", 1) == 1 && c.real("beta", 1) == 1 && c.integer("transA", 0) == 0,
            "needs alpha 1, beta 1, transA 0");
  std::vector<Constant> biases;
  if (c.has(2)) biases.push_back(c.constant(2));
  dense(c, c.integer("transB", 0) != 0, std::move(biases));
}

void max_pool(const NodeContext& c) {
  const auto w = window(c, c.shape(0), {});
  c.require(w.dilation == graph::Hw{} && c.integer("ceil_mode", 0) == 0,
            "has dilation or ceil_mode, needs none");
  const Quantized x = c.builder().stored_as(c.quantized(0), nhwc_perm(), c.name());
  c.set_output(c.builder().add(c.name(), graph::MaxPool2d{w.kernel, w.stride, w.pads}, {x.id},
                               c.builder().quantization(x), x.perm));
}

/// Average of windows. With the input's own scale and valid elements counted, the reference's pooling; else a
/// sum whose multiplier holds 1 / count.
Quantized emit_average(const NodeContext& c, const Quantized& x, const WindowAttributes& w,
                       bool count_padding, const Request& request) {
  const graph::Quantization from = c.builder().quantization(x);
  const graph::Quantization& to = request.quantization;
  const bool padded = !(w.pads == graph::Pads{});
  const bool exclude = padded && !count_padding;
  const graph::OutputStage unit = stage(request, {graph::Multiplier{}});
  if ((from.scale == to.scale && from.zero_point == to.zero_point) && (!padded || exclude))
    return c.builder().add(c.name(), graph::AvgPool2d{w.kernel, w.stride, w.pads, 0, unit.min, unit.max},
                           {x.id}, to, x.perm);
  if (exclude) {
    const Quantized mean =
        c.builder().add(c.name(), graph::AvgPool2d{w.kernel, w.stride, w.pads}, {x.id}, from, x.perm);
    graph::Requantize op{from.zero_point[0],
                         stage(request, {graph::multiplier_of(from.scale[0] / to.scale[0])}, {255})};
    return c.builder().add(c.name() + "/scale", std::move(op), {mean.id}, to, x.perm);
  }
  const auto count = static_cast<double>(w.kernel.h * w.kernel.w);
  graph::SumPool2d op{w.kernel, w.stride, w.pads, from.zero_point[0],
                      stage(request, {graph::multiplier_of(from.scale[0] / (count * to.scale[0]))},
                            {255 * w.kernel.h * w.kernel.w})};
  return c.builder().add(c.name(), std::move(op), {x.id}, to, x.perm);
}

void average(const NodeContext& c, const WindowAttributes& w, bool count_padding) {
  const graph::Shape in = c.shape(0);
  const Quantized x = c.builder().stored_as(c.quantized(0), nhwc_perm(), c.name());
  Deferred d{windows(c, in, w, in[1]), c.what(), {}, {}, {}};
  d.quantize = [c, x, w, count_padding](const Request& request) {
    return emit_average(c, x, w, count_padding, request);
  };
  c.set_output(std::move(d));
}

void average_pool(const NodeContext& c) {
  const auto w = window(c, c.shape(0), {});
  c.require(w.dilation == graph::Hw{} && c.integer("ceil_mode", 0) == 0,
            "has dilation or ceil_mode, needs none");
  average(c, w, c.integer("count_include_pad", 0) != 0);
}

void global_average_pool(const NodeContext& c) {
  const graph::Shape x = c.shape(0);
  c.require(x.size() == 4, "has an input of " + graph::to_string(x) + ", needs an image of 4 dimensions");
  average(c, {{x[2], x[3]}, {}, {}, {}}, false);
}

void reduce_mean(const NodeContext& c) {
  const graph::Shape x = c.shape(0);
  std::vector<std::int64_t> axes = c.has(1) ? c.constant(1).integers() : c.integers("axes", {});
  for (std::int64_t& a : axes) a += a < 0 ? static_cast<std::int64_t>(x.size()) : 0;
  std::sort(axes.begin(), axes.end());
  const bool keep = c.integer("keepdims", 1) != 0;
  if (x.size() == 4 && axes == std::vector<std::int64_t>{2, 3} && keep) return global_average_pool(c);
  Deferred d{{}, c.what(), {}, {}, {}};
  double count = 1;
  graph::Mean op;
  op.keep_dims = keep;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool reduced =
        axes.empty() || std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
    if (reduced) op.axes.push_back(static_cast<int>(i));
    if (reduced) count *= static_cast<double>(x[i]);
    if (!reduced || keep) d.shape.push_back(reduced ? 1 : x[i]);
  }
  const Quantized in = c.builder().stored_as(c.quantized(0), identity_perm(x.size()), c.name());
  d.quantize = [c, in, op, count, rank = d.shape.size()](const Request& request) {
    graph::Mean mean = op;
    const graph::Quantization from = c.builder().quantization(in);
    mean.input_zero_point = from.zero_point[0];
    mean.out = stage(request, {graph::multiplier_of(from.scale[0] / (count * request.quantization.scale[0]))},
                     {static_cast<std::int64_t>(255 * count)});
    return c.builder().add(c.name(), std::move(mean), {in.id}, request.quantization, identity_perm(rank));
  };
  c.set_output(std::move(d));
}

}  // namespace

bool import_layer(const NodeContext& c) {
  const std::string& op = c.proto().op_type();
  if (op == "Conv") return conv(c), true;
  if (op == "Gemm") return gemm(c), true;
  if (op == "MatMul") return c.is_constant(1) ? dense(c, false, {}) : product(c), true;
  if (op == "MaxPool") return max_pool(c), true;
  if (op == "AveragePool") return average_pool(c), true;
  if (op == "GlobalAveragePool") return global_average_pool(c), true;
  if (op == "ReduceMean") return reduce_mean(c), true;
  return false;
}

}  // namespace vdla::import::onnx_model
