// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/trips.h"

#include <fmt/format.h>

#include <algorithm>

namespace vdla::import::tensor {

void require_trips(const Composer& c, std::int64_t trips, std::int64_t nodes) {
  nodes = std::max<std::int64_t>(nodes, 1);
  c.require(
      trips <= kMostOfTrips / nodes,
      fmt::format("has {} trips of {} nodes, at most {} nodes in all are read", trips, nodes, kMostOfTrips));
}

bool goes_on(const Composer& c, const Value& condition) {
  c.network().require_looked_at(condition);
  c.require(
      condition.constant(),
      "has a condition that is computed from the model's inputs, needs one that is known when the model is "
      "compiled: convert the network with a fixed number of trips");
  c.require(condition.count() == 1,
            fmt::format("has a condition of {}, needs one element", graph::to_string(condition.shape)));
  return integers_of(condition)[0] != 0;
}

}  // namespace vdla::import::tensor
