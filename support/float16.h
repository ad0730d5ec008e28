// SPDX-License-Identifier: Apache-2.0
// The 16-bit float formats: IEEE half (1 sign, 5 exponent, 10 fraction bits) and bfloat (1, 8, 7), as bit
// patterns, to and from float. Rounding is to nearest, ties to even; subnormal numbers are kept.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace vdla {

inline std::uint16_t half_bits(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00 | (bits >> 13 & 0x3ff));
  if (bits >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // from 65520 on: infinite
  if (bits < 0x38800000) {
    // Subnormal: next to 0.5 a float's last place is a half's smallest step.
    const auto rounded = std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) + 0.5F);
    return static_cast<std::uint16_t>(sign | (rounded - 0x3f000000));
  }
  bits += 0xfff + (bits >> 13 & 1);
  return static_cast<std::uint16_t>(sign | ((bits - (112U << 23)) >> 13));
}

inline float half_value(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) return std::copysign(static_cast<float>(fraction) * 0x1p-24F, sign ? -1.F : 1.F);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

inline std::uint16_t bfloat_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float bfloat_value(std::uint16_t bfloat) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16);
}

/// `value` with the 10 fraction bits that tensor cores take of it (tf32), halves away from zero, as PTX's
/// cvt.rna.tf32.f32 rounds.
inline float tf32_value(float value) {
  if (std::isnan(value)) return value;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000) & ~0x1fffU);
}

/// The float next to `value`, with an odd last place where that is not exact: rounding it once more to a
/// format with at least two bits less gives what one rounding would have given.
inline float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  if (back == value || std::isnan(value)) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::fabs(back) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1);
}

}  // namespace vdla
