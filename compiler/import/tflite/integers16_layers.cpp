// SPDX-License-Identifier: Apache-2.0
// Layers and reductions of 16-bit integers with scales.
#include <fmt/format.h>

#include "compiler/graph/requant.h"
#include "compiler/import/tflite/integers16.h"
#include "compiler/import/tflite/window.h"

namespace vdla::import::tflite {
namespace {

using graph::Multiplier;
using tensor::kMostTerms16;
using tensor::kReach16;
using tensor::Layer16;

/// Inputs of a layer, and the weights' dimension of outputs.
struct Places16 {
  int data, weights, bias;
  std::size_t outputs;
};

/// The reference adds up in the type of the bias.
enum class Biases : std::uint8_t { Int64, Int64OrInt32, Int64OrInt16 };

std::optional<Value> bias_of(const Operation& c, int i, std::int64_t outputs, Biases types) {
  if (!c.has(i)) return std::nullopt;
  Value bias = c.in(i);
  const bool narrow = types == Biases::Int64OrInt32, shorter = types == Biases::Int64OrInt16;
  c.require(bias.type == DataType::Int64 || (narrow && bias.type == DataType::Int32) ||
                (shorter && bias.type == DataType::Int16),
            fmt::format("has a bias of {}, needs int64{}", graph::name_of(bias.type),
                        narrow    ? " or int32"
                        : shorter ? " or int16"
                                  : ""));
  c.require(bias.constant(), "has a bias that the model computes, needs a constant");
  c.require(bias.count() == outputs,
            fmt::format("has a bias of {} for {} outputs", graph::to_string(bias.shape), outputs));
  return bias;
}

/// `without`: the type in which a layer without a bias adds up.
Layer16 layer_of(const Operation& c, const Places16& at, Biases types,
                 TensorType without = TensorType::INT64) {
  wide(c, at.data);
  const Value w = c.in(at.weights);
  c.require(c.quantised_input(at.weights) && w.type == DataType::Int8 && w.constant(),
            fmt::format("has {} of {}{} as weights, needs constants of int8 with a scale",
                        w.constant() ? "constants" : "computed values", graph::name_of(w.type),
                        c.quantised_input(at.weights) ? " with a scale" : ""));
  for (const std::int32_t zero : c.quantization(at.weights).zero_point)
    c.require(zero == 0, fmt::format("has weights of zero point {}, needs 0", zero));
  c.require(w.rank() > at.outputs && w.count() > 0,
            fmt::format("has weights of {}, needs more dimensions", graph::to_string(w.shape)));
  auto bias = bias_of(c, at.bias, w.shape[at.outputs], types);
  const bool narrow = bias ? bias->type == DataType::Int32 : without == TensorType::INT32;
  Layer16 layer = tensor::layer16(c, w, at.outputs, std::move(bias), narrow);
  require_sums(c, layer);
  return layer;
}

/// Sums by a multiplier for each output, or for all.
Value in_steps(const Operation& c, const Layer16& layer, const Value& sums, std::size_t axis,
               const std::vector<Multiplier>& multipliers, Activation activation) {
  const auto count = static_cast<std::int64_t>(multipliers.size());
  c.require(count == 1 || count == sums.shape[axis],
            fmt::format("has {} scales for {} outputs, needs one, or one for each", count, sums.shape[axis]));
  require_multipliers(c, layer, multipliers);
  return tensor::steps16(c, layer, sums, axis, multipliers, result16(c, activation));
}

std::vector<Multiplier> multipliers_of(const Operation& c, const Places16& at) {
  return graph::convolution_multipliers(c.quantization(at.data).scale[0], c.quantization(at.weights).scale,
                                        c.output_quantization(0).scale[0]);
}

Multiplier multiplier_of_inputs(const Operation& c) {
  return multiplier_of_product(c.quantization(0), c.quantization(1), c.output_quantization(0).scale[0]);
}

/// The image in channels first, in the type of the sums.
Value image_of(const Operation& c, const Layer16& layer, int i) {
  return c.cast(c.channels_first(c.in(i)), layer.weights.type);
}

void conv16(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_Conv2DOptions);
  constexpr Places16 kAt{0, 1, 2, 0};
  const Value x = c.in(0), w = c.ranked(1, 4);
  const WindowAttributes a = window_of(c, x, w.shape[1], w.shape[2], o, {o.dilation_h(), o.dilation_w()});
  const Layer16 layer = layer_of(c, kAt, Biases::Int64OrInt32, o.bias_type());
  const Value sums = tensor::convolve(c, image_of(c, layer, 0), c.transpose(layer.weights, {0, 3, 1, 2}), a,
                                      groups_of(c, x, w));
  c.set(c.channels_last(in_steps(c, layer, sums, 1, multipliers_of(c, kAt), o.activation())));
}

/// Weights are 1 H W outputs; output i reads input i / multiplier.
void depthwise16(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_DepthwiseConv2DOptions);
  constexpr Places16 kAt{0, 1, 2, 3};
  const Value x = c.in(0), w = c.ranked(1, 4);
  const WindowAttributes a = window_of(c, x, w.shape[1], w.shape[2], o, {o.dilation_h(), o.dilation_w()});
  require_depthwise(c, x, w);
  const Layer16 layer = layer_of(c, kAt, Biases::Int64);
  const Value sums =
      tensor::convolve(c, image_of(c, layer, 0), c.transpose(layer.weights, {3, 0, 1, 2}), a, x.shape[3]);
  c.set(c.channels_last(in_steps(c, layer, sums, 1, multipliers_of(c, kAt), o.activation())));
}

