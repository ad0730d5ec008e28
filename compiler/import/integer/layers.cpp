// SPDX-License-Identifier: Apache-2.0
// Convolutions and matrix products.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "compiler/graph/requant.h"
#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "compiler/graph/sums.h"
#include "compiler/import/integer/permute.h"
#include "compiler/import/integer/rules.h"
#include "compiler/import/integer/window.h"
#include "compiler/import/tensor/node_window.h"

namespace vdla::import::integer {
namespace {

/// Real biases in steps of input scale * weight scale. A bias that the model already has in these steps
/// passes unchanged.
graph::TensorId bias_tensor(const Context& c, const std::vector<Bias>& biases, double input_scale,
                            const std::vector<double>& weight_scales, std::int64_t channels) {
  if (biases.empty()) return graph::kNone;
  std::vector<std::int32_t> result(static_cast<std::size_t>(channels), 0);
  Origins origins;
  std::vector<double> sum(result.size(), 0);
  for (const Bias& b : biases) {
    origins.add(b.origins, Likeness::From);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b.values[b.values.size() == 1 ? 0 : i];
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double step = input_scale * weight_scales[weight_scales.size() == 1 ? 0 : i];
    const double value = std::round(sum[i] / step);
    c.require(std::abs(value) <= INT32_MAX,
              fmt::format("has bias {} in channel {}, which is {} steps of its scales, needs an int32",
                          sum[i], i, value));
    result[i] = static_cast<std::int32_t>(value);
  }
  return c.graph().add_constant(c.name() + "/bias", DataType::Int32, {channels}, graph::to_bytes(result), {},
                                origins.list());
}

std::int32_t weight_zero_point(const Context& c, const graph::Quantization& q) {
  for (const std::int32_t z : q.zero_point)
    c.require(z == q.zero_point[0],
              fmt::format("has weights with zero points {} and {} in int8, needs one for all channels",
                          q.zero_point[0], z));
  return q.zero_point[0];
}

/// The largest accumulator of each output channel, or of all where they share one multiplier. `values` begin
/// with the output channel.
std::vector<std::int64_t> accumulator_bounds(const Context& c, const graph::Quantization& weights,
                                             const std::vector<std::int8_t>& values, std::int64_t channels,
                                             std::int32_t input_zero_point, graph::TensorId bias) {
  const auto depth = static_cast<std::size_t>(static_cast<std::int64_t>(values.size()) / channels);
  std::vector<std::int64_t> bounds;
  for (std::size_t o = 0; o < static_cast<std::size_t>(channels); ++o) {
    const auto of_channel = std::span(values).subspan(o * depth, depth);
    std::int64_t sum = graph::distance(of_channel, weights.zero_point[0]) * graph::reach(input_zero_point);
    if (bias != graph::kNone) sum += std::abs(std::int64_t{c.graph().tensor(bias).values<std::int32_t>()[o]});
    bounds.push_back(sum);
  }
  if (!weights.per_channel()) bounds = {*std::max_element(bounds.begin(), bounds.end())};
  return bounds;
}

using Weights = std::shared_ptr<const Int8Constant>;

/// The number for a channel, of one for all or one for each.
double of_channel(const std::vector<double>& values, std::size_t channel) {
  return values[values.size() == 1 ? 0 : channel];
}

/// Makes a layer's result an affine function of what it was: changes the biases, and returns the weights,
/// output channels first.
Weights join(const Context& c, const Affine& affine, Int8Constant weights, std::vector<Bias>& biases) {
  const auto channels = static_cast<std::size_t>(weights.shape[0]);
  graph::Quantization& q = weights.quantization;
  if (std::ranges::any_of(affine.factor, [](double f) { return f != 1; })) {
    if (!q.per_channel() && affine.factor.size() > 1) q.axis = 0;
    const std::size_t scales = std::max(q.scale.size(), affine.factor.size());
    if (q.scale.size() < scales) q.scale.resize(scales, q.scale[0]);
    if (q.zero_point.size() < scales) q.zero_point.resize(scales, q.zero_point[0]);
    for (std::size_t o = 0; o < channels; ++o) {
      const double factor = of_channel(affine.factor, o);
      c.require(std::isfinite(factor) && factor != 0,
                fmt::format("multiplies channel {} by {}, needs a finite number other than 0", o, factor));
      if (factor > 0) continue;
      const std::size_t depth = weights.values.size() / channels;
      c.require(
          q.zero_point[q.zero_point.size() == 1 ? 0 : o] == 0,
          fmt::format("multiplies channel {} by {}, whose weights have a zero point, needs a positive number",
                      o, factor));
      for (std::int8_t& w : std::span(weights.values).subspan(o * depth, depth)) {
        c.require(w != -128,
                  fmt::format("multiplies channel {} by {}, which has a weight of -128 steps, needs a "
                              "positive number",
                              o, factor));
        w = static_cast<std::int8_t>(-w);
      }
    }
    for (std::size_t o = 0; o < scales; ++o) q.scale[o] *= std::abs(of_channel(affine.factor, o));
    for (Bias& bias : biases) {
      bias.values.resize(channels, bias.values[0]);
      for (std::size_t o = 0; o < channels; ++o) bias.values[o] *= of_channel(affine.factor, o);
    }
    weights.origins.add(affine.origins, Likeness::From);
  }
  if (std::ranges::any_of(affine.offset, [](double v) { return v != 0; }))
    biases.push_back({affine.offset, affine.origins});
  return std::make_shared<const Int8Constant>(std::move(weights));
}

constexpr double kSilent = 1.0 / 1024;  // part of an output step

/// How the weights of an output channel are computed with: multiplied by `finer`, with steps as much finer,
/// or none of them, in steps that hold the bias.
struct Settling {
  int finer = 1;
  bool silent = false;
};

/// A bias is rounded to steps of the layer's sums. Where another operator `joined` the layer and the bias
/// lies between steps, weights of few bits use all of int8: with weights of 1 and -1 a step may be a large
/// part of an output step. A channel that adds less than a thousandth of an output step to a bias beyond
/// int32 gives its bias alone.
Settling settling(std::span<const std::int8_t> weights, double step, double bias, bool joined,
                  std::int32_t input_zero_point, double output_scale) {
  constexpr double kExact = 1e-3;  // part of a step
  const double steps = bias / step;
  if (std::abs(steps) > INT32_MAX) {
    const double most = static_cast<double>(graph::distance(weights, 0)) *
                        static_cast<double>(graph::reach(input_zero_point)) * step;
    return {1, most <= kSilent * output_scale};
  }
  if (!joined || std::abs(steps - std::round(steps)) <= kExact) return {};
  int largest = 0;
  for (const std::int8_t w : weights) largest = std::max(largest, std::abs(static_cast<int>(w)));
  const int finer = largest == 0 ? 1 : 127 / largest;
  return {std::abs(steps) * finer <= INT32_MAX ? finer : 1};
}

/// Weights that a layer is computed with, once its output's scale is known; the same ones where nothing
/// changes.
Weights settled(const Weights& weights, const std::vector<Bias>& biases, bool joined,
                const graph::Quantization& input, double output_scale) {
  const graph::Quantization& q = weights->quantization;
  if (biases.empty() || std::ranges::any_of(q.zero_point, [](std::int32_t z) { return z != 0; }))
    return weights;
  const auto channels = static_cast<std::size_t>(weights->shape[0]);
  const std::size_t depth = weights->values.size() / channels;
  std::shared_ptr<Int8Constant> made;
  for (std::size_t o = 0; o < channels; ++o) {
    double bias = 0;
    for (const Bias& b : biases) bias += of_channel(b.values, o);
    const Settling s =
        settling(std::span(weights->values).subspan(o * depth, depth),
                 input.scale[0] * of_channel(q.scale, o), bias, joined, input.zero_point[0], output_scale);
    if (s.finer == 1 && !s.silent) continue;
    if (!made) {
      made = std::make_shared<Int8Constant>(*weights);
      made->quantization.scale.resize(channels, q.scale[0]);
      made->quantization.zero_point.assign(channels, 0);
      made->quantization.axis = 0;
    }
    for (std::int8_t& w : std::span(made->values).subspan(o * depth, depth))
      w = s.silent ? std::int8_t{0} : static_cast<std::int8_t>(w * s.finer);
    double& scale = made->quantization.scale[o];
    scale = s.silent ? kSilent * output_scale / input.scale[0] : scale / s.finer;
  }
  return made ? made : weights;
}

/// A Conv that waits for its output's scale.
struct Convolution {
  Quantized x;
  Window window;
  std::int64_t groups;
  Weights weights;  ///< O, I / groups, H, W
  std::vector<Bias> biases;
  bool joined = false;  ///< whether an operator after it joined

