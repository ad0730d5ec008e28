// SPDX-License-Identifier: Apache-2.0
// Knobs whose values are powers of two. Private to this folder.
#pragma once

#include <bit>
#include <string>

#include "compiler/knobs/space.h"

namespace vdla::pipeline::gpu {

/// "1", "2", "4" ... up to `most`, from `least` on, both powers of two.
inline Knob power_knob(const char* name, std::int64_t least, std::int64_t most) {
  Knob knob{name, 0, {}};
  for (std::int64_t value = least; value <= most; value *= 2) knob.names.push_back(std::to_string(value));
  knob.values = static_cast<std::int64_t>(knob.names.size());
  return knob;
}
/// Between a value of such a knob and what it stands for.
inline std::int64_t power_at(std::int64_t value, std::int64_t least = 1) { return least << (value - 1); }
inline std::int64_t power_index(std::int64_t power, std::int64_t least = 1) {
  return std::countr_zero(static_cast<std::uint64_t>(power / least)) + 1;
}

/// The largest power of two that is at most n, and at least 1.
inline std::int64_t power_below(std::int64_t n) {
  return n < 1 ? 1 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}
/// The smallest power of two that is at least n.
inline std::int64_t power_above(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n < 1 ? 1 : n)));
}

}  // namespace vdla::pipeline::gpu
