// SPDX-License-Identifier: Apache-2.0
// Each layer of the networks uses its int8 range.
#include "tests/compiler/zoo/host_graph.h"

namespace vdla::testing {
namespace {

TEST(ZooRanges, Resnet8) { expect_good_ranges("resnet8", 1, 64); }

TEST(ZooRanges, MobilenetV1) { expect_good_ranges("mobilenet_v1", 1, 128); }

TEST(ZooRanges, MobilenetV2) { expect_good_ranges("mobilenet_v2", 1, 4); }

TEST(ZooRanges, Resnet50) { expect_good_ranges("resnet50", 1, 2); }

TEST(ZooRanges, Resnet18) { expect_good_ranges("resnet18", 1, 4); }

TEST(ZooRanges, Resnet18OfAnotherSeed) { expect_good_ranges("resnet18", 20, 2); }

TEST(ZooRanges, SmallNetworksOfOtherSeeds) {
  for (std::uint64_t seed : {2, 3}) {
    expect_good_ranges("resnet8", seed, 64);
    expect_good_ranges("mobilenet_v1", seed, 128);
  }
}

}  // namespace
}  // namespace vdla::testing
