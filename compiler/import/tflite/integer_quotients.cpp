// SPDX-License-Identifier: Apache-2.0
// Quotients and roots of 8-bit integers with scales: tables of what TFLite's reference kernels compute in
// fixed point.
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
      results.push_back(
          std::clamp(out.zero_point + quotient(x - a.zero_point[0], y - b.zero_point[0]), out.min, out.max));
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op), c.output());
  const auto of = [&](unsigned i) { return c.builder.network().value_of(c.input(i)); };
  const Value places = composer.map("Place", {of(0), of(1)}, [](const auto& v) {
    const Scalar row = cast(DType::I32, v[0]) + 128, column = cast(DType::I32, v[1]) + 128;
    return (row << 8) + column;
  });
  const Value of_pairs = tensor::make_constant(graph::DataType::Int8, {256 * 256}, results);
  c.builder.bind(c.op, composer.gather(of_pairs, places, 0));
}

std::int32_t saturated(std::int64_t x) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, INT32_MIN, INT32_MAX));
}

/// 1 / sqrt(x) for x from 1 to 255: five Newton steps from 1, in Q3.28, then without the shift of x.
QuantizedMultiplier inverse_root(std::int32_t x) {
  if (x == 1) return {INT32_MAX, 0};
  constexpr std::int32_t kHalfOfThree = (1 << 28) + (1 << 27), kRootOfHalf = 1518500250;
  const int pairs = (std::countl_zero(static_cast<unsigned>(x)) - 1) / 2 - 1;
  const std::int32_t in = (x << 2 * pairs) >> 1, half = round_shift_right(in, 1);
  std::int32_t root = 1 << 28;
  for (int step = 0; step < 5; ++step) {
    const std::int32_t cube = saturated(std::int64_t{srdh_mul(srdh_mul(root, root), root)} << 6);
    root = saturated(std::int64_t{wrap_sub(srdh_mul(kHalfOfThree, root), srdh_mul(half, cube))} << 3);
  }
  root = srdh_mul(root, kRootOfHalf);
  const int right = 11 - pairs;
  return right < 0 ? QuantizedMultiplier{root << -right, 0} : QuantizedMultiplier{root, -right};
}

/// No root is of a negative number: the reference ends the run, the largest result is here.
void rsqrt(const Context& c) {
  const graph::Quantization in = c.quantization(0), out = c.output();
  constexpr int kFraction = 20;
  const float root = std::sqrt(static_cast<float>(in.scale[0])) * static_cast<float>(out.scale[0]);
  const QuantizedMultiplier m = quantize_multiplier(1. / static_cast<double>(root));
  table(c, [&](int q) {
    const std::int32_t x = q - in.zero_point[0];
    if (x <= 0) return kLargest;
    const QuantizedMultiplier inverse = inverse_root(x);
    const std::int32_t wide =
        multiply_by_quantized_multiplier(1, inverse.multiplier, inverse.shift + kFraction);
    return scaled_down(wide, m.multiplier, kFraction - m.shift) + out.zero_point[0];
  });
}

constexpr IntegerRow kIntegerQuotients[] = {{"DIV", div}, {"RSQRT", rsqrt}};

}  // namespace

std::span<const IntegerRow> integer_quotients() { return kIntegerQuotients; }

}  // namespace vdla::import::tflite
