// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/trees.h"

namespace vdla::tune {

double Trees::operator()(std::span<const float> row) const {
  double sum = 0;
  for (const std::int32_t root : roots) {
    const Node* at = &nodes[static_cast<std::size_t>(root)];
    while (at->feature >= 0)
      at = &nodes[static_cast<std::size_t>(
          row[static_cast<std::size_t>(at->feature)] < at->value ? at->below : at->other)];
    sum += at->value;
  }
  return sum;
}

}  // namespace vdla::tune
