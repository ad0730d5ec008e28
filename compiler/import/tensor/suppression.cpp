// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/suppression.h"

#include <limits>

#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {
namespace {

/// Share of the intersection of two boxes, by their edges from v[a] and v[b] on, in what either covers.
Scalar overlap(const std::vector<Scalar>& v, std::size_t a, std::size_t b) {
  const auto area = [&](std::size_t i) { return (v[i + 2] - v[i]) * (v[i + 3] - v[i + 1]); };
  const Scalar zero = real(0, v[a]);
  const auto extent = [&](std::size_t d) {
    return maximum(minimum(v[a + d + 2], v[b + d + 2]) - maximum(v[a + d], v[b + d]), zero);
  };
  const Scalar both = extent(0) * extent(1), first = area(a), second = area(b);
  return select(first <= zero || second <= zero, zero, both / (first + second - both));
}

}  // namespace

Chosen choose_boxes(const Composer& c, Value scores, const Edges& edges, std::int64_t steps,
                    double most_overlap) {
  const Value numbers = c.iota(DataType::Int64, 2, 1, scores.shape[1]);
  std::vector<Value> places, best;
  for (std::int64_t i = 0; i < steps; ++i) {
    places.push_back(c.emit(graph::Locate{false, false, 1, true}, {scores}));
    best.push_back(c.emit(graph::GatherElements{1}, {scores, places.back()}));
    if (i + 1 == steps) break;
    std::vector<Value> inputs = {scores, numbers, places.back()};
    for (const Value& edge : edges) inputs.push_back(edge);
    for (const Value& edge : edges) inputs.push_back(c.gather(edge, places.back(), 0));
    scores = c.map("Left", inputs, [&](const auto& v) {
      return select(v[1] == v[2] || overlap(v, 3, 7) > real(most_overlap, v[0]), real(kOutScore, v[0]), v[0]);
    });
  }
  return {c.concat(places, 1), c.concat(best, 1)};
}

}  // namespace vdla::import::tensor
