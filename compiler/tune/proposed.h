// SPDX-License-Identifier: Apache-2.0
// What a search has proposed so far, so that it proposes nothing twice.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "compiler/pipeline/knobs/space.h"

namespace vdla::tune {

class Proposed {
 public:
  /// False: it was there.
  bool add(const pipeline::Point& point) { return points_.insert(point).second; }
  bool has(const pipeline::Point& point) const { return points_.contains(point); }
  bool empty() const { return points_.empty(); }

  /// A drawn one that is new; nothing where many draws find none.
  std::optional<pipeline::Point> draw(const pipeline::KnobSpace& space, pipeline::Random& random) {
    constexpr int kDraws = 64;
    for (int i = 0; i < kDraws; ++i) {
      auto point = space.sample(random);
      if (!point) return std::nullopt;
      if (add(*point)) return point;
    }
    return std::nullopt;
  }

 private:
  std::set<pipeline::Point> points_;
};

}  // namespace vdla::tune
