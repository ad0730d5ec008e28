// SPDX-License-Identifier: Apache-2.0
// The fixed-point functions against exact arithmetic of their definitions (128-bit or division), not against
// themselves.
#include "support/fixed_point.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "support/error.h"

namespace vdla {
namespace {

const std::vector<std::int32_t> kEdges = {
    INT32_MIN, INT32_MIN + 1, -(1 << 30) - 1, -(1 << 30), -65537,        -3,       -2, -1, 0, 1, 2,
    3,         65536,         (1 << 30) - 1,  1 << 30,    INT32_MAX - 1, INT32_MAX};

/// round(a * b / 2^31), exact halves up (towards plus infinity): what the nudge and the truncating division
/// amount to.
std::int64_t rounded_high_product(std::int32_t a, std::int32_t b) {
  const __int128 twice = 2 * static_cast<__int128>(a) * b + (static_cast<__int128>(1) << 31);
  return static_cast<std::int64_t>(twice >> 32);
}

TEST(FixedPoint, DoublingHighMultiplyRoundsTheExactProduct) {
  std::mt19937 random(1);
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::int32_t a : kEdges)
    for (std::int32_t b : kEdges) pairs.emplace_back(a, b);
  for (int i = 0; i < 100000; ++i)
    pairs.emplace_back(static_cast<std::int32_t>(random()), static_cast<std::int32_t>(random()));
  for (auto [a, b] : pairs) {
    const std::int64_t expected = (a == INT32_MIN && b == INT32_MIN) ? INT32_MAX : rounded_high_product(a, b);
    ASSERT_EQ(srdh_mul(a, b), expected) << a << " * " << b;
  }
}

TEST(FixedPoint, RoundingShiftDividesWithTiesAwayFromZero) {
  std::mt19937 random(2);
  std::vector<std::int32_t> values = kEdges;
  for (int i = 0; i < 20000; ++i) values.push_back(static_cast<std::int32_t>(random()) >> (i % 31));
  for (std::int32_t x : values) {
    for (unsigned n = 0; n < 32; ++n) {
      const std::int64_t divisor = std::int64_t{1} << n;
      const std::int64_t magnitude = (2 * std::abs(std::int64_t{x}) + divisor) / (2 * divisor);
      ASSERT_EQ(round_shift_right(x, n), x < 0 ? -magnitude : magnitude) << x << " >> " << n;
    }
  }
}

TEST(FixedPoint, MultiplierShiftsLeftBeforeAndRightAfter) {
  EXPECT_EQ(multiply_by_quantized_multiplier(100, 1 << 30, 1), 100);
  EXPECT_EQ(multiply_by_quantized_multiplier(100, 1 << 30, 0), 50);
  EXPECT_EQ(multiply_by_quantized_multiplier(-5, 1 << 30, 0),
            -2);  // -2.5, the high multiply rounds halves up
  EXPECT_EQ(multiply_by_quantized_multiplier(-10, 1 << 30, -1), -3);  // -5, then -2.5 away from zero
  EXPECT_EQ(multiply_by_quantized_multiplier(1 << 30, INT32_MAX, 1),
            -INT32_MAX);  // the left shift wraps to INT32_MIN
}

TEST(FixedPoint, QuantizedMultiplierComesClosest) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-30.0, 29.0);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::exp2(exponent(random));
    const QuantizedMultiplier q = quantize_multiplier(value);
    EXPECT_GE(q.multiplier, 1 << 30);
    const double back = std::ldexp(static_cast<double>(q.multiplier), q.shift - 31);
    EXPECT_LE(std::abs(back - value), std::ldexp(0.5, q.shift - 31));
  }
  EXPECT_EQ(quantize_multiplier(0.0), (QuantizedMultiplier{0, 0}));
  EXPECT_EQ(quantize_multiplier(0.5), (QuantizedMultiplier{1 << 30, 0}));
  EXPECT_EQ(quantize_multiplier(1.0), (QuantizedMultiplier{1 << 30, 1}));
  EXPECT_EQ(quantize_multiplier(std::nextafter(1.0, 0.0)), (QuantizedMultiplier{1 << 30, 1}));
  EXPECT_EQ(quantize_multiplier(std::exp2(-40)), (QuantizedMultiplier{0, 0}));
  EXPECT_EQ(quantize_multiplier(std::exp2(40)), (QuantizedMultiplier{INT32_MAX, 30}));
  EXPECT_THROW(quantize_multiplier(-1.0), UserError);
  EXPECT_THROW(quantize_multiplier(std::nan("")), UserError);
}

TEST(FixedPoint, ReciprocalDividesWithHalvesAwayFromZero) {
  std::mt19937 random(4);
  for (std::uint32_t divisor = 1; divisor <= 131071; divisor += 1 + divisor / 64) {
    const Reciprocal r = reciprocal_of(divisor);
    const std::int64_t limit = (std::int64_t{1} << 30) - divisor / 2;
    for (int i = 0; i < 200; ++i) {
      const auto x = static_cast<std::int32_t>(static_cast<std::int64_t>(random()) % (2 * limit + 1) - limit);
      const std::int64_t d = divisor;
      const std::int64_t expected = x > 0 ? (x + d / 2) / d : (x - d / 2) / d;
      ASSERT_EQ(divide_by_reciprocal(x, r.half, r.multiplier, r.shift), expected) << x << " / " << divisor;
    }
  }
  EXPECT_THROW(reciprocal_of(0), UserError);
  EXPECT_THROW(reciprocal_of(131072), UserError);
}

}  // namespace
}  // namespace vdla
