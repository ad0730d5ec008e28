// SPDX-License-Identifier: Apache-2.0
// Costs that a search knows, and a model that is fitted to them whenever there are enough new ones.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "compiler/knobs/space.h"
#include "compiler/tune/model.h"

namespace vdla::tune {

/// A point with what a model says of it.
using Scored = std::pair<double, pipeline::Point>;
/// The points, least scores first; of equals in the order in which they come.
std::vector<pipeline::Point> least_first(std::vector<Scored> scored);

class Learner {
 public:
  /// `known`: what was measured elsewhere.
  Learner(const pipeline::KnobSpace& space, const ModelKind& model, std::span<const Sample> known = {})
      : space_(space), model_(model.make()), samples_(known.begin(), known.end()) {}

  struct Told {
    double cost;
    pipeline::Point point;
    auto operator<=>(const Told&) const = default;
  };

  void told(const pipeline::Point& point, double cost);
  std::size_t size() const { return best_.size(); }
  /// Number of those, and of samples from elsewhere.
  std::size_t samples() const { return samples_.size(); }
  /// All that was told, the least cost first.
  const std::vector<Told>& best() const { return best_; }

  /// Less is better; as the model is by now.
  double score(const pipeline::Point& point);

 private:
  const pipeline::KnobSpace& space_;
  std::unique_ptr<Model> model_;
  std::vector<Sample> samples_;
  std::vector<Told> best_;
  std::size_t fitted_ = 0;  ///< samples that the model knows
};

}  // namespace vdla::tune
