// SPDX-License-Identifier: Apache-2.0
// A space whose costs are known: two sizes that share room, and a choice.
#pragma once

#include <cmath>

#include "compiler/knobs/space.h"

namespace vdla::tune {

using pipeline::KnobSpace;
using pipeline::Point;

constexpr std::int64_t kRoom = 512;

/// What a point costs; the least cost is 100, at 24, 20, "b".
inline double toy_cost(const Point& p) {
  const double h = std::log2(static_cast<double>(p[0]) / 24), w = std::log2(static_cast<double>(p[1]) / 20);
  return 100 * (1 + h * h + 0.5 * w * w + (p[2] == 2 ? 0 : 0.25));
}

/// `estimate` is what the space believes that it costs.
inline KnobSpace toy_space(double (*estimate)(const Point&) = toy_cost) {
  return {{{"h", 64, {}}, {"w", 64, {}}, {"order", 3, {"a", "b", "c"}}},
          {[](const Point& p) { return p[0] * p[1] <= kRoom; }, estimate, [](Point p) { return p; }}};
}

}  // namespace vdla::tune
