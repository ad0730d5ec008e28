// SPDX-License-Identifier: Apache-2.0
// The fixed-point arithmetic of int8 networks: TFLite's reference kernels, bit for bit. The vector unit, the
// compiler's operators, the interpreter and the host kernels all mean these functions.
#pragma once

#include <cstdint>

namespace vdla {

/// Wrapping int32 arithmetic.
constexpr std::int32_t wrap_add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
constexpr std::int32_t wrap_sub(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
constexpr std::int32_t wrap_mul(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}
/// a << n, n in 0..31.
constexpr std::int32_t wrap_shift_left(std::int32_t a, unsigned n) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << (n & 31u));
}

/// SaturatingRoundingDoublingHighMul: (2*a*b + rounding) >> 32, the nudge following the product's sign and
/// the division truncating; INT32_MIN * INT32_MIN saturates.
constexpr std::int32_t srdh_mul(std::int32_t a, std::int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  const std::int64_t product = std::int64_t{a} * std::int64_t{b};
  const std::int64_t nudge = product >= 0 ? (std::int64_t{1} << 30) : 1 - (std::int64_t{1} << 30);
  return static_cast<std::int32_t>((product + nudge) / (std::int64_t{1} << 31));
}

/// RoundingDivideByPOT: x / 2^n with ties away from zero, n in 0..31.
constexpr std::int32_t round_shift_right(std::int32_t x, unsigned n) {
  const std::int64_t mask = (std::int64_t{1} << (n & 31u)) - 1;
  const std::int64_t remainder = x & mask;
  const std::int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return static_cast<std::int32_t>((std::int64_t{x} >> (n & 31u)) + (remainder > threshold ? 1 : 0));
}

/// A Q31 multiplier and a shift: value = multiplier / 2^31 * 2^shift; a negative shift goes right.
struct QuantizedMultiplier {
  std::int32_t multiplier = 0;
  int shift = 0;

  constexpr unsigned left_shift() const { return shift > 0 ? static_cast<unsigned>(shift) : 0u; }
  constexpr unsigned right_shift() const { return shift > 0 ? 0u : static_cast<unsigned>(-shift); }
  bool operator==(const QuantizedMultiplier&) const = default;
};

/// MultiplyByQuantizedMultiplier with both roundings: shift left (wrapping), doubling high multiply, rounding
/// shift right. `shift` is in -31..31.
constexpr std::int32_t multiply_by_quantized_multiplier(std::int32_t x, std::int32_t multiplier, int shift) {
  const QuantizedMultiplier q{multiplier, shift};
  return round_shift_right(srdh_mul(wrap_shift_left(x, q.left_shift()), multiplier), q.right_shift());
}

/// QuantizeMultiplier: the multiplier in [2^30, 2^31) (or 0) and the shift that come closest to `value`,
/// which must not be negative. Below 2^-32 it becomes 0, above 2^30 it saturates. Throws UserError for a
/// negative or non-finite value.
QuantizedMultiplier quantize_multiplier(double value);

/// Rounded division by a constant as the device computes it: quotient = (|x| + half) * multiplier >> shift,
/// sign restored.
struct Reciprocal {
  std::uint32_t multiplier = 0;
  std::uint32_t half = 0;
  unsigned shift = 0;
  bool operator==(const Reciprocal&) const = default;
};

/// The reciprocal of `divisor` (1 to 131071), exact for every |x| + half <= 2^30.
Reciprocal reciprocal_of(std::uint32_t divisor);

/// x / divisor with halves away from zero, through the reciprocal.
constexpr std::int32_t divide_by_reciprocal(std::int32_t x, std::uint32_t half, std::uint32_t multiplier,
                                            unsigned shift) {
  const std::uint32_t magnitude =
      (x < 0 ? 0u - static_cast<std::uint32_t>(x) : static_cast<std::uint32_t>(x)) + half;
  const auto quotient = static_cast<std::uint32_t>((std::uint64_t{magnitude} * multiplier) >> (shift & 63u));
  return static_cast<std::int32_t>(x < 0 ? 0u - quotient : quotient);
}

}  // namespace vdla
