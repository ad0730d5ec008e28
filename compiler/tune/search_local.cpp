// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "compiler/tune/proposed.h"
#include "compiler/tune/search.h"

namespace vdla::tune {
namespace {

using pipeline::Point;

/// The best points of a draft; whenever a trial is the best so far, what lies beside it comes next. Where all
/// that is tried, what lies two steps beside the best, then the rest of the draft, then drawn points.
class LocalSearch final : public Search {
 public:
  LocalSearch(const pipeline::KnobSpace& space, const SearchOptions& options)
      : space_(space), random_(options.seed) {
    for (const Drafted& d : options.draft) draft_.push_back(d.point);
    offer({draft_.begin(), draft_.begin() + static_cast<std::ptrdiff_t>(std::min(kDraft, draft_.size()))});
  }

  std::vector<Point> propose(std::size_t most) override {
    std::vector<Point> points;
    while (points.size() < most && (!waiting_.empty() || refill())) {
      points.push_back(std::move(waiting_.back()));
      waiting_.pop_back();
    }
    return points;
  }

  void told(const Point& point, std::optional<double> cost) override {
    if (!cost || *cost >= best_cost_) return;
    best_cost_ = *cost;
    best_ = point;
    wide_ = false;
    offer(space_.neighbours(point));
  }

 private:
  static constexpr std::size_t kDraft = 8;  // points of the draft, tried first

  /// The next ones, the last one first.
  void offer(const std::vector<Point>& points) {
    for (auto p = points.rbegin(); p != points.rend(); ++p)
      if (proposed_.add(*p)) waiting_.push_back(*p);
  }

  bool refill() {
    if (!best_.empty() && !wide_) {
      wide_ = true;
      for (const Point& near : space_.neighbours(best_)) offer(space_.neighbours(near, 2));
    }
    while (waiting_.empty() && drafted_ < draft_.size()) offer({draft_[drafted_++]});
    if (waiting_.empty())
      if (auto point = proposed_.draw(space_, random_)) waiting_.push_back(std::move(*point));
    return !waiting_.empty();
  }

  const pipeline::KnobSpace& space_;
  pipeline::Random random_;
  Proposed proposed_;
  std::vector<Point> draft_, waiting_;  ///< least estimate first; the next one last
  std::size_t drafted_ = 0;
  Point best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
  bool wide_ = false;  ///< whether what lies two steps beside the best has been offered
};

}  // namespace

std::unique_ptr<Search> local_search(const pipeline::KnobSpace& space, const SearchOptions& options) {
  return std::make_unique<LocalSearch>(space, options);
}

}  // namespace vdla::tune
