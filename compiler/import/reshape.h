// SPDX-License-Identifier: Apache-2.0
// Shape that ONNX's Reshape asks for. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/graph/types.h"

namespace vdla::import {

/// Elements of a shape that a file asks for; nothing where an extent is negative or the product overflows.
inline std::optional<std::int64_t> counted(const graph::Shape& wanted) {
  std::int64_t count = 1;
  for (const std::int64_t extent : wanted)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  return count;
}

/// The new shape: 0 copies an extent unless the node's `allowzero` says otherwise, one -1 is what remains.
/// UserError by the node's require() for what is no shape of as many elements.
template <class Node>
graph::Shape reshaped_to(const Node& c, const graph::Shape& from, graph::Shape to) {
  const bool keeps_zero = c.integer("allowzero", 0) != 0;
  graph::Shape known;
  std::optional<std::size_t> open;
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (to[d] == 0 && !keeps_zero) {
      c.require(d < from.size(), "copies dimension " + std::to_string(d) + " of " + graph::to_string(from));
      to[d] = from[d];
    }
    if (to[d] == -1)
      open = d;
    else
      known.push_back(to[d]);
  }
  const std::int64_t count = graph::element_count(from);
  if (const auto rest = counted(known); open && rest && *rest > 0) to[*open] = count / *rest;
  c.require(counted(to) == count, "cannot reshape " + graph::to_string(from) + " to " + graph::to_string(to));
  return to;
}

}  // namespace vdla::import
