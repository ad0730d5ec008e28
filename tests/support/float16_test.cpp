// SPDX-License-Identifier: Apache-2.0
#include "support/float16.h"

#include <gtest/gtest.h>

#include <random>

namespace vdla {
namespace {

TEST(Float16, EveryPatternComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    if (std::isnan(half_value(pattern))) {
      EXPECT_TRUE(std::isnan(half_value(half_bits(half_value(pattern)))));
    } else {
      ASSERT_EQ(half_bits(half_value(pattern)), pattern);
    }
    if (std::isnan(bfloat_value(pattern))) {
      EXPECT_TRUE(std::isnan(bfloat_value(bfloat_bits(bfloat_value(pattern)))));
    } else {
      ASSERT_EQ(bfloat_bits(bfloat_value(pattern)), pattern);
    }
  }
}

TEST(Float16, KnownHalves) {
  EXPECT_EQ(half_bits(1.0F), 0x3c00);
  EXPECT_EQ(half_bits(-2.0F), 0xc000);
  EXPECT_EQ(half_bits(65504.0F), 0x7bff);
  EXPECT_EQ(half_bits(65519.996F), 0x7bff);
  EXPECT_EQ(half_bits(65520.0F), 0x7c00);
  EXPECT_EQ(half_bits(0x1p-24F), 0x0001);
  EXPECT_EQ(half_bits(0x1p-25F), 0x0000);      // half of the smallest: to even
  EXPECT_EQ(half_bits(0x1.8p-24F), 0x0002);    // a tie above an odd one
  EXPECT_EQ(half_bits(0x1.ffcp-15F), 0x0400);  // into the normal numbers
  EXPECT_EQ(half_bits(-0.0F), 0x8000);
  EXPECT_EQ(bfloat_bits(1.00390625F), 0x3f80);  // a tie, to even
  EXPECT_EQ(bfloat_bits(1.01171875F), 0x3f82);
}

/// The nearest of all values by search, a tie to the even pattern.
template <class Value>
std::uint16_t nearest_pattern(double x, std::uint16_t infinity, const Value& value) {
  std::uint16_t low = 0, high = infinity;  // positive patterns are in order of their values
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (value(middle) <= x ? low : high) = middle;
  }
  // Infinity stands where the next finite number would.
  const double step = value(static_cast<std::uint16_t>(infinity - 1)) -
                      double{value(static_cast<std::uint16_t>(infinity - 2))};
  const double above =
      high == infinity ? value(static_cast<std::uint16_t>(infinity - 1)) + step : double{value(high)};
  const double down = x - value(low), up = above - x;
  if (down != up) return down < up ? low : high;
  return low % 2 == 0 ? low : high;
}

TEST(Float16, RoundsToTheNearestOfAll) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    // Near the formats' ranges, often exactly between two halves or next to that.
    double x =
        std::ldexp(1.0 + static_cast<double>(random() % 4096) / 4096, static_cast<int>(random() % 48) - 30);
    if (random() % 2) x = std::nextafter(x, random() % 2 ? 0.0 : 1e30);
    EXPECT_EQ(half_bits(round_to_odd(x)), nearest_pattern(x, 0x7c00, half_value)) << x;
    EXPECT_EQ(bfloat_bits(round_to_odd(x)), nearest_pattern(x, 0x7f80, bfloat_value)) << x;
    const auto f = static_cast<float>(x);
    EXPECT_EQ(half_bits(f), nearest_pattern(f, 0x7c00, half_value)) << f;
    EXPECT_EQ(bfloat_bits(f), nearest_pattern(f, 0x7f80, bfloat_value)) << f;
  }
}

}  // namespace
}  // namespace vdla
