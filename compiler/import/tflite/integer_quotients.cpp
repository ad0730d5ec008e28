// SPDX-License-Identifier: Apache-2.0
// Quotients and roots of 8-bit integers with scales: tables of what TFLite's reference kernels compute in
// fixed point.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "compiler/graph/fixed_elements.h"
#include "compiler/graph/requant.h"
#include "compiler/import/tflite/integer_maps.h"
#include "compiler/import/tflite/integers.h"
#include "support/fixed_point.h"

namespace vdla::import::tflite {
namespace {

using expr::DType;
using tensor::Integers;
using tensor::Scalar;

constexpr int kLargest = 255;  // magnitude of an element less its zero point

/// x / 2^n by a multiplier below 1; 0 where the reference's shift passes its limit.
std::int32_t scaled_down(std::int32_t x, std::int32_t multiplier, int n) {
  return n > 31 ? 0 : multiply_by_quantized_multiplier(x, multiplier, -n);
}

/// Reciprocals of 1 to 255 in Q0.31, of the number between 1 and 2 that has its digits; the first is for 0.
Integers reciprocals(const Context& c) {
  Integers fractions;
  for (unsigned x = 0; x <= kLargest; ++x)
    fractions.push_back(x == 0 ? 0 : (x << std::countl_zero(x)) - (1U << 31));
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op));
  const Value of = tensor::make_constant(graph::DataType::Int32, {kLargest + 1}, fractions);
  return tensor::integers_of(
      composer.map("Reciprocal", {of}, [](const auto& v) { return graph::reciprocal_of_one_plus(v[0]); }));
}

/// A quotient by zero is as far from zero as a result can be.
void div(const Context& c) {
  c.inputs(2);
  const graph::Quantization a = c.quantization(0), b = c.quantization(1);
  const auto real = [](const graph::Quantization& q) { return static_cast<float>(q.scale[0]); };
  const QuantizedMultiplier m = quantize_multiplier(real(a) / (real(b) * real(c.output())));
  const auto out =
      stage(c, {{m.multiplier, m.shift}}, c.options(&Operator::builtin_options_as_DivOptions).activation());
  const Integers inverse = reciprocals(c);
  const auto quotient = [&](std::int32_t x, std::int32_t y) -> std::int32_t {
    if (y == 0) return x == 0 ? 0 : x < 0 ? -kLargest - 1 : kLargest;
    if (y < 0) x = -x, y = -y;
    const auto magnitude = static_cast<unsigned>(x < 0 ? -x : x);
    // Bits of x that repeat its sign.
    const int headroom = std::countl_zero(x < 0 ? 2 * magnitude - 1 : magnitude) - 1;
    const int whole = 31 - std::countl_zero(static_cast<unsigned>(y));
    const auto digits = static_cast<std::int32_t>(inverse[static_cast<std::size_t>(y)]);
    return scaled_down(srdh_mul(wrap_shift_left(x, static_cast<unsigned>(headroom)), digits), m.multiplier,
                       whole + headroom - m.shift);
  };
  Integers results;
  for (int x = -128; x < 128; ++x)
    for (int y = -128; y < 128; ++y)
      results.push_back(std::clamp(
          wrap_add(out.zero_point, quotient(x - a.zero_point[0], y - b.zero_point[0])), out.min, out.max));
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op), c.output());
  const auto of = [&](unsigned i) { return c.builder.network().value_of(c.input(i)); };
  const Value places = composer.map("Place", {of(0), of(1)}, [](const auto& v) {
    const Scalar row = cast(DType::I32, v[0]) + 128, column = cast(DType::I32, v[1]) + 128;
    return (row << 8) + column;
  });
  const Value of_pairs = tensor::make_constant(graph::DataType::Int8, {256 * 256}, results);
  c.builder.bind(c.op, composer.gather(of_pairs, places, 0));
}

/// A number that has no root gives the largest result; the reference ends the run there.
void rsqrt(const Context& c) {
  const graph::Quantization in = c.quantization(0), out = c.output();
  const QuantizedMultiplier m = rsqrt_multiplier(in, out);
  Integers distances;
  for (int x = 0; x <= kLargest; ++x) distances.push_back(x);
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op));
  const Value all = tensor::make_constant(graph::DataType::Int32, {kLargest + 1}, distances);
  const Integers roots =
      tensor::integers_of(composer.map("Root", {all}, [](const auto& v) { return rsqrt_steps(v[0]); }));
  table(c, [&](int q) {
    const std::int32_t x = q - in.zero_point[0];
    if (x <= 0) return kLargest;
    const auto root = static_cast<std::int32_t>(roots[static_cast<std::size_t>(x)]);
    return wrap_add(scaled_down(root, m.multiplier, kRsqrtFraction - m.shift), out.zero_point[0]);
  });
}

/// Elements of the last dimension by the root of the sum of their squares, in steps of 1 / 128.
void l2_normalization(const Context& c) {
  c.inputs(1);
  const graph::Quantization in = c.quantization(0), out = c.output();
  c.require(out.scale[0] == 1.0 / 128 && out.zero_point[0] == 0,
            fmt::format("has an output of scale {} and zero point {} (as int8), needs 1/128 and 0",
                        out.scale[0], out.zero_point[0]));
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op));
  const Value x = c.builder.network().value_of(c.input(0));
  c.require(x.rank() > 0, "has no dimension to normalise along");
  constexpr std::int64_t kMost = INT32_MAX / (kLargest * kLargest);
  c.require(x.shape.back() <= kMost,
            fmt::format("adds up {} squares, needs {} at most", x.shape.back(), kMost));
  const auto centred = [&](const Scalar& v) { return less(v, in.zero_point[0]); };
  const Value squares =
      composer.map("Square", {x}, [&](const auto& v) { return centred(v[0]) * centred(v[0]); });
  const Value total =
      composer.fold(expr::Reducer::Sum, squares, {static_cast<std::int64_t>(x.rank()) - 1}, true);
  const Value number =
      composer.map("Root", {total}, [](const auto& v) { return graph::inverse_root(v[0]).number; });
  const Value right =
      composer.map("Shift", {total}, [](const auto& v) { return graph::inverse_root(v[0]).right - 7; });
  c.builder.bind(c.op, composer.map(
                           "L2Norm", {x, number, right},
                           [&](const auto& v) {
                             const Scalar none = expr::number(0, DType::I32);
                             const Scalar wide = centred(v[0]) << maximum(none - v[2], none);
                             return finished({{}, 0, -128, 127},
                                             round_shift_right(srdh_mul(wide, v[1]), maximum(v[2], none)));
                           },
                           out));
}

constexpr IntegerRow kIntegerQuotients[] = {
    {"DIV", div}, {"L2_NORMALIZATION", l2_normalization}, {"RSQRT", rsqrt}};

}  // namespace

QuantizedMultiplier rsqrt_multiplier(const graph::Quantization& in, const graph::Quantization& out) {
  const float root = std::sqrt(static_cast<float>(in.scale[0])) * static_cast<float>(out.scale[0]);
  return quantize_multiplier(1. / static_cast<double>(root));
}

Scalar rsqrt_steps(const Scalar& x) {
  const graph::InverseRoot root = graph::inverse_root(x);
  const Scalar one = expr::number(1, DType::I32), fraction = expr::number(kRsqrtFraction, DType::I32);
  return srdh_mul(one << (fraction - root.right), root.number);
}

std::span<const IntegerRow> integer_quotients() { return kIntegerQuotients; }

}  // namespace vdla::import::tflite
