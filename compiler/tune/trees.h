// SPDX-License-Identifier: Apache-2.0
// A sum of regression trees, and what it says of a row. They are fitted elsewhere (boosting.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vdla::tune {

struct Trees {
  struct Node {
    std::int32_t feature = -1;          ///< -1: a leaf
    float value = 0;                    ///< value that a leaf adds; else rows below it go to `below`
    std::int32_t below = 0, other = 0;  ///< places in `nodes`
  };
  std::vector<Node> nodes;
  std::vector<std::int32_t> roots;

  double operator()(std::span<const float> row) const;
};

}  // namespace vdla::tune