  Quantized emit(const Context& c, const Request& request) const {
    const double input_scale = c.quantization(x).scale[0];
    const std::int64_t channels = weights->shape[0];
    const bool depthwise = weights->shape[1] == 1 && groups > 1 && groups == c.graph().tensor(x.id).shape[3];
    const std::vector<int> order = depthwise ? std::vector<int>{1, 2, 3, 0} : std::vector<int>{0, 2, 3, 1};
    graph::Quantization q = weights->quantization;
    if (q.per_channel()) q.axis = depthwise ? 3 : 0;
    const graph::TensorId w =
        c.graph().add_constant(c.name() + "/weights", DataType::Int8, permuted(weights->shape, order),
                               graph::to_bytes(permute(weights->values, weights->shape, order)), q,
                               graph::as(weights->origins.list(), Likeness::Reordered));
    const graph::TensorId b = bias_tensor(c, biases, input_scale, q.scale, channels);
    const auto out =
        stage(request, graph::convolution_multipliers(input_scale, q.scale, request.quantization.scale[0]),
              accumulator_bounds(c, weights->quantization, weights->values, channels,
                                 c.quantization(x).zero_point[0], b));
    if (depthwise)
      return c.add(c.name(), attributes<graph::DepthwiseConv2d>(c, out), {x.id, w, b}, request.quantization,
                   nhwc_perm());
    auto op = attributes<graph::Conv2d>(c, out);
    op.groups = groups;
    return c.add(c.name(), std::move(op), {x.id, w, b}, request.quantization, nhwc_perm());
  }

