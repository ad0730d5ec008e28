// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/draft.h"

#include <algorithm>
#include <map>

namespace vdla::tune {

std::vector<Drafted> draft(const pipeline::KnobSpace& space, std::uint64_t seed) {
  pipeline::Random random(seed);
  constexpr int kStarts = 24;
  std::map<pipeline::Point, double> met;
  const auto cost = [&](const pipeline::Point& p) {
    const auto [entry, is_new] = met.try_emplace(p);
    if (is_new) entry->second = space.estimate(p);
    return entry->second;
  };
  for (int i = 0; i < kStarts; ++i) {
    auto at = space.sample(random);
    if (at) cost(*at);
    for (bool moves = at.has_value(); moves;) {
      moves = false;
      for (const pipeline::Point& next : space.neighbours(*at))
        if (cost(next) < cost(*at)) {
          at = next;
          moves = true;
        }
    }
  }
  std::vector<Drafted> order;
  for (const auto& [point, estimate] : met) order.push_back({estimate, point});
  std::ranges::sort(order);
  return order;
}

}  // namespace vdla::tune
