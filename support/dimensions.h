// SPDX-License-Identifier: Apache-2.0
// Dimensions that an array may have, whatever file its shape comes from.
#pragma once

#include <cstddef>
#include <string>

namespace vdla {

/// Most dimensions of a tensor, a buffer or an array. A loop stands for each of them, and what walks loops
/// calls itself for each.
inline constexpr std::size_t kMostDimensions = 64;

/// "has 100000 dimensions, needs at most 64": the end of a message about an array of more than that.
inline std::string too_many_dimensions(std::size_t dimensions) {
  return "has " + std::to_string(dimensions) + " dimensions, needs at most " +
         std::to_string(kMostDimensions);
}

}  // namespace vdla