  template <class Attributes>
  Attributes attributes(const Context& c, graph::OutputStage out) const {
    Attributes a;
    a.stride = window.stride;
    a.dilation = window.dilation;
    a.pads = window.pads;
    a.input_zero_point = c.quantization(x).zero_point[0];
    a.weight_zero_point = weight_zero_point(c, weights->quantization);
    a.out = std::move(out);
    return a;
  }
};

/// Declines weights with a scale for each channel of another axis than their outputs' one.
void require_scales_along(const Context& c, const graph::Quantization& q, int axis) {
  c.require(!q.per_channel() || q.axis == axis,
            fmt::format("has weights with scales along axis {}, needs axis {}, their outputs", q.axis, axis));
}

Deferred deferred(const Context& c, const std::shared_ptr<const Convolution>& v) {
  Deferred d;
  d.quantize = [c, v](const Request& request) {
    Convolution ready = *v;
    ready.weights =
        settled(v->weights, v->biases, v->joined, c.quantization(v->x), request.quantization.scale[0]);
    return like_input(c, ready.emit(c, request));
  };
  d.with_affine = [c, v](const Affine& affine) {
    Convolution whole = *v;
    whole.weights = join(c, affine, *v->weights, whole.biases);
    whole.joined = true;
    return deferred(c, std::make_shared<const Convolution>(std::move(whole)));
  };
  d.channels = 1;
  return d;
}

void conv(const Context& c) {
  Convolution v;
  Int8Constant weights = c.int8_constant(1);
  Shape& w = weights.shape;
  const Shape x = image_shape(c);
  c.require(w.size() == c.shape(0).size(), "has weights of " + graph::to_string(w) + " for an input of " +
                                               graph::to_string(c.shape(0)) + ", needs as many dimensions");
  if (w.size() == 3) w.insert(w.begin() + 2, 1);
  require_scales_along(c, weights.quantization, 0);
  v.window = window_of(c, x, {w[2], w[3]});
  c.require(v.window.kernel == graph::Hw{w[2], w[3]},
            fmt::format("has kernel_shape {}x{} and weights of {}, needs the same", v.window.kernel.h,
                        v.window.kernel.w, graph::to_string(w)));
  v.groups = c.integer("group");
  c.require(v.groups > 0 && x[1] % v.groups == 0 && w[1] == x[1] / v.groups && w[0] % v.groups == 0,
            fmt::format("has weights of {} and {} groups, needs groups that divide them and {} channels",
                        graph::to_string(w), v.groups, x[1]));
  v.x = images(c);
  if (c.has(2)) {
    v.biases.push_back(c.bias(2));
    c.require(c.shape(2) == Shape{w[0]},
              fmt::format("has a bias of {}, needs {} numbers", graph::to_string(c.shape(2)), w[0]));
  }
  const Shape out = like_input(c, windows(c, x, v.window, w[0]));
  v.weights = std::make_shared<const Int8Constant>(std::move(weights));
  c.set(deferred(c, std::make_shared<const Convolution>(std::move(v))), out);
}

/// Weights of a ConvTranspose, C outputs / groups H W, as those of the convolution that computes it: outputs
/// first, each kernel back to front.
Int8Constant turned_around(const Int8Constant& w, std::int64_t groups) {
  const std::int64_t inputs = w.shape[0] / groups, outputs = w.shape[1], taps = w.shape[2] * w.shape[3];
  Int8Constant result{{}, w.quantization, {groups * outputs, inputs, w.shape[2], w.shape[3]}, w.origins};
  result.values.reserve(w.values.size());
  for (std::int64_t o = 0; o < groups * outputs; ++o)
    for (std::int64_t i = 0; i < inputs; ++i)
      for (std::int64_t tap = taps; tap-- > 0;) {
        const std::int64_t from = ((o / outputs * inputs + i) * outputs + o % outputs) * taps + tap;
        result.values.push_back(w.values[static_cast<std::size_t>(from)]);
      }
  graph::Quantization& q = result.quantization;
  if (!w.quantization.per_channel()) return result;
  q = {{}, {}, 0};
  for (std::int64_t o = 0; o < groups * outputs; ++o) {
    const auto channel = static_cast<std::size_t>(o % outputs);
    q.scale.push_back(w.quantization.scale[channel]);
    q.zero_point.push_back(w.quantization.zero_point[channel]);
  }
  return result;
}

/// The images with zeros between their pixels, of which a convolution of stride 1 makes the result.
Quantized spread_out(const Context& c, const Quantized& x, const tensor::WindowAttributes& a) {
  Integers before(4, 0), after(4, 0), apart(4, 1);
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t span = (a.kernel[d] - 1) * a.dilation[d];
    before[d + 1] = span - a.before[d];
    after[d + 1] = span - a.after[d];
    apart[d + 1] = a.stride[d];
  }
  const graph::Quantization q = c.quantization(x);
  const tensor::Composer composer(c.network(), c.name() + "/spread", c.where(), q);
  const Value spread =
      composer.pad(c.network().value_of(x.id), before, after, q.zero_point[0], graph::Outside::Fill, apart);
  return {spread.id, x.perm};
}

void transposed_conv(const Context& c) {
  c.require(!c.is_constant(0), "reads constants alone, needs a computed value");
  Int8Constant weights = c.int8_constant(1);
  Shape& w = weights.shape;
  const Shape x = image_shape(c);
  c.require(w.size() == c.shape(0).size(), "has weights of " + graph::to_string(w) + " for an input of " +
                                               graph::to_string(c.shape(0)) + ", needs as many dimensions");
  require_scales_along(c, weights.quantization, 1);
  tensor::WindowAttributes a = tensor::transposed_window_of(c, c.shape(0), w);
  if (w.size() == 3) {
    w.insert(w.begin() + 2, 1);
    for (Integers* line : {&a.kernel, &a.stride, &a.dilation}) line->insert(line->begin(), 1);
    for (Integers* line : {&a.before, &a.after}) line->insert(line->begin(), 0);
  }
  Convolution v;
  v.groups = c.integer("group");
  if (c.has(2)) {
    v.biases.push_back(c.bias(2));
    c.require(
        c.shape(2) == Shape{w[1] * v.groups},
        fmt::format("has a bias of {}, needs {} numbers", graph::to_string(c.shape(2)), w[1] * v.groups));
  }
  v.window = {{a.kernel[0], a.kernel[1]}, {}, {a.dilation[0], a.dilation[1]}, {}};
  v.x = spread_out(c, images(c), a);
  const Shape out = like_input(c, windows(c, c.model_shape(v.x), v.window, w[1] * v.groups));
  v.weights = std::make_shared<const Int8Constant>(turned_around(weights, v.groups));
  c.set(deferred(c, std::make_shared<const Convolution>(std::move(v))), out);
}

/// A matrix product with constant weights that waits for its output's scale.
struct Dense {
  Context c;
  Quantized x;
  Weights weights;  ///< [outputs, inputs]
  Likeness likeness = Likeness::Same;
  std::vector<Bias> biases;
  bool joined = false;  ///< whether an operator after it joined

