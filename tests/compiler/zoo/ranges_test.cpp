// SPDX-License-Identifier: Apache-2.0
// Each layer of the small networks uses its int8 range.
#include "tests/compiler/zoo/host_graph.h"

namespace vdla::testing {
namespace {

TEST(ZooRanges, Resnet8) { expect_good_ranges("resnet8", 1, 64); }

TEST(ZooRanges, MobilenetV1) { expect_good_ranges("mobilenet_v1", 1, 128); }

}  // namespace
}  // namespace vdla::testing
