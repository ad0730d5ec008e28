// SPDX-License-Identifier: Apache-2.0
#include "compiler/loop/ranges.h"

namespace vdla::loop {

std::optional<expr::Interval> values_of(const For& loop, const expr::Ranges& ranges) {
  const auto first = expr::bounds(loop.min, ranges);
  const auto last =
      expr::bounds(expr::to_affine(loop.min) + expr::to_affine(loop.extent) - expr::Affine{{}, 1}, ranges);
  if (!first || !last || first->low > last->high) return std::nullopt;
  return expr::Interval{first->low, last->high};
}

void add_values_of(const For& loop, expr::Ranges& ranges) {
  if (const auto values = values_of(loop, ranges)) ranges[loop.var] = *values;
}

}  // namespace vdla::loop
