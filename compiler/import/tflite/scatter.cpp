// SPDX-License-Identifier: Apache-2.0
// Operators that write at places: given by indices, on a diagonal, or backwards.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/expr/dsl.h"
#include "compiler/import/tensor/sequences.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

/// A tensor of this shape, each element `fill`.
Value filled(const Operation& c, const Shape& shape, const Value& fill) {
  for (const std::int64_t extent : shape)
    c.require(extent > 0, fmt::format("has an output of {}, needs extents above 0", graph::to_string(shape)));
  c.require_constant(shape);
  return c.broadcast(fill, shape);
}

/// Elements at rows of indices [.., width], on `data`. Rows that are known must lie inside.
Value scattered(const Operation& c, const Value& data, const Value& rows, const Value& updates,
                graph::ScatterMode mode) {
  const std::int64_t width = rows.shape.back();
  c.require(width >= 1 && width <= static_cast<std::int64_t>(data.rank()),
            fmt::format("has rows of {} indices into {}", width, graph::to_string(data.shape)));
  Shape wanted(rows.shape.begin(), rows.shape.end() - 1);
  wanted.insert(wanted.end(), data.shape.begin() + width, data.shape.end());
  c.require(
      updates.shape == wanted && updates.type == data.type,
      fmt::format("has updates of {} {}, needs {} {}", graph::name_of(updates.type),
                  graph::to_string(updates.shape), graph::name_of(data.type), graph::to_string(wanted)));
  if (rows.constant()) {
    const Integers indices = tensor::integers_of(rows);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::int64_t extent = data.shape[i % static_cast<std::size_t>(width)];
      c.require(indices[i] >= 0 && indices[i] < extent,
                fmt::format("has index {} into an extent of {}", indices[i], extent));
    }
  }
  return c.emit(graph::ScatterNd{mode}, {data, c.cast(rows, DataType::Int64), updates});
}

/// Sums of the updates of each element.
void scatter_nd(const Operation& c) {
  const Value updates = c.in(1);
  c.set(scattered(c, filled(c, c.integers(2, "shape"), c.scalar(updates.type, 0)), c.ranked(0, 1), updates,
                  graph::ScatterMode::Add));
}

/// Sums of the rows of each segment.
void segment_sum(const Operation& c) {
  const Value data = c.ranked(0, 1);
  const Integers segments = c.integers(1, "segments");
  c.require(static_cast<std::int64_t>(segments.size()) == data.shape[0] && !segments.empty(),
            fmt::format("has {} segments of {} rows, needs one for each", segments.size(), data.shape[0]));
  c.require(std::ranges::is_sorted(segments) && segments.front() >= 0,
            "has segments that do not ascend from 0 on");
  Shape shape = data.shape;
  shape[0] = segments.back() + 1;
  c.set(scattered(c, filled(c, shape, c.scalar(data.type, 0)),
                  c.reshape(c.in(1), {static_cast<std::int64_t>(segments.size()), 1}), data,
                  graph::ScatterMode::Add));
}

/// Inputs: indices (one, some of one dimension, or rows of them), shape, values, value of all others.
void sparse_to_dense(const Operation& c) {
  const Integers shape = c.integers(1, "shape");
  const Value values = c.in(2), fill = c.like(values, 3);
  Value rows = c.in(0);
  c.require(
      rows.rank() <= 2 && values.rank() <= 1 && fill.count() == 1,
      fmt::format(
          "has indices of {}, values of {} and a default of {}, needs two, one and no dimension at most",
          graph::to_string(rows.shape), graph::to_string(values.shape), graph::to_string(fill.shape)));
  if (rows.rank() < 2) rows = c.reshape(rows, {rows.count(), 1});
  c.require(rows.shape[1] == static_cast<std::int64_t>(shape.size()),
            fmt::format("has rows of {} indices for {} dimensions, needs one for each", rows.shape[1],
                        shape.size()));
  c.set(scattered(c, filled(c, shape, c.reshape(fill, {})), rows, c.broadcast(values, {rows.shape[0]}),
                  graph::ScatterMode::Replace));
}

/// Elements of two dimensions whose indices are equal are those of `diagonal`, others those of `around`.
Value with_diagonal(const Operation& c, const Value& diagonal, const Value& around, const Shape& shape) {
  const std::size_t rank = shape.size();
  const Value rows = c.iota(DataType::Int64, rank, rank - 2, shape[rank - 2]),
              columns = c.iota(DataType::Int64, rank, rank - 1, shape[rank - 1]);
  return c.broadcast(c.map("Diagonal", {rows, columns, diagonal, around},
                           [](const auto& v) { return select(v[0] == v[1], v[2], v[3]); }),
                     shape);
}

void matrix_diag(const Operation& c) {
  const Value x = c.ranked(0, 1);
  Shape one = x.shape, shape = x.shape;
  one.insert(one.end() - 1, 1);
  shape.push_back(x.shape.back());
  c.set(with_diagonal(c, c.reshape(x, one), c.scalar(x.type, 0), shape));
}

void matrix_set_diag(const Operation& c) {
  const Value x = c.ranked(0, 2), diagonal = c.like(x, 1);
  const std::int64_t height = x.shape[x.rank() - 2], width = x.shape.back();
  Shape wanted(x.shape.begin(), x.shape.end() - 2);
  wanted.push_back(std::min(height, width));
  c.require(diagonal.shape == wanted,
            fmt::format("has a diagonal of {} for {}, needs {}", graph::to_string(diagonal.shape),
                        graph::to_string(x.shape), graph::to_string(wanted)));
  Integers before(wanted.size(), 0), after(wanted.size(), 0);
  after.back() = width - wanted.back();
  Value row = c.pad(diagonal, before, after, 0);
  Shape one = row.shape;
  one.insert(one.end() - 1, 1);
  c.set(with_diagonal(c, c.reshape(row, one), x, x.shape));
}

/// The first elements of one dimension, as many as the index of another one says, come backwards.
void reverse_sequence(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_ReverseSequenceOptions);
  const Value x = c.ranked(0, 2), lengths = c.in(1);
  const std::size_t steps = c.axis(o.seq_dim(), x.rank()), batch = c.axis(o.batch_dim(), x.rank());
  c.require(steps != batch && lengths.shape == Shape{x.shape[batch]},
            fmt::format("has lengths of {} for dimension {} of {}, whose elements of dimension {} they count",
                        graph::to_string(lengths.shape), batch, graph::to_string(x.shape), steps));
  c.set(tensor::backwards(c, x, lengths, steps, batch));
}

constexpr Row kScatterRows[] = {
    {"MATRIX_DIAG", matrix_diag, Takes::Any},
    {"MATRIX_SET_DIAG", matrix_set_diag, Takes::Any},
    {"REVERSE_SEQUENCE", reverse_sequence, Takes::Moved},
    {"SCATTER_ND", scatter_nd, Takes::Any},
    {"SEGMENT_SUM", segment_sum, Takes::Numbers},
    {"SPARSE_TO_DENSE", sparse_to_dense, Takes::Any},
};

}  // namespace

std::span<const Row> scatter_rows() { return kScatterRows; }

}  // namespace vdla::import::tflite
