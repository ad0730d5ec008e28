// SPDX-License-Identifier: Apache-2.0
// Seeded numbers, and memory aligned as the runtime's.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "compiler/targets/cpu/code/code.h"
#include "compiler/targets/cpu/profile.h"

namespace vdla::pipeline::cpu {

inline std::vector<float> random_floats(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1.0f, 1.0f);
  std::vector<float> result(static_cast<std::size_t>(count));
  for (float& v : result) v = value(random);
  return result;
}

/// Within `bound` of the largest value.
inline void expect_close(std::span<const float> got, std::span<const double> want, double bound = 1e-5) {
  ASSERT_EQ(got.size(), want.size());
  double scale = 1e-30;
  for (double v : want) scale = std::max(scale, std::abs(v));
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], bound * scale) << "element " << i;
}

/// Machines with vectors of 16, 32 and 64 bytes.
inline std::vector<CpuProfile> profiles() {
  CpuProfile sse, avx2, avx512;
  avx2.vector_bytes = 32;
  avx512.vector_bytes = 64;
  avx512.vector_registers = 32;
  avx512.l2_bytes = 1 << 20;
  return {sse, avx2, avx512};
}

}  // namespace vdla::pipeline::cpu
