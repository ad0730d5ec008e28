// SPDX-License-Identifier: Apache-2.0
// Scales to integers: known values, and the fixed-point exponential against the real one.
#include "compiler/graph/requant.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/error.h"

namespace vdla::graph {
namespace {

double value_of(Multiplier m) { return std::ldexp(static_cast<double>(m.value), m.shift - 31); }

TEST(Requant, MultipliersAreNormalised) {
  for (double x : {1e-8, 0.003, 0.25, 0.7, 1.0, 1.5, 100.0}) {
    const Multiplier m = multiplier_of(x);
    EXPECT_GE(m.value, 1 << 30) << x;
    EXPECT_NEAR(value_of(m) / x, 1, 1e-9) << x;
  }
  EXPECT_EQ(multiplier_of(1), (Multiplier{1 << 30, 1}));
}

TEST(Requant, AddScalesTheLargerInputByHalf) {
  const AddMultipliers m = add_multipliers(0.5, 0.125, 0.25, 20);
  EXPECT_EQ(value_of(m.a), 0.5);
  EXPECT_EQ(value_of(m.b), 0.125);
  EXPECT_EQ(value_of(m.out), 1.0 / (0.25 * (1 << 20)));
}

TEST(Requant, MeanHoldsTheCount) {
  for (std::int64_t count : {1, 3, 49, 64, 1000})
    EXPECT_NEAR(value_of(mean_multiplier(0.1, 0.2, count)) * static_cast<double>(count), 0.5, 1e-6) << count;
}

TEST(Requant, ExponentialsFollowTheRealOnes) {
  const double scale = 0.1;
  const Softmax softmax = softmax_parameters(1, scale);
  const auto table = softmax_exponentials(softmax);
  EXPECT_EQ(table[255], INT32_MAX);
  for (int difference = -255; difference < 0; ++difference)
    EXPECT_NEAR(std::ldexp(table[static_cast<std::size_t>(difference + 255)], -31),
                std::exp(difference * scale), 1e-5);
}

TEST(Requant, SoftmaxOfATinyScaleIsRefused) {
  EXPECT_THAT([] { softmax_parameters(1, 1e-9); },
              ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("softmax of scale")));
}

TEST(Requant, ClampsRoundHalfAwayFromZero) {
  EXPECT_EQ(quantize_clamped(6, 0.0235294122248888, -128), 127);
  EXPECT_EQ(quantize_clamped(0.25, 0.1, 0), 3);
  EXPECT_EQ(quantize_clamped(-0.25, 0.1, 0), -3);
  EXPECT_EQ(quantize_clamped(-INFINITY, 0.1, 0), -128);
}

}  // namespace
}  // namespace vdla::graph
