// SPDX-License-Identifier: Apache-2.0
// 10^5 points that the spaces of the device's layers draw, on machines with ragged tiles: all are programs.
#include <gtest/gtest.h>

#include "tests/compiler/pipeline_device/legal_points.h"

namespace vdla::pipeline::device {
namespace {

class SpacesCampaign : public testing::TestWithParam<const char*> {};

TEST_P(SpacesCampaign, DrawsPrograms) { compare_drawn(GetParam(), 6667, 14); }

INSTANTIATE_TEST_SUITE_P(Variants, SpacesCampaign,
                         testing::Values("tiny", "paper", "vta", "wide",
                                         VDLA_SOURCE_DIR "/examples/variants/mac64.json"));

}  // namespace
}  // namespace vdla::pipeline::device
