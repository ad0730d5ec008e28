// SPDX-License-Identifier: Apache-2.0
// Places that the elements of a moving operator come from, where its result has whole rows and columns of
// another image.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "compiler/targets/vdla/templates/from_graph.h"

namespace vdla::pipeline::device {

/// The result's element [y, x, before + c] is element [rows[y], columns[x], channel + c] of tensor `from`, or
/// `value` where the row or the column is Select::kNowhere, and in the channels in front and behind.
struct Places {
  graph::TensorId from = graph::kNone;
  std::vector<std::int64_t> rows, columns;
  std::int64_t channel = 0;
  std::int32_t value = 0;
  std::int64_t before = 0, after = 0;
};

using PlacesOrNot = std::variant<Places, WhyNot>;

PlacesOrNot places_of(const GraphNode& n, const graph::View& op);
/// The indices are constants.
PlacesOrNot places_of(const GraphNode& n, const graph::Gather& op);

/// Follows `places` through the nodes that make its tensor, as long as all have places without channels of
/// `value`.
Places behind(const graph::Graph& graph, Places places);

/// Rows or columns with constant distances in the result and in what they come from.
struct PlaceRun {
  std::int64_t count = 1;
  std::int64_t to = 0, to_step = 0;
  std::int64_t from = 0, from_step = 0;  ///< from: kNowhere where they come from nowhere
};

/// Copies that are worth their instructions.
inline constexpr std::size_t kMostCopies = 64;

/// Returns runs that hold all places: few, though perhaps not the fewest where more than kMostCopies are
/// needed.
std::vector<PlaceRun> runs_of(const std::vector<std::int64_t>& places);

}  // namespace vdla::pipeline::device
