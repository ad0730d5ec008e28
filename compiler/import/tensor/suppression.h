// SPDX-License-Identifier: Apache-2.0
// Boxes of a detector of which those that overlap a better one are left out.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// Boxes that are chosen in a row at most: each becomes nodes.
constexpr std::int64_t kMostChosen = 500;

/// Score of a box that is out.
constexpr double kOutScore = -std::numeric_limits<double>::infinity();

/// Edges of boxes, [boxes] each: low y, low x, high y, high x.
using Edges = std::array<Value, 4>;

/// Boxes that were chosen, [rows, steps]: their numbers, and their scores, kOutScore where no box was left.
struct Chosen {
  Value places, scores;
};

/// Chooses boxes by each row of scores [rows, boxes], one in a step: the one of largest score that is left,
/// which puts out those that share more than `most_overlap` of what both cover. A box of kOutScore is out.
Chosen choose_boxes(const Composer& c, Value scores, const Edges& edges, std::int64_t steps,
                    double most_overlap);

}  // namespace vdla::import::tensor
