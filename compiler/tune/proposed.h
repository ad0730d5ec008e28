// SPDX-License-Identifier: Apache-2.0
// Points that a search has proposed so far, so that it proposes nothing twice.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "compiler/knobs/space.h"

namespace vdla::tune {

class Proposed {
 public:
  /// False: it was there.
  bool add(const pipeline::Point& point) { return points_.insert(point).second; }
  bool has(const pipeline::Point& point) const { return points_.contains(point); }
  bool empty() const { return points_.empty(); }

  /// At most `most` new ones, in this order; later than in the first call one of eight is drawn instead,
  /// since the order can be wrong. Those that are missing are drawn, too.
  std::vector<pipeline::Point> take(std::span<const pipeline::Point> order, std::size_t most,
                                    const pipeline::KnobSpace& space, pipeline::Random& random) {
    constexpr std::size_t kOdd = 8;
    std::vector<pipeline::Point> points;
    const bool first = empty();
    auto next = order.begin();
    while (points.size() < most) {
      const bool odd = ++taken_ % kOdd == 0 && !first;
      while (!odd && next != order.end() && !add(*next)) ++next;
      if (!odd && next != order.end()) {
        points.push_back(*next++);
      } else if (auto drawn = draw(space, random)) {
        points.push_back(std::move(*drawn));
      } else if (next == order.end()) {
        break;
      }
    }
    return points;
  }

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
  std::size_t taken_ = 0;
};

}  // namespace vdla::tune
