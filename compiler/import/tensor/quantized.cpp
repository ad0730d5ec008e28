// SPDX-License-Identifier: Apache-2.0
// Operators that quantise, and those on quantised tensors, as ONNX defines them: integers inside, float
// scales.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "compiler/graph/shape.h"
#include "compiler/import/tensor/integer_sums.h"
#include "compiler/import/tensor/narrow.h"
#include "compiler/import/tensor/node_window.h"
#include "compiler/import/tensor/steps.h"
#include "support/ceil_div.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::Function;
using expr::Reducer;

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

/// The zero point of a narrow type as it broadcasts over input 0, in float32; nothing where there is none.
std::optional<Value> narrow_zero(const Node& c) {
  if (!c.has(2)) return std::nullopt;
  Value zero = scale_like(c, 2);
  zero.narrow = c.in(2).narrow;
  return c.cast(numbers_of(c, zero), DataType::Float32);
}

/// Elements of a narrow type: that of the zero point, or the one that output_dtype states.
void quantize_narrow(const Node& c, Narrow narrow) {
  Value scaled = c.map("Scaled", {c.in(0), scale_like(c, 1)}, [](const auto& v) {
    return expr::cast(DType::F32, v[0]) / expr::cast(DType::F32, v[1]);
  });
  if (is_integer(narrow)) scaled = c.unary(Function::RoundEven, scaled);
  if (const auto zero = narrow_zero(c)) scaled = c.binary(BinaryOp::Add, scaled, *zero);
  c.set(is_integer(narrow) ? limited(c, scaled, narrow)
                           : narrowed(c, scaled, narrow, {c.integer("saturate", 1) != 0}));
}

void quantize_linear(const Node& c) {
  c.require(stated_type(c, "precision", DataType::Float32) == DataType::Float32,
            "has another precision than float");
  const Narrow stated = narrow_of(static_cast<int>(c.integer("output_dtype", 0)));
  const Narrow narrow = c.has(2) ? c.in(2).narrow : stated;
  c.require(stated == Narrow::None || stated == narrow, "has an output_dtype other than its zero point");
  if (narrow != Narrow::None) return quantize_narrow(c, narrow);
  const Value zero =
      c.has(2) ? scale_like(c, 2) : c.scalar(stated_type(c, "output_dtype", DataType::UInt8), 0);
  c.require(stated_type(c, "output_dtype", zero.type) == zero.type,
            "has an output_dtype other than its zero point");
  c.set(c.map("QuantizeLinear", {c.in(0), scale_like(c, 1), zero}, [](const auto& v) {
    return quantised(expr::cast(DType::F32, v[0]), expr::cast(DType::F32, v[1]), v[2]);
  }));
}

/// Floats of a narrow type less their zero point, times their scale.
void dequantize_floats(const Node& c) {
  const Value scale = scale_like(c, 1);
  const DType type = graph::dtype_of(stated_type(c, "output_dtype", scale.type));
  Value x = numbers_of(c, c.in(0));
  if (const auto zero = narrow_zero(c)) x = c.binary(BinaryOp::Sub, x, *zero);
  c.set(c.map("DequantizeLinear", {x, scale},
              [&](const auto& v) { return expr::cast(type, v[0] * expr::cast(DType::F32, v[1])); }));
}

/// The product is rounded once, from float32.
void dequantize_linear(const Node& c) {
  if (const Narrow narrow = c.in(0).narrow; narrow != Narrow::None && !is_integer(narrow))
    return dequantize_floats(c);
  std::vector<Value> inputs = {c.in(0), scale_like(c, 1)};
  if (c.has(2)) inputs.push_back(scale_like(c, 2));
  const DType type = graph::dtype_of(stated_type(c, "output_dtype", inputs[1].type));
  c.set(c.map("DequantizeLinear", inputs, [&](const auto& v) {
    return expr::cast(type,
                      dequantised(v[0], v[1], v.size() > 2 ? v[2] : Scalar(expr::number(0, DType::I32))));
  }));
}

Value optional_zero(const Node& c, int i, std::size_t rank, std::size_t axis, const Value& x) {
  return c.has(i) ? along(c, c.in(i), rank, axis) : c.scalar(x.type, 0);
}

Value integer_convolution(const Node& c, const Value& x, const Value& x_zero, const Value& w,
                          const Value& w_zero, std::int64_t bias = 0) {
  c.require(x.rank() >= 3 && w.rank() == x.rank(),
            "needs data N C and spatial dimensions and weights of as many dimensions, has " +
                graph::to_string(x.shape) + " and " + graph::to_string(w.shape));
  const WindowAttributes a = window_of(c, Shape(x.shape.begin() + 2, x.shape.end()), kernel_of(c, w.shape));
  check_sums(c, w.count() / std::max<std::int64_t>(1, w.shape[0]), x, x_zero, w, w_zero, {0}, bias);
  return convolve(c, centred(c, x, &x_zero), centred(c, w, &w_zero), a, c.integer("group"));
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
  c.set(integer_product(c, a, a_zero, b, b_zero));
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

void dynamic_quantize(const Node& c) {
  const DynamicallyQuantised q = quantised_by_range(c, c.in(0));
  c.set(0, q.integers);
  c.set(1, q.scale);
  c.set(2, q.zero);
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
