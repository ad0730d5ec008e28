// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "compiler/tune/learner.h"
#include "compiler/tune/proposed.h"
#include "compiler/tune/search.h"

namespace vdla::tune {
namespace {

using pipeline::Point;

/// An analytic draft, then descent: the model is asked about the draft and about what lies beside the best
/// points so far, and what it likes best is tried.
class HybridSearch final : public Search {
 public:
  HybridSearch(const pipeline::KnobSpace& space, const SearchOptions& options)
      : space_(space), random_(options.seed), learner_(space, *options.model, options.known) {
    for (const Drafted& d : options.draft.first(std::min(kDraft, options.draft.size())))
      candidates_.insert(d.point);
  }

  std::vector<Point> propose(std::size_t most) override {
    // Most of a batch from beside the best, where there is something left; the rest from anywhere.
    std::set<Point> near;
    for (std::size_t i = 0; i < learner_.size() && near.size() < most; ++i)
      for (const std::int64_t step : {1, 2})
        for (Point& p : space_.neighbours(learner_.best()[i].point, step)) {
          if (proposed_.has(p)) continue;
          candidates_.insert(p);
          near.insert(std::move(p));
        }
    std::vector<Point> points =
        proposed_.take(order(near), std::min(most, near.size()) * 3 / 4, space_, random_);
    for (Point& p : proposed_.take(order(candidates_), most - points.size(), space_, random_))
      points.push_back(std::move(p));
    for (const Point& p : points) candidates_.erase(p);
    return points;
  }

  void told(const Point& point, std::optional<double> cost) override {
    if (cost) learner_.told(point, *cost);
  }

 private:
  static constexpr std::size_t kDraft = 256;  // points of the draft that a model is asked about

  /// Points in the order of the model, the best first.
  std::vector<Point> order(const std::set<Point>& points) {
    std::vector<Scored> scored;
    for (const Point& p : points)
      scored.emplace_back(learner_.samples() == 0 ? space_.estimate(p) : learner_.score(p), p);
    return least_first(std::move(scored));
  }

  const pipeline::KnobSpace& space_;
  pipeline::Random random_;
  Learner learner_;
  Proposed proposed_;
  std::set<Point> candidates_;
};

}  // namespace

std::unique_ptr<Search> hybrid_search(const pipeline::KnobSpace& space, const SearchOptions& options) {
  return std::make_unique<HybridSearch>(space, options);
}

}  // namespace vdla::tune
