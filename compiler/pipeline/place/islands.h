// SPDX-License-Identifier: Apache-2.0
// Costs of parts of a network on the device, against the CPU: cycles by the templates' estimates and
// everything that crosses the border, against the speed that the caller says the CPU has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/options/options.h"
#include "compiler/pipeline/place/cost.h"
#include "compiler/pipeline/place/placement.h"

namespace vdla::pipeline {

/// An island and what is decided: the cheaper place.
struct Island {
  std::vector<std::string> nodes;  ///< nodes that the device computes, in order
  std::int64_t border_bytes = 0;
  PlaceCost cost;

  /// Neither place is so much worse by the estimate that a measurement would be wasted.
  bool is_close() const;
  /// One clause for people, with the figures.
  std::string reason() const { return cost.text(nodes.size(), "node", "device"); }
};

/// Islands of a graph whose operands are packed for the device, and its placement; behind them, as islands of
/// their own, nodes that only move what an island makes to where the CPU reads it, and that cost less there.
std::vector<Island> islands_of(const graph::Graph& graph, const Placement& nodes,
                               const CompileOptions& options);

}  // namespace vdla::pipeline
