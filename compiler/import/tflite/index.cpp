// SPDX-License-Identifier: Apache-2.0
// Operators that read at places given by indices.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/expr/dsl.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

/// Indices that are known must lie in their dimension; those that a model computes are limited to it when it
/// runs. Element i of them belongs to dimension of_element(i).
template <class Dimension>
void require_indices(const Operation& c, const Value& data, const Value& indices,
                     const Dimension& of_element) {
  if (!indices.constant()) return;
  const Integers values = tensor::integers_of(indices);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t d = of_element(i);
    c.require(values[i] >= 0 && values[i] < data.shape[d],
              fmt::format("has index {} into dimension {} of extent {}, needs 0 to {}", values[i], d,
                          data.shape[d], data.shape[d] - 1));
  }
}

/// The dimensions in front of `batch_dims` are those of the indices, too.
void gather(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_GatherOptions);
  const Value data = c.ranked(0, 1), indices = c.in(1);
  const std::size_t axis = c.axis(o.axis(), data.rank());
  const std::size_t batch = o.batch_dims() == 0 ? 0 : c.axis(o.batch_dims(), indices.rank() + 1);
  require_indices(c, data, indices, [&](std::size_t) { return axis; });
  if (batch == 0) return c.set(c.gather(data, indices, static_cast<int>(axis)));
  c.require(batch <= axis,
            fmt::format("has {} batch dimensions and axis {}, needs no larger number", batch, axis));
  Shape rows = indices.shape;
  rows.push_back(1);
  // The axis right behind the batch for a while: rows are then found by one index.
  std::vector<int> first, back;
  for (std::size_t d = 0; d < data.rank(); ++d) first.push_back(static_cast<int>(d));
  std::rotate(first.begin() + static_cast<std::ptrdiff_t>(batch),
              first.begin() + static_cast<std::ptrdiff_t>(axis),
              first.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const Value near = batch == axis ? data : c.transpose(data, first);
  const Value found = c.emit(graph::GatherNd{static_cast<int>(batch)}, {near, c.reshape(indices, rows)});
  for (std::size_t d = 0; d < found.rank(); ++d) back.push_back(static_cast<int>(d));
  const auto from = back.begin() + static_cast<std::ptrdiff_t>(batch);
  const auto places = static_cast<std::ptrdiff_t>(indices.rank() - batch);
  std::rotate(from, from + places, from + places + static_cast<std::ptrdiff_t>(axis - batch));
  c.set(batch == axis ? found : c.transpose(found, back));
}

void gather_nd(const Operation& c) {
  const Value data = c.ranked(0, 1), indices = c.ranked(1, 1);
  const std::int64_t width = indices.shape.back();
  c.require(width >= 1 && width <= static_cast<std::int64_t>(data.rank()),
            fmt::format("has rows of {} indices into {}", width, graph::to_string(data.shape)));
  require_indices(c, data, indices, [&](std::size_t i) { return i % static_cast<std::size_t>(width); });
  c.set(c.emit(graph::GatherNd{0}, {data, indices}));
}

/// Rows of a table; the first dimension of the result is that of the indices. Rows of integers with a scale
/// stay as they are, or become floats.
void embedding_lookup(const Operation& c) {
  const Value indices = c.in(0);
  const bool dequantised = c.quantised_input(1) && !c.quantised_output(0);
  const Value table = dequantised ? c.reals(1) : c.ranked(1, 2);
  require_indices(c, table, indices, [](std::size_t) { return std::size_t{0}; });
  c.set(c.gather(table, indices, 0));
}

/// The shape of what broadcasts two tensors of these shapes.
void broadcast_args(const Operation& c) {
  std::vector<Value> shapes = {c.in(0), c.like(c.in(0), 1)};
  const std::int64_t rank = std::max(shapes[0].count(), shapes[1].count());
  for (Value& shape : shapes) {
    c.require(shape.rank() == 1,
              fmt::format("has a shape of {}, needs a row", graph::to_string(shape.shape)));
    shape = c.pad(shape, {rank - shape.count()}, {0}, 1);
  }
  c.set(c.map("Broadcast", shapes, [](const auto& v) { return select(v[0] == 1, v[1], v[0]); }));
}

