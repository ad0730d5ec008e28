// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/hybrid.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tflite {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::Function;
using expr::Reducer;
using tensor::call;
using tensor::Scalar;

Scalar f32(double v) { return expr::float_imm(v, DType::F32); }
Scalar f64(double v) { return expr::float_imm(v, DType::F64); }

/// Refuses sums beyond int32.
void require_depth(const Operation& c, std::int64_t depth) {
  constexpr std::int64_t kMost = INT32_MAX / (255 * 255);
  c.require(depth <= kMost, fmt::format("sums {} products of integers, needs {} at most", depth, kMost));
}

Value symmetric(const Operation& c, const Value& x, const Integers& row, Value& scale) {
  const Value magnitudes = c.unary(Function::Abs, x);
  const Value range = c.fold(Reducer::Max, magnitudes, row, true);
  scale = c.Composer::map("RowScale", {range},
                          [](const auto& v) { return select(v[0] == f32(0), f32(1), v[0] / f32(127)); });
  return c.map("RowSteps", {x, range}, [](const auto& v) {
    const Scalar inverse = select(v[1] == f32(0), f32(0), f32(127) / v[1]);
    return expr::cast(DType::I32, clamp(tensor::call(Function::Round, v[0] * inverse), f32(-127), f32(127)));
  });
}

Value asymmetric(const Operation& c, const Value& x, const Integers& row, Value& scale) {
  const auto end = [&](Reducer reducer, BinaryOp op) {
    return c.cast(c.binary(op, c.fold(reducer, x, row, true), c.scalar(DataType::Float32, 0)),
                  DataType::Float64);
  };
  const Value low = end(Reducer::Min, BinaryOp::Min), high = end(Reducer::Max, BinaryOp::Max);
  const auto step = [](const auto& v) { return select(v[0] == v[1], f64(1), (v[1] - v[0]) / f64(255)); };
  scale = c.Composer::map("RowScale", {low, high},
                          [&](const auto& v) { return expr::cast(DType::F32, step(v)); });
  // The zero point that its end of the range gives with the smaller error.
  const Value zero = c.Composer::map("RowZero", {low, high}, [&](const auto& v) {
    const Scalar from_low = f64(-128) - v[0] / step(v), from_high = f64(127) - v[1] / step(v);
    const Scalar low_error = f64(128) + tensor::call(Function::Abs, v[0] / step(v));
    const Scalar high_error = f64(127) + tensor::call(Function::Abs, v[1] / step(v));
    const Scalar point = select(low_error < high_error, from_low, from_high);
    const Scalar whole = clamp(tensor::call(Function::Round, point), f64(-128), f64(127));
    return select(v[0] == v[1], f32(0), expr::cast(DType::F32, whole));
  });
  return c.map("RowSteps", {x, scale, zero}, [](const auto& v) {
    const Scalar moved = tensor::call(Function::Round, v[2] + v[0] * (f32(1) / v[1]));
    return expr::cast(DType::I32, clamp(moved, f32(-128), f32(127)) - v[2]);
  });
}

}  // namespace

Value weight_steps(const Operation& c, int i) {
  const Value w = c.in(i);
  c.require(w.type == DataType::Int8 && c.quantised_input(i),
            fmt::format("has weights (input {}) of {}{}, needs int8 with a scale", i, graph::name_of(w.type),
                        c.quantised_input(i) ? " with a scale" : ""));
  c.require(w.constant(), "has weights with a scale that the model computes, needs constants");
  const std::vector<std::int32_t> zeros = c.quantization(i).zero_point;
  c.require(std::ranges::all_of(zeros, [&](std::int32_t z) { return z == zeros[0]; }),
            "has weights whose zero points differ, needs one");
  Integers values = tensor::integers_of(w);
  for (std::int64_t& v : values) v -= zeros[0];
  Value steps = tensor::make_constant(DataType::Int32, w.shape, values);
  steps.origins = w.origins;
  return steps;
}

bool scales_differ(const Operation& c) {
  if (!c.quantised_input(1)) return false;
  const std::vector<double> scale = c.quantization(1).scale;
  return std::ranges::any_of(scale, [&](double s) { return s != scale[0]; });
}

WeightFactors weight_factors(const Operation& c, const Value& x, std::size_t rank, std::int64_t depth,
                             const std::vector<int>& inputs) {
  WeightFactors f;
  const bool in_steps = c.quantised_input(inputs[0]);
  f.hybrid = in_steps && !c.has_real_weights();
  std::vector<Value> parts;
  std::vector<double> scales;
  for (const int i : inputs) {
    parts.push_back(f.hybrid ? weight_steps(c, i) : in_steps ? c.reals(i) : c.like(x, i));
    c.require(parts.back().rank() == rank, fmt::format("has weights of {}, needs {} dimensions",
                                                       graph::to_string(parts.back().shape), rank));
    if (!f.hybrid) continue;
    std::vector<double> each = c.quantization(i).scale;
    if (inputs.size() > 1 && each.size() == 1)
      each.resize(static_cast<std::size_t>(parts.back().shape[0]), each[0]);
    scales.insert(scales.end(), each.begin(), each.end());
  }
  f.w = c.concat(parts, 0);
  if (!f.hybrid) return f;
  c.require(x.type == DataType::Float32,
            fmt::format("has data of {} for weights of integers, needs float32", graph::name_of(x.type)));
  require_depth(c, depth);
  f.w_scale = tensor::make_constant(DataType::Float32, {static_cast<std::int64_t>(scales.size())}, scales);
  return f;
}

Factors factors_of(const Operation& c, const Value& x, const WeightFactors& weights, const Integers& row,
                   Steps steps) {
  Factors f{weights, x, {}};
  if (f.hybrid)
    f.x = steps == Steps::Symmetric ? symmetric(c, x, row, f.x_scale) : asymmetric(c, x, row, f.x_scale);
  return f;
}

Value product_of_blocks(const Operation& c, const Value& rows, const Blocks& weights) {
  const std::int64_t size = weights.size, outputs = weights.scales.shape[0], blocks = weights.scales.shape[1];
  require_depth(c, size);
  Value scale;
  const Value steps = asymmetric(c, rows, {1}, scale);
  const auto by_block = [&](const Value& v) {
    return c.transpose(c.reshape(v, {v.shape[0], blocks, size}), {1, 0, 2});
  };
  const Value sums = c.matmul(by_block(steps), by_block(weights.steps), false, true);
  const Value scales = c.reshape(c.transpose(weights.scales, {1, 0}), {blocks, 1, outputs});
  const Value reals = c.Composer::map("BlockSums", {sums, scales},
                                      [](const auto& v) { return expr::cast(DType::F32, v[0]) * v[1]; });
  return c.binary(BinaryOp::Mul, c.fold(Reducer::Sum, reals, {0}, false), scale);
}

Value real_sums(const Operation& c, const Factors& f, const Value& sums, std::size_t axis) {
  if (!f.hybrid) return sums;
  Shape outputs(sums.rank(), 1);
  outputs[axis] = f.w_scale.count();
  c.require(f.w_scale.count() == 1 || f.w_scale.count() == sums.shape[axis],
            fmt::format("has {} scales for {} outputs, needs one, or one for each", f.w_scale.count(),
                        sums.shape[axis]));
  return c.Composer::map("RealSums", {sums, f.x_scale, c.reshape(f.w_scale, outputs)},
                         [](const auto& v) { return expr::cast(DType::F32, v[0]) * (v[1] * v[2]); });
}

}  // namespace vdla::import::tflite
