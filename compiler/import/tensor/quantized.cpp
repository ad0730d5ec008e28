// SPDX-License-Identifier: Apache-2.0
// Operators that quantise, and those on quantised tensors, as ONNX defines them: integers inside, float
// scales.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "compiler/graph/shape.h"
#include "compiler/import/tensor/node_window.h"
#include "compiler/import/tensor/steps.h"
#include "support/ceil_div.h"

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

/// One element for each block of `block` elements of x along `axis`, repeated for each element.
Value along_blocks(const Node& c, const Value& v, const Shape& x, std::size_t axis, std::int64_t block) {
  Shape blocks = x;
  if (!x.empty()) blocks[axis] = ceil_div(x[axis], block);
  c.require(!x.empty() && v.shape == blocks, "has scales of shape " + graph::to_string(v.shape) +
                                                 " for blocks of " + std::to_string(block) + ", needs " +
                                                 graph::to_string(blocks));
  Shape apart = v.shape, repeated = v.shape, together = v.shape;
  const auto after = static_cast<std::ptrdiff_t>(axis) + 1;
  apart.insert(apart.begin() + after, 1);
  repeated.insert(repeated.begin() + after, block);
  together[axis] *= block;
  return c.part(c.reshape(c.broadcast(c.reshape(v, apart), repeated), together), axis, 0, x[axis]);
}

/// Input i of QuantizeLinear or DequantizeLinear as it broadcasts over input 0.
Value scale_like(const Node& c, int i) {
  const Shape& x = c.in(0).shape;
  const std::size_t axis = x.empty() ? 0 : c.axis(x.size() > 1 ? c.integer("axis", 1) : 0, x.size());
  const std::int64_t block = c.integer("block_size", 0);
  c.require(block >= 0 && block <= graph::kLargestTensor, "has block_size " + std::to_string(block));
  return block == 0 ? along(c, c.in(i), x.size(), axis) : along_blocks(c, c.in(i), x, axis, block);
}

/// The type that an attribute states, or `otherwise`.
DataType stated_type(const Node& c, const char* attribute, DataType otherwise) {
  const std::int64_t code = c.integer(attribute, 0);
  return code == 0 ? otherwise : type_of(static_cast<int>(code), c.where());
}

void quantize_linear(const Node& c) {
  c.require(stated_type(c, "precision", DataType::Float32) == DataType::Float32,
            "has another precision than float");
  const Value zero =
      c.has(2) ? scale_like(c, 2) : c.scalar(stated_type(c, "output_dtype", DataType::UInt8), 0);
  c.require(stated_type(c, "output_dtype", zero.type) == zero.type,
            "has an output_dtype other than its zero point");
  c.set(c.map("QuantizeLinear", {c.in(0), scale_like(c, 1), zero}, [](const auto& v) {
    return quantised(expr::cast(DType::F32, v[0]), expr::cast(DType::F32, v[1]), v[2]);
  }));
}