  Quantized emit(const Request& request) const {
    const graph::Quantization from = c.quantization(x);
    const graph::Quantization& q = weights->quantization;
    const std::int64_t outputs = weights->shape[0];
    const graph::TensorId w = c.graph().add_constant(c.name() + "/weights", DataType::Int8, weights->shape,
                                                     graph::to_bytes(weights->values), q,
                                                     graph::as(weights->origins.list(), likeness));
    graph::FullyConnected op{from.zero_point[0], weight_zero_point(c, q), {}};
    const graph::TensorId b = bias_tensor(c, biases, from.scale[0], q.scale, outputs);
    op.out =
        stage(request, graph::convolution_multipliers(from.scale[0], q.scale, request.quantization.scale[0]),
              accumulator_bounds(c, q, weights->values, outputs, from.zero_point[0], b));
    return c.add(c.name(), std::move(op), {x.id, w, b}, request.quantization, x.perm);
  }
};

Deferred deferred(const Dense& dense) {
  Deferred d;
  d.quantize = [dense](const Request& request) {
    Dense ready = dense;
    ready.weights = settled(dense.weights, dense.biases, dense.joined, dense.c.quantization(dense.x),
                            request.quantization.scale[0]);
    return ready.emit(request);
  };
  d.with_affine = [dense](const Affine& affine) {
    Dense whole = dense;
    whole.weights = join(dense.c, affine, *dense.weights, whole.biases);
    whole.joined = true;
    return deferred(whole);
  };
  d.channels = dense.x.perm.size() - 1;
  return d;
}

/// Rows of a matrix times constant weights; `transposed` weights are [outputs, inputs].
void dense(const Context& c, bool transposed, std::vector<Bias> biases) {
  Int8Constant w = c.int8_constant(1);
  c.require(w.shape.size() == 2, "has weights of " + graph::to_string(w.shape) + ", needs 2 dimensions");
  const int outputs_axis = transposed ? 0 : 1;
  require_scales_along(c, w.quantization, outputs_axis);
  const Shape x = c.shape(0);
  c.require(!x.empty() && x.back() == w.shape[transposed ? 1 : 0],
            fmt::format("has weights of {} for an input of {}, needs {} columns in it",
                        graph::to_string(w.shape), graph::to_string(x), w.shape[transposed ? 1 : 0]));
  if (!transposed) {
    w.values = permute(w.values, w.shape, {1, 0});
    std::swap(w.shape[0], w.shape[1]);
  }
  if (w.quantization.per_channel()) w.quantization.axis = 0;
  Shape out = x;
  out.back() = w.shape[0];
  c.set(deferred({c, c.stored_as(c.quantized(0), identity_perm(x.size()), c.name()),
                  std::make_shared<const Int8Constant>(std::move(w)),
                  transposed ? Likeness::Same : Likeness::Reordered, std::move(biases)}),
        out);
}

/// Product of two activations, times one number.
struct Product {
  Context c;
  Quantized a, b;
  std::int64_t depth;  ///< terms of each sum
  std::size_t rank;
  double factor = 1;

