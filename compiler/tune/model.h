// SPDX-License-Identifier: Apache-2.0
// Models of a point's cost, by the costs of others. A table: the template's own estimate, and boosted trees
// with the objectives of section 5.2 of the TVM paper (rank, regression), or over the estimate.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/tune/rows.h"

namespace vdla::tune {

/// A point with what is known of it.
struct Sample {
  std::vector<float> row;
  double estimate = 0, cost = 0;
  /// Costs are compared within a group alone: 0 is the task that is searched, others are what was measured
  /// elsewhere (compiler/tune/transfer.h).
  std::size_t group = 0;
};

class Model {
 public:
  virtual ~Model() = default;
  /// From all that was measured.
  virtual void fit(const std::vector<Sample>& samples) = 0;
  /// Less is better; only the order means something.
  virtual double score(std::span<const float> row, double estimate) const = 0;
};

struct ModelKind {
  std::string_view name;
  std::string_view what;  ///< for people, a line
  bool boosts;            ///< needs can_boost()
  std::unique_ptr<Model> (*make)();
};

std::span<const ModelKind> models();
/// UserError lists the known ones, and says what is missing for one that cannot be had in this build.
const ModelKind& model_named(std::string_view name);

}  // namespace vdla::tune
