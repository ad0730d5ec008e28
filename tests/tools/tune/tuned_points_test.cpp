// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tuned_points.h"

#include <gtest/gtest.h>

namespace vdla::tune {
namespace {

// One hour for a point with any number of trials ended long searches.
TEST(PointSeconds, LeavesEachTrialOfAPointItsOwnLimit) {
  constexpr double kTrialLimit = 600;
  EXPECT_EQ(point_seconds(0), 3600);
  EXPECT_GE(point_seconds(200) - point_seconds(0), 200 * kTrialLimit);
}

}  // namespace
}  // namespace vdla::tune
