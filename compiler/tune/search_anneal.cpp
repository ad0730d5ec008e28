// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "compiler/tune/learner.h"
#include "compiler/tune/proposed.h"
#include "compiler/tune/search.h"

namespace vdla::tune {
namespace {

using pipeline::Point;

/// Section 5.3 of the TVM paper: chains of simulated annealing over the model's scores, which go on from
/// batch to batch; the best points that they met are tried, the model is fitted to what they cost.
class AnnealSearch final : public Search {
 public:
  AnnealSearch(const pipeline::KnobSpace& space, const SearchOptions& options)
      : space_(space), random_(options.seed), learner_(space, *options.model, options.known) {}

  std::vector<Point> propose(std::size_t most) override {
    return proposed_.take(learner_.samples() < kFirst ? std::vector<Point>() : anneal(), most, space_,
                          random_);
  }

  void told(const Point& point, std::optional<double> cost) override {
    if (cost) learner_.told(point, *cost);
  }

 private:
  static constexpr std::size_t kFirst = 8;  // drawn before the model is asked
  static constexpr std::size_t kChains = 32;
  static constexpr std::size_t kFromBest = 8;
  static constexpr int kSteps = 60;

  /// Another value of one knob; nothing where that is not legal.
  std::optional<Point> step(const Point& from) {
    Point to = from;
    const std::size_t k = std::uniform_int_distribution<std::size_t>(0, to.size() - 1)(random_);
    to[k] = pipeline::drawn(random_, space_.knobs()[k]);
    to = space_.normal(std::move(to));
    if (to == from || !space_.legal(to)) return std::nullopt;
    return to;
  }

  /// Points that were met and not yet proposed, the best scores first.
  std::vector<Point> anneal() {
    while (chains_.size() < kChains) {
      auto point = space_.sample(random_);
      if (!point) break;
      chains_.push_back(std::move(*point));
    }
    // Some go on from the best that was measured.
    for (std::size_t c = 0; c < std::min({kFromBest, chains_.size(), learner_.size()}); ++c)
      chains_[c] = learner_.best()[c].point;
    std::vector<Scored> met;
    std::vector<double> scores;
    for (const Point& p : chains_) scores.push_back(learner_.score(p));
    const auto [least, most] = std::ranges::minmax(scores);
    const double range = std::max(most - least, 1e-9);
    std::uniform_real_distribution<double> any(0, 1);
    for (int i = 0; i < kSteps; ++i) {
      const double temperature = range * (1 - static_cast<double>(i) / kSteps) / 4;
      for (std::size_t c = 0; c < chains_.size(); ++c) {
        const auto to = step(chains_[c]);
        if (!to) continue;
        const double score = learner_.score(*to);
        if (!proposed_.has(*to)) met.emplace_back(score, *to);
        if (score < scores[c] || any(random_) < std::exp((scores[c] - score) / std::max(temperature, 1e-9))) {
          chains_[c] = *to;
          scores[c] = score;
        }
      }
    }
    std::ranges::sort(met);
    const auto [end, last] = std::ranges::unique(met);
    met.erase(end, last);
    // Trees give many points one score: none of them goes first because of its numbers.
    std::ranges::shuffle(met, random_);
    return least_first(std::move(met));
  }

  const pipeline::KnobSpace& space_;
  pipeline::Random random_;
  Learner learner_;
  Proposed proposed_;
  std::vector<Point> chains_;
};

}  // namespace

std::unique_ptr<Search> anneal_search(const pipeline::KnobSpace& space, const SearchOptions& options) {
  return std::make_unique<AnnealSearch>(space, options);
}

}  // namespace vdla::tune
