// SPDX-License-Identifier: Apache-2.0
// Variants and schedules searched together: a short search of schedules for each point of a sweep, longer
// ones for those that come near the front (successive halving; K. Jamieson, A. Talwalkar: Non-stochastic best
// arm identification and hyperparameter optimization, AISTATS 2016).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/explore/results.h"

namespace vdla::explore {

struct HalvingRound {
  std::int64_t trials = 0;  ///< trials of a point
  std::size_t points = 0;
};

struct Halved {
  /// Points of all variants on all networks, each as its last round has it.
  std::vector<Point> points;
  /// Trials of that round; 0: it could not be measured, and is not counted.
  std::vector<std::int64_t> trials;
  std::vector<HalvingRound> rounds;
};

/// Options by which points are measured with `trials` each.
using RoundOptions = std::function<ExploreOptions(std::int64_t trials)>;

/// Fewest trials of the last round that a halving is for.
inline constexpr std::int64_t kLeastHalved = 32;

/// A thirty-second of the trials for each point, an eighth for the better half, all of them for the best 15
/// of 100: less than a quarter of the trials of all points. The best are those on the front of time and area,
/// then those that come nearest to what needs no more area, network by network. Ones that do not fit the
/// part, or leave work to the CPU, get no second round.
Halved halve(const std::vector<SweepVariant>& variants, const std::vector<Network>& networks,
             std::int64_t trials, const RoundOptions& round, const ResultOptions& about);

}  // namespace vdla::explore
