// SPDX-License-Identifier: Apache-2.0
// Mutations that keep a file readable, so that more than its reader sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace vdla::fuzzing {

/// A number that is seldom right, or one near `old`, wrapped around where that overflows.
inline std::int64_t odd_number(std::mt19937& random, std::int64_t old) {
  const auto near = [old](std::uint64_t factor, std::uint64_t step) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(old) * factor + step);
  };
  const std::int64_t numbers[] = {
      0,         1,         -1,         2,         near(1, 1), near(1, UINT64_MAX),   near(2, 0),
      INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN,  std::int64_t{1} << 40, 255};
  return numbers[random() % std::size(numbers)];
}

/// A small number mostly, as extents and axes are, else an odd one.
inline std::int64_t likely_number(std::mt19937& random, std::int64_t old) {
  if (random() % 3 == 0) return odd_number(random, old);
  return static_cast<std::int64_t>(random() % 9) - 2;
}

inline float odd_real(std::mt19937& random, float old) {
  using Limits = std::numeric_limits<float>;
  const float reals[] = {0,
                         -0.0F,
                         1,
                         -1,
                         old * 2,
                         old / 2,
                         -old,
                         1e30F,
                         -1e30F,
                         1e-30F,
                         0.5F,
                         1.5F,
                         255,
                         Limits::max(),
                         Limits::min(),
                         Limits::denorm_min(),
                         Limits::infinity(),
                         Limits::quiet_NaN()};
  return reals[random() % std::size(reals)];
}

}  // namespace vdla::fuzzing
