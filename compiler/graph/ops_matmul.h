// SPDX-License-Identifier: Apache-2.0
// The second operand of a product, seen as matrices. Private to compiler/graph.
#pragma once

#include "compiler/graph/types.h"

namespace vdla::graph {

/// Rows of PackScales: bias, multiplier, shifts.
inline constexpr std::int64_t kScaleRows = 3;

/// `count` matrices [depth][columns], or the other way around where transposed.
struct Matrices {
  Matrices(const Shape& shape, bool transposed)
      : count(element_count(Shape(shape.begin(), shape.end() - 2))),
        depth(shape[shape.size() - (transposed ? 1 : 2)]),
        columns(shape[shape.size() - (transposed ? 2 : 1)]) {}

  std::int64_t count, depth, columns;
};

}  // namespace vdla::graph
