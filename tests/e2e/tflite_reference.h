// SPDX-License-Identifier: Apache-2.0
// TFLite's quantised arithmetic, written for these tests from its description: real numbers, each rounding
// by the rule that the reference kernels state. Long double holds every intermediate value exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vdla::e2e::tflite {

/// a * b / 2^31 to the nearest integer, halves upwards.
inline std::int64_t doubling_high_multiply(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kLowest = INT32_MIN;
  if (a == kLowest && b == kLowest) return INT32_MAX;
  return static_cast<std::int64_t>(std::floor(static_cast<long double>(a * b) / 2147483648.0L + 0.5L));
}

/// x / 2^n to the nearest integer, halves away from zero.
inline std::int64_t rounding_divide(std::int64_t x, int n) {
  return static_cast<std::int64_t>(
      std::round(static_cast<long double>(x) / std::exp2(static_cast<long double>(n))));
}

/// The shift is to the left before the multiplication where it is positive, to the right after it where it
/// is negative.
inline std::int64_t multiply(std::int64_t x, std::int64_t multiplier, int shift) {
  const std::int64_t shifted = x * (std::int64_t{1} << std::max(shift, 0));
  return rounding_divide(doubling_high_multiply(shifted, multiplier), std::max(-shift, 0));
}

inline std::int64_t requantise(std::int64_t accumulator, std::int64_t multiplier, int shift, int zero_point,
                               int low, int high) {
  return std::clamp<std::int64_t>(multiply(accumulator, multiplier, shift) + zero_point, low, high);
}

}  // namespace vdla::e2e::tflite
