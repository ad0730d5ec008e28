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

/// Integer weights less their zero points.
Value weight_steps(const Operation& c, const graph::Quantization& q) {
  const Value w = c.in(1);
  c.require(w.constant(), "has weights with a scale that the model computes, needs constants");
  c.require(std::ranges::all_of(q.zero_point, [&](std::int32_t z) { return z == q.zero_point[0]; }),
            "has weights whose zero points differ, needs one");
  Integers values = tensor::integers_of(w);
  for (std::int64_t& v : values) v -= q.zero_point[0];
  Value steps = tensor::make_constant(DataType::Int32, w.shape, values);
  steps.origins = w.origins;
  return steps;
}

}  // namespace

bool scales_differ(const Operation& c) {
  if (!c.quantised_input(1)) return false;
  const std::vector<double> scale = c.quantization(1).scale;
  return std::ranges::any_of(scale, [&](double s) { return s != scale[0]; });
}

Factors factors_of(const Operation& c, const Value& x, std::size_t rank, const Integers& row, Steps steps,
                   std::int64_t depth) {
  Factors f;
  f.hybrid = c.quantised_input(1);
  if (!f.hybrid) {
    f.x = x;
    f.w = c.like(x, 1);
  } else {
    c.require(x.type == DataType::Float32,
              fmt::format("has data of {} for weights of integers, needs float32", graph::name_of(x.type)));
    constexpr std::int64_t kMost = INT32_MAX / (255 * 255);
    c.require(depth <= kMost, fmt::format("sums {} products of integers, needs {} at most", depth, kMost));
    const graph::Quantization q = c.quantization(1);
    f.w = weight_steps(c, q);
    f.w_scale =
        tensor::make_constant(DataType::Float32, {static_cast<std::int64_t>(q.scale.size())}, q.scale);
    f.x = steps == Steps::Symmetric ? symmetric(c, x, row, f.x_scale) : asymmetric(c, x, row, f.x_scale);
  }
  c.require(f.w.rank() == rank,
            fmt::format("has weights of {}, needs {} dimensions", graph::to_string(f.w.shape), rank));
  return f;
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
