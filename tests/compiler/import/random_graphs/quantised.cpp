// SPDX-License-Identifier: Apache-2.0
// Operators that quantise, and those on quantised tensors.
#include <algorithm>
#include <cmath>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

bool quantise(Sketch& s, const char*) {
  const Piece x = s.take({kFloat, 0, 5, -1e5, 1e5});
  static const Types kLater = {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::UInt16};
  s.quantised(x, s.random().one_of(s.opset() >= 21 && s.random().chance(0.2) ? kLater : kBytes));
  return true;
}

bool dequantise(Sketch& s, const char*) {
  static const Types kTypes = {DataType::Int8, DataType::UInt8, DataType::Int8, DataType::UInt8,
                               DataType::Int32};
  s.dequantised(s.take({kTypes, 0, 5, -1e6, 1e6}));
  return true;
}

/// The type is an attribute, and there is no zero point.
bool quantise_by_type(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 0, 5, -1e5, 1e5});
  const DataType type = s.random().one_of(kBytes);
  const Piece scale = s.constant_of(DataType::Float32, {}, {std::max(x.typical, 0.01) / 100});
  Written n = s.node(name);
  n.in(x).in(scale).integer("output_dtype", onnx_code(type));
  const auto [low, high] = limits(type);
  const Piece q = n.out(type, x.shape, low, high);
  if (s.random().chance(0.7)) s.dequantised(q);
  return true;
}

/// A scale for each block along the axis.
bool dequantise_blocks(Sketch& s, const char* name) {
  const std::int64_t block = s.random().one_of({2, 3}),
                     blocks = s.random().between(std::int64_t{1}, std::int64_t{2});
  const std::int64_t other = s.random().between(std::int64_t{1}, std::int64_t{4});
  const std::int64_t axis = s.random().below(2);
  const Shape shape = axis == 0 ? Shape{block * blocks, other} : Shape{other, block * blocks};
  const Shape per = axis == 0 ? Shape{blocks, other} : Shape{other, blocks};
  const Piece x = s.fresh(DataType::Int8, shape, -128, 127);
  const Piece scale = s.constant(DataType::Float32, per, 0.01, 0.1);
  Written n = s.node(name);
  n.in(x).in(scale).integer("axis", axis).integer("block_size", block);
  n.out(DataType::Float32, shape, -13, 13, true);
  return true;
}

bool dynamic(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 1, 4, -1e5, 1e5});
  Written n = s.node(name);
  n.in(x);
  n.out(DataType::UInt8, x.shape, 0, 255, false);
  n.out(DataType::Float32, {}, 0, 1e5, false);
  n.out(DataType::UInt8, {}, 0, 255, false);
  return true;
}

Piece zero_of(Sketch& s, DataType type) {
  const auto [low, high] = limits(type);
  return s.constant_of(type, {}, {std::floor(s.random().between(low, high))});
}

bool integer_product(Sketch& s, const char* name) {
  Random& r = s.random();
  const Piece x = s.take({kBytes, 2, 4});
  const std::int64_t depth = x.shape.back(), columns = r.between(std::int64_t{1}, std::int64_t{5});
  const Piece y = s.fresh(r.one_of(kBytes), {depth, columns}, -128, 255);
  const bool first = r.chance(0.6), second = first && r.chance(0.6);
  const Piece a = first ? zero_of(s, x.type) : Piece{}, b = second ? zero_of(s, y.type) : Piece{};
  Written n = s.node(name);
  n.in(x).in(y);
  if (first) n.in(a);
  if (second) n.in(b);
  Shape shape = x.shape;
  shape.back() = columns;
  n.out(DataType::Int32, shape, -65025.0 * double(depth), 65025.0 * double(depth), true);
  return true;
}

bool integer_convolution(Sketch& s, const char* name) {
  Random& r = s.random();
  static const Types kUnsigned = {DataType::UInt8};
  const Piece x = s.take({kUnsigned, 4, 4});
  const std::int64_t out = r.between(std::int64_t{1}, std::int64_t{3});
  const Shape kernel = {out, x.shape[1], r.between(std::int64_t{1}, std::min<std::int64_t>(2, x.shape[2])),
                        r.between(std::int64_t{1}, std::min<std::int64_t>(2, x.shape[3]))};
  const Piece w = s.fresh(r.chance(0.7) ? DataType::UInt8 : DataType::Int8, kernel, -128, 255);
  const bool first = r.chance(0.6), second = first && r.chance(0.6);
  const Piece a = first ? zero_of(s, x.type) : Piece{}, b = second ? zero_of(s, w.type) : Piece{};
  Written n = s.node(name);
  n.in(x).in(w);
  if (first) n.in(a);
  if (second) n.in(b);
  const double depth = 65025.0 * double(product(kernel) / out);
  n.out(DataType::Int32, {x.shape[0], out, x.shape[2] - kernel[2] + 1, x.shape[3] - kernel[3] + 1}, -depth,
        depth, true);
  return true;
}

Piece scale(Sketch& s) { return s.constant(DataType::Float32, {}, 0.005, 0.05); }

bool quantised_product(Sketch& s, const char* name) {
  Random& r = s.random();
  const bool convolves = std::string_view(name) == "QLinearConv";
  const Piece x = s.take({kBytes, convolves ? 4 : 2, 4});
  const std::int64_t columns = r.between(std::int64_t{1}, std::int64_t{4});
  Shape weights = {x.shape.back(), columns}, shape = x.shape;
  shape.back() = columns;
  if (convolves) {
    weights = {columns, x.shape[1], 1, std::min<std::int64_t>(2, x.shape[3])};
    shape = {x.shape[0], columns, x.shape[2], x.shape[3] - weights[3] + 1};
  }
  const Piece w = s.fresh(x.type == DataType::UInt8 ? r.one_of(kBytes) : DataType::Int8, weights, -128, 255);
  const Piece xs = scale(s), xz = zero_of(s, x.type), ws = scale(s);
  const Piece wz = w.type == DataType::Int8 ? s.constant_of(w.type, {}, {0}) : zero_of(s, w.type);
  const Piece ys = s.constant(DataType::Float32, {}, 0.05, 0.5), yz = zero_of(s, x.type);
  const bool biased = convolves && r.chance(0.5);
  const Piece b = biased ? s.constant(DataType::Int32, {columns}, -500, 500) : Piece{};
  Written n = s.node(name);
  n.in(x).in(xs).in(xz).in(w).in(ws).in(wz).in(ys).in(yz);
  if (biased) n.in(b);
  const auto [low, high] = limits(x.type);
  n.out(x.type, shape, low, high);
  return true;
}

}  // namespace

std::vector<Operator> quantised_operators() {
  return {{"ConvInteger", 10, kEver, integer_convolution}, {"DequantizeLinear", 10, kEver, dequantise},
          {"DequantizeLinear", 10, kEver, dequantise},     {"DequantizeLinear", 21, kEver, dequantise_blocks},
          {"DynamicQuantizeLinear", 11, kEver, dynamic},   {"MatMulInteger", 10, kEver, integer_product},
          {"QLinearConv", 10, kEver, quantised_product},   {"QLinearMatMul", 10, kEver, quantised_product},
          {"QuantizeLinear", 10, kEver, quantise},         {"QuantizeLinear", 10, kEver, quantise},
          {"QuantizeLinear", 21, kEver, quantise_by_type}};
}

}  // namespace vdla::random_graphs