/// The product is rounded once, from float32.
void dequantize_linear(const Node& c) {
  std::vector<Value> inputs = {c.in(0), scale_like(c, 1)};
  if (c.has(2)) inputs.push_back(scale_like(c, 2));
  const DType type = graph::dtype_of(stated_type(c, "output_dtype", inputs[1].type));
  c.set(c.map("DequantizeLinear", inputs, [&](const auto& v) {
    return expr::cast(type,
                      dequantised(v[0], v[1], v.size() > 2 ? v[2] : Scalar(expr::number(0, DType::I32))));
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

/// Largest magnitude of an element less its zero point, whatever that is where the model computes it.
std::int64_t reach(const Value& x, const Value& zero) {
  const DType type = graph::dtype_of(x.type);
  const std::int64_t low = expr::min_value(type), high = expr::max_value(type);
  if (!zero.constant()) return high - low;
  std::int64_t most = 0;
  for (const std::int64_t z : integers_of(zero)) most = std::max({most, high - z, z - low});
  return most;
}

/// Sums of `depth` products each of x with w, both less their zero points, and a bias of up to `bias` stay
/// inside int32. Where the types alone do not say so, constant weights do, which are summed along all axes
/// but those of `kept` (the outputs).
void check_sums(const Node& c, std::int64_t depth, const Value& x, const Value& x_zero, const Value& w,
                const Value& w_zero, const Integers& kept, std::int64_t bias) {
  const std::int64_t x_reach = reach(x, x_zero);
  std::int64_t most = 0;
  if (__builtin_mul_overflow(x_reach * reach(w, w_zero), depth, &most)) most = INT64_MAX / 2;
  if (most + bias > INT32_MAX && w.constant() && w_zero.constant()) {
    Integers summed;
    for (std::size_t d = 0; d < w.rank(); ++d)
      if (std::ranges::find(kept, static_cast<std::int64_t>(d)) == kept.end())
        summed.push_back(static_cast<std::int64_t>(d));
    const Value magnitudes = c.map("Magnitude", {centred(c, w, &w_zero)}, [](const auto& v) {
      return expr::cast(DType::I64, expr::maximum(v[0], -v[0]));
    });
    const Value sums = c.fold(Reducer::Sum, magnitudes, summed, false);
    if (sums.constant()) {
      const Integers values = integers_of(sums);
      most = values.empty() ? 0 : *std::ranges::max_element(values) * x_reach;
    }
  }
  c.require(most + bias <= INT32_MAX,
            "has sums of up to " + std::to_string(most + bias) + " (" + std::to_string(depth) +
                " products each" + (bias > 0 ? " and a bias" : "") +
                "), and int32, in which they are defined, ends at " + std::to_string(INT32_MAX) +
                "; needs fewer terms in a sum, or smaller weights");
}

Value integer_convolution(const Node& c, const Value& x, const Value& x_zero, const Value& w,
                          const Value& w_zero, std::int64_t bias = 0) {
  c.require(x.rank() >= 3 && w.rank() == x.rank(),
            "needs data N C and spatial dimensions and weights of as many dimensions, has " +
                graph::to_string(x.shape) + " and " + graph::to_string(w.shape));
  const WindowAttributes a = window_of(c, Shape(x.shape.begin() + 2, x.shape.end()), kernel_of(c, w));
  check_sums(c, w.count() / std::max<std::int64_t>(1, w.shape[0]), x, x_zero, w, w_zero, {0}, bias);
  return convolve(c, centred(c, x, &x_zero), centred(c, w, &w_zero), a, c.integer("group"));
}

void conv_integer(const Node& c) {
  const Value &x = c.in(0), &w = c.in(1);
  c.set(integer_convolution(c, x, optional_zero(c, 2, 0, 0, x), w, optional_zero(c, 3, w.rank(), 0, w)));
}

Value integer_product(const Node& c, const Value& a, const Value& a_zero, const Value& b,
                      const Value& b_zero) {
  // Every dimension of b but the one that is summed.
  Integers kept;
  for (std::size_t d = 0; d < b.rank(); ++d)
    if (d + 2 != b.rank()) kept.push_back(static_cast<std::int64_t>(d));
  check_sums(c, a.shape.back(), a, a_zero, b, b_zero, kept, 0);
  return c.matmul(centred(c, a, &a_zero), centred(c, b, &b_zero));
}

void matmul_integer(const Node& c) {
  const Value &a = c.in(0), &b = c.in(1);
  c.require(a.rank() >= 2 && b.rank() >= 2, "needs at least two dimensions of each input");
  const Value a_zero = optional_zero(c, 2, a.rank(), a.rank() - 2, a);
  const Value b_zero = optional_zero(c, 3, b.rank(), b.rank() - 1, b);
  c.set(integer_product(c, a, a_zero, b, b_zero));
}

/// Integer accumulators of real value a_scale * b_scale * acc to the output's quantisation.
Value requantised(const Node& c, const Value& acc, const Value& a_scale, const Value& b_scale,
                  const Value& y_scale, const Value& y_zero) {
  return c.map("Requantize", {acc, a_scale, b_scale, y_scale, y_zero}, [](const auto& v) {
    const auto real = [](const expr::Value& s) { return expr::cast(DType::F32, s); };
    return quantised(real(v[0]) * (real(v[1]) * real(v[2])), real(v[3]), v[4]);
  });
}

void qlinear_conv(const Node& c) {
  const Value &x = c.in(0), &w = c.in(3);
  // A bias that the model computes can be any int32: then the sum with it is one of int64.
  const bool known_bias = !c.has(8) || c.in(8).constant();
  std::int64_t bias = 0;
  if (c.has(8) && known_bias)
    for (const std::int64_t v : integers_of(c.in(8))) bias = std::max(bias, std::abs(v));
  Value acc = integer_convolution(c, x, c.reshape(c.in(2), {}), w, along(c, c.in(5), w.rank(), 0), bias);
  if (c.has(8)) {
    Value b = along(c, c.in(8), acc.rank(), 1);
    if (!known_bias) {
      acc = c.cast(acc, DataType::Int64);
      b = c.cast(b, DataType::Int64);
    }
    acc = c.binary(BinaryOp::Add, acc, b);
  }
  c.set(requantised(c, acc, c.reshape(c.in(1), {}), along(c, c.in(4), acc.rank(), 1), c.reshape(c.in(6), {}),
                    c.reshape(c.in(7), {})));
}

void qlinear_matmul(const Node& c) {
  const Value &a = c.in(0), &b = c.in(3);
  c.require(a.rank() >= 2 && b.rank() >= 2, "needs at least two dimensions of each input");
  const auto row = [&](int i) { return along(c, c.in(i), a.rank(), a.rank() - 2); };
  const auto column = [&](int i) { return along(c, c.in(i), b.rank(), b.rank() - 1); };
  const Value a_zero = row(2), b_zero = column(5);
  const Value acc = integer_product(c, a, a_zero, b, b_zero);
  c.set(requantised(c, acc, row(1), column(4), c.reshape(c.in(6), {}), c.reshape(c.in(7), {})));
}

/// Scale and zero point from the range of the values, 0 included; a range of 0 alone has scale 1.
void dynamic_quantize(const Node& c) {
  const Value& x = c.in(0);
  Integers all;
  for (std::size_t d = 0; d < x.rank(); ++d) all.push_back(static_cast<std::int64_t>(d));
  const auto zero_too = [&](Reducer r, BinaryOp op) {
    return c.binary(op, c.fold(r, x, all, false), c.scalar(x.type, 0));
  };
  const Value low = zero_too(Reducer::Min, BinaryOp::Min), high = zero_too(Reducer::Max, BinaryOp::Max);
  const Value scale = c.map("Scale", {low, high}, [](const auto& v) {
    const auto number = [&](double n) { return expr::Value(expr::float_imm(n, v[0].dtype())); };
    return select(v[0] == v[1], number(1), (v[1] - v[0]) / number(255));
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
