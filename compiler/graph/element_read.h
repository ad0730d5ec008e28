// SPDX-License-Identifier: Apache-2.0
// Elements that a View reads, for code that follows one while it compiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "compiler/graph/tensor_op.h"

namespace vdla::graph {

/// Index in one dimension of the input that the element at `index` of the result reads; nothing: the fill.
inline std::optional<std::int64_t> element_read(const Source& source, Outside outside, std::int64_t extent,
                                                const Extents& index) {
  std::int64_t place = source.offset;
  for (std::size_t k = 0; k < index.size(); ++k) place += source.step[k] * index[k];
  switch (outside) {
    case Outside::Never:
      return place;
    case Outside::Fill:
      if (place < 0 || place >= extent * source.spread || place % source.spread != 0) return std::nullopt;
      return place / source.spread;
    case Outside::Edge:
      return std::clamp<std::int64_t>(place, 0, extent - 1);
    case Outside::Reflect:
      place = std::max(place, -place);
      return place >= extent ? 2 * (extent - 1) - place : place;
  }
  return std::nullopt;
}

}  // namespace vdla::graph
