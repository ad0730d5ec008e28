// SPDX-License-Identifier: Apache-2.0
// Parts of integer operators' attributes: sizes of windows, multipliers, the output stage.
#pragma once

#include <cstdint>
#include <vector>

namespace vdla::graph {

struct Hw {
  std::int64_t h = 1, w = 1;
  bool operator==(const Hw&) const = default;
};

struct Pads {
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;
  bool operator==(const Pads&) const = default;
};

/// x -> round(x * multiplier * 2^(shift - 31)): left shift first, doubling high multiply, then rounding right
/// shift.
struct Multiplier {
  std::int32_t value = 1 << 30;
  std::int32_t shift = 1;  ///< positive: left
  /// Further bits that x is shifted left before and right after, where it has room for them: the first
  /// rounding then shows less often. 0 for TFLite, whose kernels do not have it.
  std::int32_t guard = 0;

  std::int32_t left() const { return (shift > 0 ? shift : 0) + guard; }
  std::int32_t right() const { return (shift < 0 ? -shift : 0) + guard; }
  bool operator==(const Multiplier&) const = default;
};

/// Largest magnitude of an int8 element less this zero point.
constexpr std::int64_t reach(std::int32_t zero_point) {
  return zero_point < 0 ? 127 - std::int64_t{zero_point} : 128 + std::int64_t{zero_point};
}

/// int32 accumulator -> int8: multiply, add the zero point, clamp. One multiplier, or one per output channel.
struct OutputStage {
  std::vector<Multiplier> multiplier = {Multiplier{}};
  std::int32_t zero_point = 0;
  std::int32_t min = -128, max = 127;
  bool operator==(const OutputStage&) const = default;
};

}  // namespace vdla::graph
