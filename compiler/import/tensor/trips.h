// SPDX-License-Identifier: Apache-2.0
// Loops whose trips are known when the model is compiled: nodes for each trip.
#pragma once

#include <cstdint>

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// Nodes that all trips of a loop become, at most.
constexpr std::int64_t kMostOfTrips = std::int64_t{1} << 16;

/// Refuses more trips of a body of `nodes` than kMostOfTrips allows.
void require_trips(const Composer& c, std::int64_t trips, std::int64_t nodes);

/// Whether there is a trip more, by its condition, which must be known.
bool goes_on(const Composer& c, const Value& condition);

}  // namespace vdla::import::tensor
