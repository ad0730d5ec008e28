// SPDX-License-Identifier: Apache-2.0
// Operators that quantise, and those on quantised tensors, as ONNX defines them: integers inside, float
// scales.
#include <algorithm>

#include "compiler/import/tensor/window.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::Function;
using expr::Reducer;

/// A scale or zero point as it broadcasts: one element, or one for each index of dimension `axis`.
Value along(const Node& c, const Value& v, std::size_t rank, std::size_t axis) {
  if (v.count() == 1) return c.reshape(v, {});
  Shape shape(rank, 1);
  shape[axis] = v.count();
  return c.reshape(v, shape);
}

/// real (in f32) / scale, rounded half to even, plus zero point, limited to the type of the zero point.
expr::Value quantised(const expr::Value& x, const expr::Value& scale, const expr::Value& zero) {
  const DType type = zero.dtype();
  const expr::Value steps = expr::call(Function::RoundEven, {(x / scale).expr()});
  const auto bound = [&](std::int64_t v) {
    return expr::Value(expr::float_imm(static_cast<double>(v), DType::F32));
  };
  const expr::Value moved = steps + expr::cast(DType::F32, zero);
  return expr::cast(type, clamp(moved, bound(expr::min_value(type)), bound(expr::max_value(type))));
}

void quantize_linear(const Node& c) {
  const Value& x = c.in(0);
  const std::size_t axis = x.rank() == 0 ? 0 : c.axis(x.rank() > 1 ? c.integer("axis", 1) : 0, x.rank());
  const Value scale = along(c, c.in(1), x.rank(), axis);
  const Value zero = c.has(2) ? along(c, c.in(2), x.rank(), axis) : c.scalar(DataType::UInt8, 0);
  c.set(c.map("QuantizeLinear", {x, scale, zero}, [](const auto& v) {
    return quantised(expr::cast(DType::F32, v[0]), expr::cast(DType::F32, v[1]), v[2]);
  }));
}

void dequantize_linear(const Node& c) {
  const Value& x = c.in(0);
  const std::size_t axis = x.rank() == 0 ? 0 : c.axis(x.rank() > 1 ? c.integer("axis", 1) : 0, x.rank());
  std::vector<Value> inputs = {x, along(c, c.in(1), x.rank(), axis)};
  if (c.has(2)) inputs.push_back(along(c, c.in(2), x.rank(), axis));
  c.set(c.map("DequantizeLinear", inputs, [](const auto& v) {
    expr::Value steps = expr::cast(DType::I32, v[0]);
    if (v.size() > 2) steps = steps - expr::cast(DType::I32, v[2]);
    return expr::cast(v[1].dtype(), steps) * v[1];
  }));
}

/// x - zero point, as int32.
Value centred(const Node& c, const Value& x, const Value* zero) {
  if (zero == nullptr) return c.cast(x, DataType::Int32);
  return c.map("Centre", {x, *zero},
               [](const auto& v) { return expr::cast(DType::I32, v[0]) - expr::cast(DType::I32, v[1]); });
}

Value optional_zero(const Node& c, int i, std::size_t rank, std::size_t axis, const Value& x) {
  return c.has(i) ? along(c, c.in(i), rank, axis) : c.scalar(x.type, 0);
}

Value integer_convolution(const Node& c, const Value& x, const Value& x_zero, const Value& w,
                          const Value& w_zero) {
  c.require(x.rank() >= 3, "needs data N C and spatial dimensions, has " + graph::to_string(x.shape));
  const WindowAttributes a =
      window_of(c, Shape(x.shape.begin() + 2, x.shape.end()), Integers(w.shape.begin() + 2, w.shape.end()));
  return convolve(c, centred(c, x, &x_zero), centred(c, w, &w_zero), a, c.integer("group", 1));
}

void conv_integer(const Node& c) {
  const Value &x = c.in(0), &w = c.in(1);
  c.set(integer_convolution(c, x, optional_zero(c, 2, 0, 0, x), w, optional_zero(c, 3, w.rank(), 0, w)));
}

