// SPDX-License-Identifier: Apache-2.0
// Elements of pictures of any number of spatial dimensions at points that another tensor gives.
#pragma once

#include <functional>
#include <vector>

#include "compiler/import/tensor/network.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {

/// Pictures [N, C, elements], whose elements lie in row-major order of `extents`.
struct Pictures {
  Value elements;
  Shape extents;
};

/// Coordinates in elements, one value [N, 1, points] for each dimension of the pictures.
using Points = std::vector<Value>;

/// Elements [N, C, points] at points that are whole numbers; zeros outside of the picture.
Value elements_at(const Composer& c, const Pictures& x, const Points& whole);

/// Weight of the element `move` after the one before a point that lies at the fraction t between two.
using Weight = std::function<Scalar(const Scalar& t, int move)>;
/// Share of the element before the point, or after it, in proportion to the distances.
Scalar linear_weight(const Scalar& t, int move);

/// Sums [N, C, points] of the elements around each point, from `first` to `last` after the one before it
/// along each dimension, times their weights. `elements` gives those that lie `moves` after the whole places.
Value weighted_around(
    const Composer& c, const Points& points, int first, int last,
    const std::function<Value(const Points& whole, const std::vector<int>& moves)>& elements,
    const Weight& weight);

/// Elements [N, C, points] between the ones around each point, in proportion to the distances along each
/// dimension; those outside of the picture count as zeros.
Value interpolated_at(const Composer& c, const Pictures& x, const Points& points);

/// Calls `visit` with each combination of one number from `first` to `last` in each of `rank` dimensions; the
/// last dimension changes fastest.
template <class Visit>
void for_each_move(std::size_t rank, int first, int last, const Visit& visit) {
  std::vector<int> moves(rank, first);
  while (true) {
    visit(moves);
    std::size_t d = rank;
    while (d > 0 && moves[d - 1] == last) moves[--d] = first;
    if (d == 0) return;
    ++moves[d - 1];
  }
}

}  // namespace vdla::import::tensor
