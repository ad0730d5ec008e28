// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/winograd.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/targets/gpu/templates/flat.h"
#include "compiler/targets/gpu/templates/stages.h"
#include "support/ceil_div.h"

namespace vdla::pipeline::gpu {
namespace {

using expr::Tensor;
using expr::Value;

/// Pixels of an output tile and of an input tile along one side, and the products of both.
constexpr std::int64_t kOut = 2, kIn = 4, kProducts = kIn * kIn;
constexpr std::int64_t kFewestChannels = 16;

/// The two pixels that row `a` of the data's transform reads, and the sign of the second: rows of
/// [1 0 -1 0], [0 1 1 0], [0 -1 1 0], [0 1 0 -1].
struct DataRow {
  Value first, second, sign;
};
DataRow data_row(const Value& a) {
  return {select(a == 0, 0, select(a == 2, 2, 1)), select(a < 2, 2, select(a == 2, 1, 3)),
          select(a == 1, 1.0, -1.0)};
}

/// Sign in column r of row i of the results' transform, [1 1 1 0], [0 1 -1 -1], where the row has its number:
/// r behind i.
Value result_sign(const Value& i, std::int64_t r) {
  return r == 0 ? Value(expr::number(1, expr::DType::F32)) : select(i == 0, 1.0, -1.0);
}

/// [16][in][out] of weights [out][in][3][3].
graph::SharedBytes transformed(const graph::Tensor& weights) {
  constexpr double kRows[kIn][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  const std::int64_t out = weights.shape[0], in = weights.shape[1];
  std::vector<float> from(static_cast<std::size_t>(out * in * 9));
  std::memcpy(from.data(), weights.data->data(), from.size() * sizeof(float));
  std::vector<float> to(static_cast<std::size_t>(kProducts * in * out));
  for (std::int64_t o = 0; o < out; ++o)
    for (std::int64_t c = 0; c < in; ++c)
      for (std::int64_t a = 0; a < kIn; ++a)
        for (std::int64_t b = 0; b < kIn; ++b) {
          double sum = 0;
          for (std::int64_t y = 0; y < 3; ++y)
            for (std::int64_t x = 0; x < 3; ++x)
              sum += kRows[a][y] * kRows[b][x] *
                     static_cast<double>(from[static_cast<std::size_t>(((o * in + c) * 3 + y) * 3 + x)]);
          to[static_cast<std::size_t>(((a * kIn + b) * in + c) * out + o)] = static_cast<float>(sum);
        }
  return graph::to_bytes(to);
}

}  // namespace

bool takes_winograd(const graph::Graph& graph, const graph::Node& node) {
  const auto* op = std::get_if<graph::Convolve>(&node.op);
  if (!op || op->groups != 1 || op->stride.size() != 2) return false;
  const auto is_one = [](std::int64_t n) { return n == 1; };
  if (!std::ranges::all_of(op->stride, is_one) || !std::ranges::all_of(op->dilation, is_one)) return false;
  const graph::Tensor& weights = graph.tensor(node.inputs[1]);
  return weights.constant() && weights.type == graph::DataType::Float32 && weights.shape[2] == 3 &&
         weights.shape[3] == 3 && std::min(weights.shape[0], weights.shape[1]) >= kFewestChannels;
}

Winograd add_winograd(Composer& composer, const graph::Graph& graph, const graph::Node& node) {
  const auto& op = std::get<graph::Convolve>(node.op);
  const graph::Tensor& weights = graph.tensor(node.inputs[1]);
  const graph::Shape& x = graph.tensor(node.inputs[0]).shape;
  const graph::Shape& y = graph.tensor(node.output).shape;
  const std::int64_t rows = ceil_div(y[2], kOut), columns = ceil_div(y[3], kOut),
                     tiles = y[0] * rows * columns;
  const Tensor in = composer.input(node, 0);
  const Tensor by =
      composer.constant("transformed", {kProducts, x[1], y[1]}, weights.type, transformed(weights));
  Winograd stages;
  stages.data = expr::compute("data", {kProducts, x[1], tiles}, [&](Value t, Value c, Value p) {
    const Value top = floor_mod(floor_div(p, columns), rows) * kOut - op.before[0],
                left = floor_mod(p, columns) * kOut - op.before[1], image = floor_div(p, rows * columns);
    const auto pixel = [&](const Value& row, const Value& column) {
      const Value h = top + row, w = left + column;
      return select(h >= 0 && h < x[2] && w >= 0 && w < x[3], in(image, c, h, w), 0.0);
    };
    const DataRow a = data_row(floor_div(t, kIn)), b = data_row(floor_mod(t, kIn));
    const auto along = [&](const Value& row) { return pixel(row, b.first) + b.sign * pixel(row, b.second); };
    return along(a.first) + a.sign * along(a.second);
  });
  const expr::IterVar c = expr::reduce_axis(x[1], "c");
  stages.products = expr::compute("products", {kProducts, y[1], tiles}, [&](Value t, Value k, Value p) {
    return sum(stages.data(t, c, p) * by(t, c, k), {c});
  });
  stages.result = expr::compute("out", y, [&](Value n, Value k, Value h, Value w) {
    const Value i = floor_mod(h, kOut), j = floor_mod(w, kOut),
                p = (n * rows + floor_div(h, kOut)) * columns + floor_div(w, kOut);
    std::optional<Value> all;
    for (std::int64_t r = 0; r < 3; ++r)
      for (std::int64_t q = 0; q < 3; ++q) {
        const Value part =
            result_sign(i, r) * result_sign(j, q) * stages.products((i + r) * kIn + j + q, k, p);
        all = all ? *all + part : part;
      }
    return *all;
  });
  composer.set(node, stages.result);
  return stages;
}

void schedule_winograd(schedule::Schedule& s, const Tensor& output, const Winograd& stages, const Tensor& sum,
                       const TileKnobs& knobs, const GpuProfile& profile) {
  schedule_flat(s, stages.data, Tensor(), flat_default({elements_of(stages.data)}, profile));
  schedule_tiles(s, stages.products, sum, kWinogradDims, knobs);
  schedule_flat(s, output, Tensor(), flat_default({elements_of(output)}, profile));
}

}  // namespace vdla::pipeline::gpu
