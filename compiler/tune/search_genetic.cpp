// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/tune/proposed.h"
#include "compiler/tune/search.h"

namespace vdla::tune {
namespace {

using pipeline::Point;

class GeneticSearch final : public Search {
 public:
  GeneticSearch(const pipeline::KnobSpace& space, const SearchOptions& options)
      : space_(space), random_(options.seed) {}

  std::vector<Point> propose(std::size_t most) override {
    std::vector<Point> points;
    while (points.size() < most) {
      std::optional<Point> point = drawn_ < kFirst || parents_.size() < 2 ? std::nullopt : child();
      if (!point) {
        point = proposed_.draw(space_, random_);
        ++drawn_;
      }
      if (!point) break;
      points.push_back(std::move(*point));
    }
    return points;
  }

  void told(const Point& point, std::optional<double> cost) override {
    if (!cost) return;
    const auto place = std::ranges::upper_bound(parents_, *cost, {}, &Parent::cost);
    parents_.insert(place, {*cost, point});
    if (parents_.size() > kParents) parents_.pop_back();
  }

 private:
  static constexpr std::size_t kFirst = 16;    // drawn before any is bred
  static constexpr std::size_t kParents = 16;  // the best so far
  static constexpr int kTries = 256;           // for a child that is legal and new

  struct Parent {
    double cost;
    Point point;
  };

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  /// The better one of two.
  const Point& parent() { return parents_[std::min(below(parents_.size()), below(parents_.size()))].point; }

  /// Each knob from one of two parents; on average one is drawn anew.
  std::optional<Point> child() {
    for (int i = 0; i < kTries; ++i) {
      Point point = parent();
      const Point& other = parent();
      for (std::size_t k = 0; k < point.size(); ++k) {
        if (below(2) == 0) point[k] = other[k];
        if (below(point.size()) == 0) point[k] = pipeline::drawn(random_, space_.knobs()[k]);
      }
      point = space_.normal(std::move(point));
      if (space_.legal(point) && proposed_.add(point)) return point;
    }
    return std::nullopt;
  }

  const pipeline::KnobSpace& space_;
  pipeline::Random random_;
  Proposed proposed_;
  std::size_t drawn_ = 0;
  std::vector<Parent> parents_;  ///< best first
};

}  // namespace

std::unique_ptr<Search> genetic_search(const pipeline::KnobSpace& space, const SearchOptions& options) {
  return std::make_unique<GeneticSearch>(space, options);
}

}  // namespace vdla::tune
