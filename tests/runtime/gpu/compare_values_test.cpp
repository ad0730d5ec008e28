// SPDX-License-Identifier: Apache-2.0
// Values that a device computed against what was expected.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kit/kernels/check_kernel.h"

namespace vdla::kit {
namespace {

TEST(CompareValues, TakesZerosOfBothSignsForEqual) {
  const auto buffer = expr::make_buffer("B", expr::DType::F32, {2}, expr::kGlobalScope);
  const std::array<float, 2> zeros{0.0F, -0.0F}, others{-0.0F, 0.0F}, wrong{0.0F, 1e-9F};
  const auto compared = [&](const std::array<float, 2>& seen) {
    KernelCheck check;
    compare_values(*buffer, std::as_bytes(std::span(zeros)), std::as_bytes(std::span(seen)), check);
    return check;
  };
  EXPECT_FALSE(compared(others).difference);
  EXPECT_EQ(compared(others).largest, 0);
  EXPECT_TRUE(compared(wrong).difference);
}

}  // namespace
}  // namespace vdla::kit
