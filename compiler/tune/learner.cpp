// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/learner.h"

#include <algorithm>

namespace vdla::tune {

std::vector<pipeline::Point> least_first(std::vector<Scored> scored) {
  std::ranges::stable_sort(scored, {}, &Scored::first);
  std::vector<pipeline::Point> points;
  for (auto& [score, point] : scored) points.push_back(std::move(point));
  return points;
}

void Learner::told(const pipeline::Point& point, double cost) {
  const double estimate = space_.estimate(point);
  samples_.push_back({row_of(space_, point, estimate), estimate, cost});
  Told told{cost, point};
  best_.insert(std::ranges::upper_bound(best_, told), told);
}

double Learner::score(const pipeline::Point& point) {
  constexpr std::size_t kNew = 8;  // samples that are worth a fit
  if (samples_.size() >= fitted_ + kNew || (fitted_ == 0 && !samples_.empty())) {
    model_->fit(samples_);
    fitted_ = samples_.size();
  }
  const double estimate = space_.estimate(point);
  return model_->score(row_of(space_, point, estimate), estimate);
}

}  // namespace vdla::tune