/// Inputs: operand, update, and where it begins, which is moved so that the update lies inside.
void dynamic_update_slice(const Operation& c) {
  const Value operand = c.in(0), update = c.like(operand, 1), begin = c.in(2);
  const std::size_t rank = operand.rank();
  c.require(update.rank() == rank && begin.shape == Shape{static_cast<std::int64_t>(rank)},
            fmt::format("has an update {} that begins at {} numbers in {}, needs equal ranks",
                        graph::to_string(update.shape), begin.count(), graph::to_string(operand.shape)));
  if (c.quantised_input(0)) c.require_one_scale(0, 1);
  if (update.count() == 0 || rank == 0) return c.set(rank == 0 ? update : operand);
  Value place = c.scalar(DataType::Int64, 0), inside = c.scalar(DataType::Bool, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t extent = update.shape[d], last = operand.shape[d] - extent;
    c.require(last >= 0, fmt::format("has an update {} in {}", graph::to_string(update.shape),
                                     graph::to_string(operand.shape)));
    const auto at = static_cast<std::int64_t>(d);
    const Value first = c.reshape(c.cast(c.part(begin, 0, at, at + 1), DataType::Int64), {});
    const Value own = c.map("Own", {c.iota(DataType::Int64, rank, d, operand.shape[d]), first},
                            [&](const std::vector<expr::Value>& v) {
                              const auto whole = [](std::int64_t n) {
                                return expr::Value(expr::number(n, expr::DType::I64));
                              };
                              return v[0] - clamp(v[1], whole(0), whole(last));
                            });
    inside =
        c.map("Inside", {inside, own}, [&](const auto& v) { return v[0] && v[1] >= 0 && v[1] < extent; });
    place = c.map("Place", {place, own}, [&](const auto& v) { return v[0] * extent + v[1]; });
  }
  // Places outside of the update are limited to it, and what is there is not taken.
  const Value there = c.gather(c.reshape(update, {update.count()}), place, 0);
  c.set(c.map("Updated", {inside, there, operand}, [](const auto& v) { return select(v[0], v[1], v[2]); }));
}

/// Inputs: indices, depth, value at them, value elsewhere. An axis of -1 is a last dimension.
void one_hot(const Operation& c) {
  const Value indices = c.in(0);
  const std::int64_t depth = c.number(1, "depth");
  const std::size_t rank = indices.rank() + 1;
  const std::size_t axis = c.axis(c.options(&Operator::builtin_options_as_OneHotOptions).axis(), rank);
  c.require(depth >= 0, fmt::format("has depth {}, needs 0 or more", depth));
  Shape shape = indices.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  const Value places = c.cast(c.reshape(indices, shape), DataType::Int64), on = c.in(2);
  c.set(c.map(
      "OneHot",
      {places, c.iota(DataType::Int64, rank, axis, depth), c.reshape(on, {}), c.reshape(c.like(on, 3), {})},
      [](const auto& v) { return select(v[0] == v[1], v[2], v[3]); }));
}

/// The k largest of the last dimension in order, and their indices.
void top_k(const Operation& c) {
  const Value x = c.ranked(0, 1);
  const std::int64_t k = c.number(1, "k");
  const auto axis = static_cast<int>(x.rank()) - 1;
  c.require(k > 0 && k <= x.shape.back(), fmt::format("asks for {} of {}", k, x.shape.back()));
  const Value best = c.part(c.emit(graph::Sort{axis, true}, {x}), x.rank() - 1, 0, k);
  c.set(0, c.emit(graph::GatherElements{axis}, {x, best}));
  if (c.outputs() > 1) c.set(1, c.cast(best, c.stated_type(1)));
}

constexpr Row kIndexRows[] = {
    {"BROADCAST_ARGS", broadcast_args, Takes::Numbers},
    {"DYNAMIC_UPDATE_SLICE", dynamic_update_slice, Takes::Moved},
    {"EMBEDDING_LOOKUP", embedding_lookup, Takes::Moved},
    {"GATHER", gather, Takes::Moved},
    {"GATHER_ND", gather_nd, Takes::Moved},
    {"ONE_HOT", one_hot, Takes::Any},
    {"TOPK_V2", top_k, Takes::Ordered},
};

}  // namespace

std::span<const Row> index_rows() { return kIndexRows; }

}  // namespace vdla::import::tflite