  Quantized emit(const Request& request) const {
    const graph::Quantization p = c.quantization(a), q = c.quantization(b);
    graph::BatchMatMul op{false, false, p.zero_point[0], q.zero_point[0], {}};
    op.out = stage(request,
                   {graph::multiplier_of(p.scale[0] * q.scale[0] * factor / request.quantization.scale[0])},
                   {depth * graph::reach(op.a_zero_point) * graph::reach(op.b_zero_point)});
    return c.add(c.name(), std::move(op), {a.id, b.id}, request.quantization, identity_perm(rank));
  }
};

Deferred deferred(const Product& product) {
  Deferred d;
  d.quantize = [product](const Request& request) { return product.emit(request); };
  d.with_affine = [product](const Affine& affine) {
    const double factor = affine.factor[0];
    const bool one =
        affine.factor.size() == 1 && std::ranges::all_of(affine.offset, [](double o) { return o == 0; });
    product.c.require(one && factor > 0 && std::isfinite(factor),
                      "has a function behind it, needs one positive factor");
    Product scaled = product;
    scaled.factor *= factor;
    return deferred(scaled);
  };
  d.channels = product.rank - 1;
  return d;
}

/// Product of two activations by their last two dimensions; the others broadcast.
void product(const Context& c) {
  const Shape a = c.shape(0), b = c.shape(1);
  c.require(a.size() >= 2 && b.size() >= 2 && a.back() == b[b.size() - 2],
            "multiplies " + graph::to_string(a) + " with " + graph::to_string(b) +
                ", needs as many columns in the first as rows in the second");
  Shape out = graph::broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  out.push_back(a[a.size() - 2]);
  out.push_back(b.back());
  const Quantized x = c.stored_as(c.quantized(0), identity_perm(a.size()), c.name() + "/first");
  const Quantized y = c.stored_as(c.quantized(1), identity_perm(b.size()), c.name() + "/second");
  c.set(deferred({c, x, y, a.back(), out.size()}), out);
}

void gemm(const Context& c) {
  const double alpha = c.real("alpha"), beta = c.real("beta");
  const std::int64_t turned = c.integer("transA");
  c.require(alpha == 1 && beta == 1 && turned == 0,
            fmt::format("has alpha {}, beta {} and transA {}, needs 1, 1 and 0", alpha, beta, turned));
  c.require(c.shape(0).size() == 2 && c.shape(1).size() == 2,
            fmt::format("has inputs of {} and {}, needs 2 dimensions", graph::to_string(c.shape(0)),
                        graph::to_string(c.shape(1))));
  const bool transposed = c.integer("transB") != 0;
  std::vector<Bias> biases;
  if (c.has(2)) {
    const Shape& bias = c.shape(2);
    const Shape out = {c.shape(0)[0], c.shape(1)[transposed ? 0 : 1]};
    c.require(graph::element_count(bias) == 1 || is_row(bias, out),
              fmt::format("adds {} to {}, needs one number, or a row", graph::to_string(bias),
                          graph::to_string(out)));
    biases.push_back(c.bias(2));
  }
  dense(c, transposed, std::move(biases));
}

void matmul(const Context& c) { c.is_constant(1) ? dense(c, false, {}) : product(c); }

/// An image as a layer of each channel on its own with weights of 1, which an affine function joins.
Deferred channelwise(const Context& c, int i) {
  Convolution v;
  v.x = c.stored_as(c.quantized(i), nhwc_perm(), c.name());
  v.groups = c.shape(i)[1];
  Int8Constant ones{std::vector<std::int8_t>(static_cast<std::size_t>(v.groups), 1),
                    {{1}, {0}, -1},
                    {v.groups, 1, 1, 1},
                    {}};
  v.weights = std::make_shared<const Int8Constant>(std::move(ones));
  return deferred(c, std::make_shared<const Convolution>(std::move(v)));
}

bool is_image(const Context& c, int i) {
  return c.form<Quantized>(i) != nullptr && c.as_it_is(i).type == DataType::Float32 && c.shape(i).size() == 4;
}

/// The layer that an affine function of the channels of input i may join; nothing: there is none.
std::optional<Deferred> layer_before(const Context& c, int i) {
  if (const auto* layer = c.form<Deferred>(i))
    return layer->with_affine ? std::optional(*layer) : std::nullopt;
  if (is_image(c, i) && c.shape(0).size() == 4) return channelwise(c, i);
  return std::nullopt;
}

/// Joins the layer before it, as an affine function of each channel.
void batch_normalization(const Context& c) {
  const auto layer = layer_before(c, 0);
  c.require(layer && layer->channels == 1,
            "has no integer form but of an image, or right after a convolution or product with constant "
            "weights");
  c.require(c.outputs() == 1 && c.integer("training_mode", 0) == 0, "trains, needs to compute");
  for (const int i : {1, 2, 3, 4})
    c.require(c.is_constant(i), "has " + c.input_text(i) + ", which the model computes, needs a constant");
  const std::vector<double> scale = c.reals(1), bias = c.reals(2), mean = c.reals(3), variance = c.reals(4);
  const auto channels = static_cast<std::size_t>(c.shape(0)[1]);
  c.require(scale.size() == channels && bias.size() == channels && mean.size() == channels &&
                variance.size() == channels,
            fmt::format("has {} scales, {} biases, {} means and {} variances, needs {} of each", scale.size(),
                        bias.size(), mean.size(), variance.size(), channels));
  Affine affine;
  for (const int i : {1, 2, 3, 4}) affine.origins.add(c.as_it_is(i).origins, Likeness::From);
  for (std::size_t o = 0; o < channels; ++o) {
    affine.factor.push_back(scale[o] / std::sqrt(variance[o] + c.real("epsilon")));
    affine.offset.push_back(bias[o] - mean[o] * affine.factor[o]);
  }
  c.set(layer->with_affine(affine), c.shape(0));
}

void divide(const Context& c) {
  c.require(
      join_affine(c) || set_function(c),
      "has no integer form but of one tensor and single numbers, or by a constant for each channel of an "
      "image or of a layer's result");
}

constexpr Rule kLayerRules[] = {
    {"BatchNormalization", batch_normalization},
    {"Conv", conv},
    {"ConvTranspose", transposed_conv},
    {"Div", divide},
    {"Gemm", gemm},
    {"MatMul", matmul},
};

}  // namespace