/// Inputs: output shape, weights O H W I, data, optional bias.
void transpose_conv16(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_TransposeConvOptions);
  constexpr Places16 kAt{2, 1, 3, 0};
  const Value x = c.in(2), w = c.ranked(1, 4);
  const WindowAttributes a = transposed_window_of(c, x, w);
  const Layer16 layer = layer_of(c, kAt, Biases::Int64OrInt16);
  const Value sums =
      tensor::convolve_transposed(c, image_of(c, layer, 2), c.transpose(layer.weights, {3, 0, 1, 2}), a, 1);
  c.set(c.channels_last(in_steps(c, layer, sums, 1, multipliers_of(c, kAt), o.activation())));
}

void fully_connected16(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_FullyConnectedOptions);
  constexpr Places16 kAt{0, 1, 2, 0};
  const Value x = c.in(0), w = c.in(1);
  const RowsOf shapes = rows_of(c, x, w);
  const Layer16 layer = layer_of(c, kAt, Biases::Int64OrInt32, o.bias_type());
  const Value rows = c.cast(c.reshape(x, shapes.rows), layer.weights.type);
  const Value sums = c.reshape(c.matmul(rows, layer.weights, false, true), shapes.out);
  const std::vector<Multiplier> multipliers = c.quantization(1).per_channel()
                                                  ? multipliers_of(c, kAt)
                                                  : std::vector<Multiplier>{multiplier_of_inputs(c)};
  c.set(in_steps(c, layer, sums, shapes.out.size() - 1, multipliers, o.activation()));
}

void batch_matmul16(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_BatchMatMulOptions);
  const Value a = wide(c, 0), b = wide(c, 1);
  c.require(a.rank() >= 2 && b.rank() >= 2, "needs two matrices or batches of them");
  Layer16 layer;
  layer.most = a.shape[a.rank() - (o.adj_x() ? 2 : 1)] * kReach16 * kReach16;
  require_sums(c, layer);
  const Value sums = c.matmul(c.cast(a, DataType::Int64), c.cast(b, DataType::Int64), o.adj_x(), o.adj_y());
  c.set(in_steps(c, layer, sums, 0, {multiplier_of_inputs(c)}, Activation::NONE));
}

using Pool16 = Value (*)(const tensor::Composer&, const Value&, const WindowAttributes&,
                         const tensor::Result16&);
void pool16(const Operation& c, Pool16 pooled) {
  const auto& o = c.options(&Operator::builtin_options_as_Pool2DOptions);
  const Value x = wide(c, 0);
  const WindowAttributes a = window_of(c, x, o.filter_h(), o.filter_w(), o, {1, 1});
  c.require(a.kernel[0] * a.kernel[1] <= kMostTerms16,
            fmt::format("has a window of {}x{}, needs {} elements at most, whose sum int32 has room for",
                        a.kernel[0], a.kernel[1], kMostTerms16));
  require_same_scale16(c, 0);
  c.set(c.channels_last(pooled(c, c.channels_first(x), a, result16(c, o.activation()))));
}
void max_pool16(const Operation& c) { pool16(c, tensor::largest16); }
void average_pool16(const Operation& c) { pool16(c, tensor::average16); }

/// Sums in int32; what they are multiplied by makes means of them.
void reduce16(const Operation& c, bool mean) {
  const Value x = wide(c, 0);
  const Integers axes = c.axes(c.integers(1, "axes"), x.rank());
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= x.shape[static_cast<std::size_t>(axis)];
  c.require(
      count > 0 && count <= kMostTerms16,
      fmt::format("sums {} elements, needs 1 to {}, whose sum int32 has room for", count, kMostTerms16));
  const double in = c.quantization(0).scale[0], out = c.output_quantization(0).scale[0];
  const Multiplier m = mean ? graph::mean_multiplier(in, out, count) : graph::multiplier_of(in / out);
  require_room(c, m, count * kReach16);
  const bool keeps = c.options(&Operator::builtin_options_as_ReducerOptions).keep_dims();
  const Value sums = c.fold(expr::Reducer::Sum, c.cast(x, DataType::Int32), axes, keeps);
  c.set(c.Composer::map(
      c.op(), {sums},
      [&](const auto& v) { return tensor::limited(tensor::multiplied(m, v[0]), tensor::kEnds16); },
      c.output_quantization(0)));
}
void mean16(const Operation& c) { reduce16(c, true); }
void sum16(const Operation& c) { reduce16(c, false); }

constexpr Row16 kLayers16[] = {
    {"AVERAGE_POOL_2D", average_pool16},
    {"BATCH_MATMUL", batch_matmul16},
    {"CONV_2D", conv16},
    {"DEPTHWISE_CONV_2D", depthwise16},
    {"FULLY_CONNECTED", fully_connected16},
    {"MAX_POOL_2D", max_pool16},
    {"MEAN", mean16},
    {"SUM", sum16},
    {"TRANSPOSE_CONV", transpose_conv16},
};

}  // namespace

std::span<const Row16> layers16() { return kLayers16; }

}  // namespace vdla::import::tflite
