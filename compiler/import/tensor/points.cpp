// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/points.h"

#include <optional>

namespace vdla::import::tensor {

using expr::BinaryOp;
using expr::DType;
using expr::Function;

namespace {

/// A whole coordinate as an index that lies in the picture.
Scalar inside(const Scalar& coordinate, std::int64_t extent) {
  return expr::cast(
      DType::I64, clamp(coordinate, real(0, coordinate), real(static_cast<double>(extent - 1), coordinate)));
}

Scalar lies_inside(const Scalar& coordinate, std::int64_t extent) {
  return coordinate >= real(0, coordinate) && coordinate <= real(static_cast<double>(extent - 1), coordinate);
}

}  // namespace

Value elements_at(const Composer& c, const Pictures& x, const Points& whole) {
  const std::size_t rank = x.extents.size();
  const Value index = c.map("Place", whole, [&](const auto& v) {
    Scalar place = inside(v[0], x.extents[0]);
    for (std::size_t d = 1; d < rank; ++d) place = place * x.extents[d] + inside(v[d], x.extents[d]);
    return place;
  });
  const Shape shape = {x.elements.shape[0], x.elements.shape[1], index.shape[2]};
  std::vector<Value> inputs = {c.emit(graph::GatherElements{2}, {x.elements, c.broadcast(index, shape)})};
  inputs.insert(inputs.end(), whole.begin(), whole.end());
  return c.map("Inside", inputs, [&](const auto& v) {
    Scalar all = lies_inside(v[1], x.extents[0]);
    for (std::size_t d = 1; d < rank; ++d) all = all && lies_inside(v[d + 1], x.extents[d]);
    return select(all, v[0], real(0, v[0]));
  });
}

Scalar linear_weight(const Scalar& t, int move) { return move == 0 ? Scalar(real(1, t) - t) : t; }

Value weighted_around(
    const Composer& c, const Points& points, int first, int last,
    const std::function<Value(const Points& whole, const std::vector<int>& moves)>& elements,
    const Weight& weight) {
  const std::size_t rank = points.size();
  Points floors;
  for (const Value& p : points) floors.push_back(c.unary(Function::Floor, p));
  std::optional<Value> total;
  for_each_move(rank, first, last, [&](const std::vector<int>& moves) {
    std::vector<Value> inputs = {elements(floors, moves)};
    for (std::size_t d = 0; d < rank; ++d) inputs.insert(inputs.end(), {points[d], floors[d]});
    const Value part = c.map("Weight", inputs, [&](const auto& v) {
      Scalar share = v[0];
      for (std::size_t d = rank; d-- > 0;) share = share * weight(v[1 + 2 * d] - v[2 + 2 * d], moves[d]);
      return share;
    });
    total = total ? c.binary(BinaryOp::Add, *total, part) : part;
  });
  return *total;
}

Value interpolated_at(const Composer& c, const Pictures& x, const Points& points) {
  const auto elements = [&](const Points& floors, const std::vector<int>& moves) {
    Points whole;
    for (std::size_t d = 0; d < floors.size(); ++d)
      whole.push_back(moves[d] == 0 ? floors[d] : c.map("Next", {floors[d]}, [](const auto& v) {
        return v[0] + real(1, v[0]);
      }));
    return elements_at(c, x, whole);
  };
  return weighted_around(c, points, 0, 1, elements, linear_weight);
}

}  // namespace vdla::import::tensor