void matmul_integer(const Node& c) {
  const Value &a = c.in(0), &b = c.in(1);
  c.require(a.rank() >= 2 && b.rank() >= 2, "needs at least two dimensions of each input");
  const Value a_zero = optional_zero(c, 2, a.rank(), a.rank() - 2, a);
  const Value b_zero = optional_zero(c, 3, b.rank(), b.rank() - 1, b);
  c.set(c.matmul(centred(c, a, &a_zero), centred(c, b, &b_zero)));
}

/// int32 accumulators of real value a_scale * b_scale * acc to the output's quantisation.
Value requantised(const Node& c, const Value& acc, const Value& a_scale, const Value& b_scale,
                  const Value& y_scale, const Value& y_zero) {
  return c.map("Requantize", {acc, a_scale, b_scale, y_scale, y_zero}, [](const auto& v) {
    const auto real = [](const expr::Value& s) { return expr::cast(DType::F32, s); };
    return quantised(real(v[0]) * (real(v[1]) * real(v[2])), real(v[3]), v[4]);
  });
}

void qlinear_conv(const Node& c) {
  const Value &x = c.in(0), &w = c.in(3);
  Value acc = integer_convolution(c, x, c.reshape(c.in(2), {}), w, along(c, c.in(5), w.rank(), 0));
  if (c.has(8)) acc = c.binary(BinaryOp::Add, acc, along(c, c.in(8), acc.rank(), 1));
  c.set(requantised(c, acc, c.reshape(c.in(1), {}), along(c, c.in(4), acc.rank(), 1), c.reshape(c.in(6), {}),
                    c.reshape(c.in(7), {})));
}

void qlinear_matmul(const Node& c) {
  const Value &a = c.in(0), &b = c.in(3);
  c.require(a.rank() >= 2 && b.rank() >= 2, "needs at least two dimensions of each input");
  const auto row = [&](int i) { return along(c, c.in(i), a.rank(), a.rank() - 2); };
  const auto column = [&](int i) { return along(c, c.in(i), b.rank(), b.rank() - 1); };
  const Value a_zero = row(2), b_zero = column(5);
  const Value acc = c.matmul(centred(c, a, &a_zero), centred(c, b, &b_zero));
  c.set(requantised(c, acc, row(1), column(4), c.reshape(c.in(6), {}), c.reshape(c.in(7), {})));
}

/// Scale and zero point from the range of the values, 0 included.
void dynamic_quantize(const Node& c) {
  const Value& x = c.in(0);
  Integers all;
  for (std::size_t d = 0; d < x.rank(); ++d) all.push_back(static_cast<std::int64_t>(d));
  const auto zero_too = [&](Reducer r, BinaryOp op) {
    return c.binary(op, c.fold(r, x, all, false), c.scalar(x.type, 0));
  };
  const Value low = zero_too(Reducer::Min, BinaryOp::Min), high = zero_too(Reducer::Max, BinaryOp::Max);
  const Value scale = c.map("Scale", {low, high}, [](const auto& v) {
    return (v[1] - v[0]) / expr::Value(expr::float_imm(255, v[0].dtype()));
  });
  const Value zero = c.map("ZeroPoint", {low, scale}, [](const auto& v) {
    const auto number = [&](double n) { return expr::Value(expr::float_imm(n, v[0].dtype())); };
    const expr::Value point = clamp((number(0) - v[0]) / v[1], number(0), number(255));
    return expr::cast(DType::U8, expr::Value(expr::call(Function::RoundEven, {point.expr()})));
  });
  c.set(0, c.map("DynamicQuantizeLinear", {x, scale, zero},
                 [](const auto& v) { return quantised(v[0], v[1], v[2]); }));
  c.set(1, scale);
  c.set(2, zero);
}

constexpr Operator kQuantizedOperators[] = {
    {"ConvInteger", conv_integer},
    {"DequantizeLinear", dequantize_linear},
    {"DynamicQuantizeLinear", dynamic_quantize},
    {"MatMulInteger", matmul_integer},
    {"QLinearConv", qlinear_conv},
    {"QLinearMatMul", qlinear_matmul},
    {"QuantizeLinear", quantize_linear},
};

}  // namespace

std::span<const Operator> quantized_operators() { return kQuantizedOperators; }

}  // namespace vdla::import::tensor