bool is_row(const Shape& constant, const Shape& result) {
  if (constant.empty() || constant.size() > result.size()) return false;
  return constant.back() == result.back() && graph::element_count(constant) == result.back();
}

bool is_along(const Shape& constant, const Shape& result, std::size_t axis) {
  if (constant.size() > result.size()) return false;
  if (graph::element_count(constant) == 1) return true;
  const std::size_t skipped = result.size() - constant.size();
  for (std::size_t d = 0; d < constant.size(); ++d)
    if (constant[d] != (d + skipped == axis ? result[axis] : 1)) return false;
  return axis >= skipped;
}

namespace {

/// An Add, Sub, Mul or Div of input i and a constant as an affine function of input i.
Affine affine_of(const Context& c, int i) {
  std::vector<double> values = c.reals(1 - i);
  Affine affine{{1}, {0}, c.as_it_is(1 - i).origins};
  if (c.op() == "Add" || c.op() == "Sub") {
    if (c.op() == "Sub" && i == 0)
      for (double& v : values) v = -v;
    if (c.op() == "Sub" && i == 1) affine.factor = {-1};
    affine.offset = std::move(values);
  } else {
    if (c.op() == "Div")
      for (double& v : values) v = 1 / v;
    affine.factor = std::move(values);
  }
  return affine;
}

/// Input i, an int8 tensor, times one positive number: its scale alone changes.
std::optional<Deferred> scaled(const Context& c, int i, const Affine& affine) {
  const auto* x = c.form<Quantized>(i);
  const bool one = affine.factor.size() == 1 && affine.offset == std::vector<double>{0};
  if (x == nullptr || c.as_it_is(i).type != DataType::Float32 || !one) return std::nullopt;
  const double factor = affine.factor[0];
  if (!(factor > 0) || !std::isfinite(factor)) return std::nullopt;
  Deferred d;
  d.quantize = [c, v = *x, factor](const Request& request) {
    const graph::Quantization from = c.quantization(v);
    const auto m = graph::multiplier_of(from.scale[0] * factor / request.quantization.scale[0]);
    return c.add(c.name(), graph::Requantize{from.zero_point[0], stage(request, {m}, {255})}, {v.id},
                 request.quantization, v.perm);
  };
  return d;
}

/// Whether no channel is lost, or beyond all numbers.
bool keeps_channels(const Affine& affine) {
  return std::ranges::all_of(affine.factor, [](double f) { return f != 0 && std::isfinite(f); });
}

}  // namespace

bool join_affine(const Context& c) {
  for (const int i : {0, 1}) {
    if (!c.is_constant(1 - i) || c.as_it_is(i).pending == nullptr || (i == 1 && c.op() == "Div")) continue;
    const bool is_tensor = c.form<Quantized>(i) != nullptr;
    const Affine affine = affine_of(c, i);
    if (is_tensor && !keeps_channels(affine)) continue;
    auto layer = layer_before(c, i);
    if (!is_along(c.shape(1 - i), c.shape(i), layer ? layer->channels : 0)) continue;
    auto result = scaled(c, i, affine);
    if (!layer && !result) continue;
    if (!result)
      result = layer->with_affine(affine);
    else if (layer)
      result->with_affine = [layer = *layer, affine](const Affine& next) {
        return layer.with_affine(affine).with_affine(next);
      };
    result->channels = layer ? layer->channels : 0;
    result->function = element_function(c);
    c.set(std::move(*result), c.shape(i));
    return true;
  }
  return false;
}

std::span<const Rule> layer_rules() { return kLayerRules; }

}  // namespace vdla::import::integer
