// SPDX-License-Identifier: Apache-2.0
// Elements of a constant in another order of its dimensions.
#pragma once

#include <vector>

#include "compiler/graph/types.h"

namespace vdla::import::integer {

/// Output dimension i is input dimension perm[i].
template <class T>
std::vector<T> permute(const std::vector<T>& values, const graph::Shape& shape,
                       const std::vector<int>& perm) {
  std::vector<std::int64_t> stride(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) stride[d - 1] = stride[d] * shape[d];
  if (perm.empty()) return values;
  const auto inner = static_cast<std::size_t>(perm.back());
  const std::int64_t count = shape[inner], step = stride[inner];
  std::vector<T> result(values.size());
  graph::Shape index(perm.size() - 1, 0);
  for (auto to = result.begin(); to != result.end();) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
      source += index[d] * stride[static_cast<std::size_t>(perm[d])];
    for (std::int64_t i = 0; i < count; ++i) *to++ = values[static_cast<std::size_t>(source + i * step)];
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape[static_cast<std::size_t>(perm[d])]) break;
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace vdla::import::integer
