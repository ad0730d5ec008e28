// SPDX-License-Identifier: Apache-2.0
// Bounds of a whole affine nest at once, so that kernels need not look at each index.
#pragma once

#include <cstdint>

#include "isa/codec/insn.h"

namespace vdla::sim {

/// Smallest and largest index of a nest, with strides above 2^15 read as backward steps.
struct IndexRange {
  std::int64_t low = 0;
  std::int64_t high = 0;

  void add(std::uint16_t count, std::uint16_t stride) {
    const std::int64_t reach = (std::int64_t{count} - 1) * static_cast<std::int16_t>(stride);
    (reach < 0 ? low : high) += reach;
  }
  /// True: every index is its plain sum and inside a buffer of this depth. False: look step by step.
  bool inside(std::int64_t depth) const { return low >= 0 && high < depth; }
};

}  // namespace vdla::sim
