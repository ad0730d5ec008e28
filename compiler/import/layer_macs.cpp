// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/layer_macs.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace vdla::import {
namespace {

using graph::Shape;

/// How the number follows from shapes.
enum class Sums : std::uint8_t {
  LastChannel,   ///< each output takes the weights of its channel, which is the last dimension
  FirstChannel,  ///< each output takes the weights of its channel, which is dimension 1
  FromLast,      ///< each input goes to the weights of its channel, which is the last dimension
  FromFirst,     ///< each input goes to the weights of its channel, which is dimension 1
  Product,       ///< rows by columns
  Dense,         ///< each output takes a row of weights
  Steps,         ///< each step of each sequence takes all weights
};

struct LayerRow {
  std::string_view op;
  Sums sums;
  std::size_t x, first, last;  ///< input of the layer; inputs that are weights, from first to last
  std::size_t rank = 0;        ///< rank of x, where formats have two operators of the name; 0: any
};

constexpr auto kLayers = std::to_array<LayerRow>({
    {"CONV_2D", Sums::LastChannel, 0, 1, 1},
    {"CONV_3D", Sums::LastChannel, 0, 1, 1},
    {"DEPTHWISE_CONV_2D", Sums::LastChannel, 0, 1, 1},
    {"TRANSPOSE_CONV", Sums::FromLast, 2, 1, 1},
    {"CONV_3D_TRANSPOSE", Sums::FromLast, 2, 1, 1},
    {"FULLY_CONNECTED", Sums::Dense, 0, 1, 1},
    {"BATCH_MATMUL", Sums::Product, 0, 1, 1},
    {"SVDF", Sums::Steps, 0, 1, 2},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", Sums::Steps, 0, 1, 2},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", Sums::Steps, 0, 1, 8},
    {"Conv", Sums::FirstChannel, 0, 1, 1},
    {"FusedConv", Sums::FirstChannel, 0, 1, 1},
    {"ConvInteger", Sums::FirstChannel, 0, 1, 1},
    {"QLinearConv", Sums::FirstChannel, 0, 3, 3},
    {"ConvTranspose", Sums::FromFirst, 0, 1, 1},
    {"MatMul", Sums::Product, 0, 1, 1},
    {"FusedMatMul", Sums::Product, 0, 1, 1},
    {"MatMulInteger", Sums::Product, 0, 1, 1},
    {"QLinearMatMul", Sums::Product, 0, 3, 3},
    {"Gemm", Sums::Product, 0, 1, 1},
    {"GRU", Sums::Steps, 0, 1, 2},
    {"RNN", Sums::Steps, 0, 1, 2},
    {"LSTM", Sums::Steps, 0, 1, 2, 3},
    {"LSTM", Sums::Steps, 0, 1, 8, 2},
});

/// 0 where the shape has no such dimension.
std::int64_t extent(const Shape& shape, std::size_t dimension) {
  return dimension < shape.size() ? shape[dimension] : 0;
}

std::int64_t last(const Shape& shape) { return shape.empty() ? 0 : shape.back(); }

/// 0 for a product beyond 63 bits, which shapes of a damaged file have.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? 0 : result;
}

std::int64_t quotient(std::int64_t a, std::int64_t b) { return b <= 0 ? 0 : a / b; }

/// Length of the sums of a product: either factor may be turned.
std::int64_t length(const Shape& x, const Shape& y, const Shape& output) {
  if (x.size() < 2 || y.size() < 2 || output.size() < 2) return last(x);
  return quotient(product(x.end()[-1], x.end()[-2]), output.end()[-2]);
}

std::int64_t sums(const LayerRow& row, const Shape& x, const Shape& first, std::int64_t weights,
                  const Shape& output) {
  switch (row.sums) {
    case Sums::LastChannel:
      return product(graph::element_count(output), quotient(weights, last(output)));
    case Sums::FirstChannel:
      return product(graph::element_count(output), quotient(weights, extent(output, 1)));
    case Sums::FromLast:
      return product(graph::element_count(x), quotient(weights, last(x)));
    case Sums::FromFirst:
      return product(graph::element_count(x), quotient(weights, extent(x, 1)));
    case Sums::Product:
      return product(graph::element_count(output), length(x, first, output));
    case Sums::Dense:
      return product(graph::element_count(output), last(first));
    case Sums::Steps:
      return product(quotient(graph::element_count(x), last(x)), weights);
  }
  return 0;
}

}  // namespace

std::uint64_t layer_macs(std::string_view op, std::span<const Shape> inputs, const Shape& output) {
  const auto row = std::ranges::find_if(kLayers, [&](const LayerRow& r) {
    return r.op == op && r.first < inputs.size() && (r.rank == 0 || r.rank == inputs[r.x].size());
  });
  if (row == kLayers.end() || row->x >= inputs.size() || inputs[row->x].empty() || output.empty()) return 0;
  std::int64_t weights = 0;
  for (std::size_t i = row->first; i <= row->last && i < inputs.size(); ++i)
    if (!inputs[i].empty()) weights += graph::element_count(inputs[i]);
  return static_cast<std::uint64_t>(sums(*row, inputs[row->x], inputs[row->first], weights, output));
}

}  // namespace vdla::import
