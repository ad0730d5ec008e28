// SPDX-License-Identifier: Apache-2.0
// Convolutions, pooling and matrix products of floats. Images are N H W C here and N C H W in what they are
// composed of.
#include <fmt/format.h>

#include "compiler/import/tflite/hybrid.h"
#include "compiler/import/tflite/window.h"

namespace vdla::import::tflite {
namespace {

using expr::BinaryOp;
using expr::Reducer;
using tensor::WindowAttributes;

/// Input 1, of the data's type and of `rank` dimensions.
Value weights_of(const Operation& c, const Value& x, std::size_t rank) {
  Value w = c.like(x, 1);
  c.require(w.rank() == rank,
            fmt::format("has weights of {}, needs {} dimensions", graph::to_string(w.shape), rank));
  return w;
}

/// Input i added along the last dimension, and the fused activation.
Value with_bias(const Operation& c, const Value& y, int i, std::int64_t channels, std::size_t axis,
                Activation activation) {
  if (!c.has(i)) return c.activated(y, activation);
  const Value bias = c.like(y, i);
  c.require(bias.count() == channels,
            fmt::format("has a bias of {} for {} channels", graph::to_string(bias.shape), channels));
  Shape shape(y.rank(), 1);
  shape[axis] = channels;
  return c.activated(c.binary(BinaryOp::Add, y, c.reshape(bias, shape)), activation);
}

/// An image and its weights; an image has one scale where the weights have some.
Factors image_factors(const Operation& c, Steps steps) {
  const Value x = c.in(0), w = c.in(1);
  c.require(x.rank() == 4, fmt::format("has data of {}, needs N H W C", graph::to_string(x.shape)));
  const std::int64_t depth = w.rank() == 4 ? w.shape[1] * w.shape[2] * w.shape[3] : 0;
  return factors_of(c, x, weight_factors(c, x, 4, depth), {1, 2, 3}, steps);
}

void conv_2d(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_Conv2DOptions);
  // Weights of one scale have data of the older, symmetric form.
  const Factors f = image_factors(c, scales_differ(c) ? Steps::Asymmetric : Steps::Symmetric);
  const Value &x = f.x, &w = f.w;
  const WindowAttributes a = window_of(c, x, w.shape[1], w.shape[2], o, {o.dilation_h(), o.dilation_w()});
  const std::int64_t groups = groups_of(c, x, w);
  const Value y =
      real_sums(c, f, tensor::convolve(c, c.channels_first(x), c.transpose(w, {0, 3, 1, 2}), a, groups), 1);
  c.set(c.channels_last(with_bias(c, y, 2, w.shape[0], 1, o.activation())));
}

/// Weights are 1 H W outputs; output i reads input i / multiplier.
void depthwise_conv_2d(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_DepthwiseConv2DOptions);
  const Factors f = image_factors(c, Steps::Asymmetric);
  const Value &x = f.x, &w = f.w;
  const WindowAttributes a = window_of(c, x, w.shape[1], w.shape[2], o, {o.dilation_h(), o.dilation_w()});
  require_depthwise(c, x, w);
  const Value y = real_sums(
      c, f, tensor::convolve(c, c.channels_first(x), c.transpose(w, {3, 0, 1, 2}), a, x.shape[3]), 1);
  c.set(c.channels_last(with_bias(c, y, 2, w.shape[3], 1, o.activation())));
}

/// Inputs: output shape, weights O H W I, data, optional bias.
void transpose_conv(const Operation& c) {
  const Value x = c.floats(2), w = weights_of(c, x, 4);
  const WindowAttributes a = transposed_window_of(c, x, w);
  // Weights I O H W.
  const Value y = tensor::convolve_transposed(c, c.channels_first(x), c.transpose(w, {3, 0, 1, 2}), a, 1);
  const auto& o = c.options(&Operator::builtin_options_as_TransposeConvOptions);
  c.set(c.channels_last(with_bias(c, y, 3, w.shape[0], 1, o.activation())));
}

template <class Pool>
void pool(const Operation& c, const Pool& pooled) {
  const auto& o = c.options(&Operator::builtin_options_as_Pool2DOptions);
  const Value x = c.in(0);
  const WindowAttributes a = window_of(c, x, o.filter_h(), o.filter_w(), o, {1, 1});
  c.set(c.channels_last(c.activated(pooled(c.channels_first(x), a), o.activation())));
}
void average_pool_2d(const Operation& c) {
  pool(c, [&](const Value& x, const WindowAttributes& a) { return tensor::average_pooled(c, x, a, false); });
}
void max_pool_2d(const Operation& c) {
  pool(c, [&](const Value& x, const WindowAttributes& a) { return tensor::pooled(c, x, Reducer::Max, a); });
}
/// The root of the mean of squares.
void l2_pool_2d(const Operation& c) {
  pool(c, [&](const Value& x, const WindowAttributes& a) {
    const Value squares = c.map("Square", {x}, [](const auto& v) { return v[0] * v[0]; });
    return c.unary(expr::Function::Sqrt, tensor::average_pooled(c, squares, a, false));
  });
}

/// Flattens the data to rows of the weights' depth, as the reference does.
void fully_connected(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_FullyConnectedOptions);
  const Value x = c.in(0);
  const std::optional<Blocks> blocks = c.blocks(1);
  const Value w = blocks ? blocks->steps : c.in(1);
  const RowsOf shapes = rows_of(c, x, w);
  const auto set = [&](const Value& y) {
    c.set(c.reshape(with_bias(c, y, 2, w.shape[0], 1, o.activation()), shapes.out));
  };
  if (blocks) {
    c.require(x.type == DataType::Float32,
              fmt::format("has data of {} for weights in blocks, needs float32", graph::name_of(x.type)));
    return set(product_of_blocks(c, c.reshape(x, shapes.rows), *blocks));
  }
  const std::int64_t depth = shapes.rows[1];
  const Factors f = factors_of(c, c.reshape(x, shapes.rows), weight_factors(c, x, 2, depth), {1},
                               steps_of(o.asymmetric_quantize_inputs()));
  set(real_sums(c, f, c.matmul(f.x, f.w, false, true), 1));
}

void batch_matmul(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_BatchMatMulOptions);
  const Value a = c.in(0), b = c.like(a, 1);
  c.set(c.matmul(a, b, o.adj_x(), o.adj_y()));
}

constexpr Row kLayerRows[] = {
    {"AVERAGE_POOL_2D", average_pool_2d, Takes::Floats},
    {"BATCH_MATMUL", batch_matmul, Takes::Floats},
    {"CONV_2D", conv_2d, Takes::Layer},
    {"DEPTHWISE_CONV_2D", depthwise_conv_2d, Takes::Layer},
    {"FULLY_CONNECTED", fully_connected, Takes::Layer},
    {"L2_POOL_2D", l2_pool_2d, Takes::Floats},
    {"MAX_POOL_2D", max_pool_2d, Takes::Floats},
    {"TRANSPOSE_CONV", transpose_conv, Takes::Any},
};

}  // namespace

std::span<const Row> layer_rows() { return kLayerRows; }

}  // namespace vdla::import::tflite
