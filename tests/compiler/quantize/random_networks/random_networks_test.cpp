// SPDX-License-Identifier: Apache-2.0
// Float TFLite networks that are drawn: what vdla quantize makes of them compiles, and answers as they do but
// for the noise of 8 bits.
#include <gtest/gtest.h>

#include "tests/compiler/quantize/random_networks/quantised.h"

namespace vdla::random_networks {
namespace {

/// Signal to noise that each drawn network has, and that of the mean one.
constexpr double kLeastDb = 20, kMeanDb = 35;

TEST(RandomNetworks, AreQuantisedCompiledAndNearTheirFloatResults) {
  constexpr std::uint64_t kCount = 20;
  double sum = 0;
  std::size_t layers = 0;
  for (std::uint64_t seed = 0; seed < kCount; ++seed) {
    const Verdict v = quantised(draw(seed), in_float);
    EXPECT_EQ(v.refused, "") << "seed " << seed;
    EXPECT_GE(v.snr_db, kLeastDb) << "seed " << seed;
    sum += std::min(v.snr_db, 100.0);
    layers += v.layers;
  }
  EXPECT_GE(sum / kCount, kMeanDb);
  EXPECT_GE(layers, kCount);
}

}  // namespace
}  // namespace vdla::random_networks
