// SPDX-License-Identifier: Apache-2.0
// Each layer of ResNet-18 uses its int8 range; the small networks with other seeds.
#include "tests/compiler/zoo/host_graph.h"

namespace vdla::testing {
namespace {

TEST(ZooRangesLong, Resnet18) { expect_good_ranges("resnet18", 1, 4); }

TEST(ZooRangesLong, Resnet18OfAnotherSeed) { expect_good_ranges("resnet18", 20, 2); }

TEST(ZooRangesLong, SmallNetworksOfOtherSeeds) {
  for (std::uint64_t seed : {2, 3}) {
    expect_good_ranges("resnet8", seed, 64);
    expect_good_ranges("mobilenet_v1", seed, 128);
  }
}

}  // namespace
}  // namespace vdla::testing
