// SPDX-License-Identifier: Apache-2.0
// Gradient boosting of trees by XGBoost (T. Chen, C. Guestrin: XGBoost, KDD 2016), which the kit can be built
// without: boosting_xgboost.cpp, boosting_missing.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/tune/rows.h"
#include "compiler/tune/trees.h"

namespace vdla::tune {

/// Whether trees can be fitted: the kit was built with XGBoost's header, and the library is there.
bool can_boost();

struct BoostingOptions {
  int rounds = 60, depth = 3;
  double rate = 0.3;
};

/// First and second derivative of the loss by each row's score.
struct Gradients {
  std::vector<float> first, second;
};
using Loss = std::function<Gradients(const std::vector<float>& scores)>;

/// Least squares: trees whose sum is near to the labels, one for each row. One thread, no draws: the same
/// rows and labels give the same trees. Throws InternalError where can_boost() is false.
Trees boost(const Rows& rows, const std::vector<float>& labels, const BoostingOptions& options);
/// Boosts trees for a loss of one's own.
Trees boost(const Rows& rows, const Loss& loss, const BoostingOptions& options);

}  // namespace vdla::tune
