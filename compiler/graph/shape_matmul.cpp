// SPDX-License-Identifier: Apache-2.0
// Shapes of products of two tensors, and of what packs one of them.
#include "compiler/graph/ops_matmul.h"
#include "compiler/graph/shape.h"
#include "compiler/graph/shape_inputs.h"

namespace vdla::graph::shapes {

Shape product_shape(const Inputs& in, bool transpose_a, bool transpose_b) {
  Shape a = in.at(0).shape, b = in.at(1).shape;
  in.require(a.size() >= 2 && b.size() >= 2,
             "needs at least two dimensions of each input, has " + to_string(a) + " and " + to_string(b));
  if (transpose_a) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (transpose_b) std::swap(b[b.size() - 1], b[b.size() - 2]);
  in.require(a.back() == b[b.size() - 2], "cannot multiply " + to_string(a) + " with " + to_string(b));
  Shape out = broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  out.push_back(a[a.size() - 2]);
  out.push_back(b.back());
  return out;
}

namespace {

const Shape& matrices(const Inputs& in, std::size_t i) {
  const Shape& shape = in.typed(i, DataType::Int8).shape;
  in.require(shape.size() >= 2, "needs matrices, has an input of " + to_string(shape));
  return shape;
}

/// The dimension in front of the rows changes places with them.
void swap_rows(const Inputs& in, Shape& shape) {
  in.require(shape.size() >= 3, "has no matrices beside each other in " + to_string(shape));
  std::swap(shape[shape.size() - 3], shape[shape.size() - 2]);
}

void require_entries(const Inputs& in, const EntryShape& e) {
  constexpr std::int64_t kMost = 1 << 16;
  for (const std::int64_t n : {e.block, e.lanes, e.depth})
    in.require(n >= 1 && n <= kMost,
               "has entries of " + std::to_string(n) + ", needs 1 to " + std::to_string(kMost));
}

}  // namespace

TensorType of(const BatchMatMul& op, const Inputs& in) {
  in.count(2, 2);
  in.stage(op.out, 1);
  matrices(in, 0);
  matrices(in, 1);
  return {DataType::Int8, product_shape(in, op.transpose_a, op.transpose_b)};
}

TensorType of(const PackMatrices& op, const Inputs& in) {
  in.count(1, 1);
  const Matrices b(matrices(in, 0), op.product.transpose_b);
  const EntryShape& e = op.entry;
  require_entries(in, e);
  return {
      DataType::Int8,
      {b.count, op.parts() * e.padded(b.columns) / e.lanes, e.padded(b.depth) / e.depth, e.lanes * e.depth}};
}

TensorType of(const PackScales& op, const Inputs& in) {
  in.count(1, 1);
  in.stage(op.product.out, 1);
  const Matrices b(matrices(in, 0), op.product.transpose_b);
  require_entries(in, op.entry);
  return {DataType::Int32, {b.count, kScaleRows * op.entry.padded(b.columns)}};
}

TensorType of(const PackedMatMul& op, const Inputs& in) {
  in.count(3, 3);
  in.stage(op.product.out, 1);
  Shape a = matrices(in, 0);
  if (op.a_by_row) swap_rows(in, a);
  const Shape &entries = in.ranked(1, DataType::Int8, 4).shape,
              &scales = in.ranked(2, DataType::Int32, 2).shape;
  const EntryShape& e = op.entry;
  require_entries(in, e);
  in.require(op.columns > 0 && op.columns <= kLargestTensor,
             "has " + std::to_string(op.columns) + " columns, needs 1 to " + std::to_string(kLargestTensor));
  require_extents(op.batch, "the batch of a packed product ");
  const std::int64_t count = element_count(op.batch), parts = int8_summands(op.product.b_zero_point);
  in.require(!op.product.transpose_a &&
                 entries == Shape{count, parts * e.padded(op.columns) / e.lanes, e.padded(a.back()) / e.depth,
                                  e.lanes * e.depth} &&
                 scales == Shape{count, kScaleRows * e.padded(op.columns)},
             "cannot multiply " + to_string(a) + " with entries " + to_string(entries) + " and scales " +
                 to_string(scales) + " of " + std::to_string(op.columns) + " columns");
  Shape out = broadcast(Shape(a.begin(), a.end() - 2), op.batch);
  out.push_back(a[a.size() - 2]);
  out.push_back(op.columns);
  if (op.out_by_row) swap_rows(in, out);
  return {DataType::Int8, out};
}

}  // namespace vdla::graph::shapes
