// SPDX-License-Identifier: Apache-2.0
// Operators that read or write at places given by indices.
#include <algorithm>
#include <numeric>
#include <variant>

#include "compiler/import/tensor/extents.h"
#include "compiler/import/tensor/heads.h"
#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tensor/sequences.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::Reducer;

int axis_of(const Node& c) { return static_cast<int>(c.axis(c.integer("axis"), c.in(0).rank())); }

/// Indices that are known must lie in their dimension: -extent to extent - 1, negative ones from the end.
/// Element i of them belongs to dimension of_element(i). Those that a model computes are limited to it when
/// it runs.
template <class Dimension>
void require_indices(const Node& c, const Value& indices, const Dimension& of_element) {
  if (!indices.constant() || indices.count() == 0) return;
  const Integers values = integers_of(indices);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t d = of_element(i);
    const std::int64_t extent = c.in(0).shape.at(d);
    c.require(values[i] >= -extent && values[i] < extent,
              "has index " + std::to_string(values[i]) + " into dimension " + std::to_string(d) +
                  " of extent " + std::to_string(extent) + ", needs " + std::to_string(-extent) + " to " +
                  std::to_string(extent - 1));
  }
}

void require_indices(const Node& c, const Value& indices, int axis) {
  require_indices(c, indices, [&](std::size_t) { return static_cast<std::size_t>(axis); });
}

/// Rows of indices, one for each of the dimensions from `first` on.
void require_rows(const Node& c, const Value& indices, std::size_t first) {
  const auto width = static_cast<std::size_t>(indices.shape.empty() ? 1 : indices.shape.back());
  if (first + width > c.in(0).rank()) return;  // refused with the shapes
  require_indices(c, indices, [&](std::size_t i) { return first + i % width; });
}

void gather(const Node& c) {
  const int axis = axis_of(c);
  require_indices(c, c.in(1), axis);
  c.set(c.gather(c.in(0), c.in(1), axis));
}
void gather_elements(const Node& c) {
  const int axis = axis_of(c);
  require_indices(c, c.in(1), axis);
  c.set(c.emit(graph::GatherElements{axis}, {c.in(0), c.in(1)}));
}
void gather_nd(const Node& c) {
  const std::int64_t batch = c.integer("batch_dims", 0);
  if (batch >= 0) require_rows(c, c.in(1), static_cast<std::size_t>(batch));
  c.set(c.emit(graph::GatherNd{static_cast<int>(batch)}, {c.in(0), c.in(1)}));
}

/// How updates of an element are combined with it: an operator of the graph has the mode, or a reducer.
std::variant<graph::ScatterMode, Reducer> reduction_of(const Node& c) {
  // Largest and smallest belong to operator set 18.
  const std::string word = c.opset() < 18 ? c.word("reduction", {"none", "add", "mul"}, "none")
                                          : c.word("reduction", {"none", "add", "mul", "max", "min"}, "none");
  if (word == "max") return Reducer::Max;
  if (word == "min") return Reducer::Min;
  if (word == "add") return graph::ScatterMode::Add;
  return word == "mul" ? graph::ScatterMode::Multiply : graph::ScatterMode::Replace;
}

/// Indices as int64, negative ones counted from the end of `extent`.
Value from_front(const Node& c, const Value& indices, std::int64_t extent) {
  return c.map("Index", {c.cast(indices, DataType::Int64)},
               [&](const auto& v) { return select(v[0] < 0, v[0] + extent, v[0]); });
}

/// The data, or what lies beyond it among those updates along dimension `axis` whose index is the element's
/// own: `indices` and `numbers`, the elements' own indices, broadcast with `updates`.
Value extreme_of_hits(const Node& c, Reducer reducer, const Value& indices, const Value& numbers,
                      const Value& updates, std::size_t axis) {
  const Value& data = c.in(0);
  const auto none = expr::identity(reducer, graph::dtype_of(data.type));
  const Value hits = c.map("Hits", {indices, numbers, updates},
                           [&](const auto& v) { return select(v[0] == v[1], v[2], expr::Value(none)); });
  const Value best = c.fold(reducer, hits, {static_cast<std::int64_t>(axis)}, false);
  return c.binary(reducer == Reducer::Max ? BinaryOp::Max : BinaryOp::Min, data, c.reshape(best, data.shape));
}

/// Updates behind one another in a last dimension.
Value extreme_elements(const Node& c, Reducer reducer, std::size_t axis) {
  const Value &data = c.in(0), &indices = c.in(1), &updates = c.in(2);
  const auto fits = [&](std::size_t d) { return d == axis || indices.shape[d] <= data.shape[d]; };
  bool inside = indices.rank() == data.rank() && updates.shape == indices.shape;
  for (std::size_t d = 0; inside && d < data.rank(); ++d) inside = fits(d);
  c.require(inside, "has data " + graph::to_string(data.shape) + ", indices " +
                        graph::to_string(indices.shape) + " and updates " + graph::to_string(updates.shape) +
                        ", needs updates of the indices' shape, which is not larger than the data");
  Integers after(data.rank(), 0);
  std::vector<int> perm;
  Shape apart = data.shape;
  apart[axis] = 1;
  apart.push_back(indices.shape[axis]);
  for (std::size_t d = 0; d < data.rank(); ++d) {
    if (d == axis) continue;
    after[d] = data.shape[d] - indices.shape[d];
    perm.push_back(static_cast<int>(d));
  }
  perm.push_back(static_cast<int>(axis));
  const auto last = [&](const Value& v, double fill) {
    return c.reshape(c.transpose(c.pad(v, Integers(data.rank(), 0), after, fill), perm), apart);
  };
  const Value numbers = c.iota(DataType::Int64, apart.size(), axis, data.shape[axis]);
  return extreme_of_hits(c, reducer, last(from_front(c, indices, data.shape[axis]), -1), numbers,
                         last(updates, 0), data.rank());
}

/// ScatterND by a reducer: data become rows, one for each value of an index, and each row takes the extreme
/// of the updates whose index names it.
Value extreme_rows(const Node& c, Reducer reducer) {
  const Value &data = c.in(0), &indices = c.ranked(1, 1), &updates = c.in(2);
  const std::int64_t width = indices.shape.back(), count = indices.count() / std::max<std::int64_t>(width, 1);
  c.require(data.count() > 0 && width >= 1 && width <= static_cast<std::int64_t>(data.rank()),
            "has indices of " + std::to_string(width) + " dimensions into " + graph::to_string(data.shape));
  const Value rows = c.reshape(indices, {count, width});
  Value number = c.scalar(DataType::Int64, 0);
  std::int64_t total = 1;
  for (std::int64_t d = 0; d < width; ++d) {
    const std::int64_t extent = data.shape[static_cast<std::size_t>(d)];
    const Value one = from_front(c, c.part(rows, 1, d, d + 1), extent);
    number = c.map("Number", {number, one}, [&](const auto& v) { return v[0] * extent + v[1]; });
    total *= extent;
  }
  return extreme_of_hits(c, reducer, c.reshape(number, {1, count, 1}), c.iota(DataType::Int64, 3, 0, total),
                         c.reshape(updates, {1, count, data.count() / total}), 1);
}

void scatter_elements(const Node& c) {
  const int axis = axis_of(c);
  require_indices(c, c.in(1), axis);
  const auto reduction = reduction_of(c);
  if (const auto* reducer = std::get_if<Reducer>(&reduction))
    return c.set(extreme_elements(c, *reducer, static_cast<std::size_t>(axis)));
  c.set(c.emit(graph::ScatterElements{axis, std::get<graph::ScatterMode>(reduction)},
               {c.in(0), c.in(1), c.in(2)}));
}
void scatter_nd(const Node& c) {
  require_rows(c, c.in(1), 0);
  const auto reduction = reduction_of(c);
  if (const auto* reducer = std::get_if<Reducer>(&reduction)) return c.set(extreme_rows(c, *reducer));
  c.set(c.emit(graph::ScatterNd{std::get<graph::ScatterMode>(reduction)}, {c.in(0), c.in(1), c.in(2)}));
}

void top_k(const Node& c) {
  const Value& x = c.in(0);
  const int axis = axis_of(c);
  const auto d = static_cast<std::size_t>(axis);
  const std::int64_t k = c.has(1) ? c.number(1, "k") : c.integer("k", 1);
  c.require(k > 0 && k <= x.shape[d], "asks for " + std::to_string(k) + " of " + std::to_string(x.shape[d]));
  const Value order = c.emit(graph::Sort{axis, c.integer("largest", 1) != 0}, {x});
  const Value best = c.part(order, d, 0, k);
  if (c.wants(0)) c.set(0, c.emit(graph::GatherElements{axis}, {x, best}));
  if (c.wants(1)) c.set(1, best);
}

/// Negative indices count from the end from operator set 11 on; before they choose nothing.
void one_hot(const Node& c) {
  const Value& indices = c.in(0);
  const Value& values = c.in(2);
  const std::int64_t depth = c.number(1, "depth");
  const std::size_t rank = indices.rank() + 1, axis = c.axis(c.integer("axis"), rank);
  Shape shape = indices.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  const Value places = c.cast(c.reshape(indices, shape), DataType::Int64);
  const Value off = c.reshape(c.part(values, 0, 0, 1), {}), on = c.reshape(c.part(values, 0, 1, 2), {});
  const bool wraps = c.opset() >= 11;
  c.set(c.map("OneHot", {places, c.iota(DataType::Int64, rank, axis, depth), off, on}, [&](const auto& v) {
    return select((wraps ? select(v[0] < 0, v[0] + depth, v[0]) : v[0]) == v[1], v[3], v[2]);
  }));
}

/// Elements whose condition, known when the model is compiled, is true.
void compress(const Node& c) {
  const Integers condition = c.integers(1, "condition");
  Integers chosen;
  for (std::size_t i = 0; i < condition.size(); ++i)
    if (condition[i] != 0) chosen.push_back(static_cast<std::int64_t>(i));
  c.require(!chosen.empty(), "chooses no element");
  const Value indices = make_constant(DataType::Int64, {static_cast<std::int64_t>(chosen.size())}, chosen);
  if (c.find("axis")) return c.set(c.gather(c.in(0), indices, axis_of(c)));
  c.set(c.gather(c.reshape(c.in(0), {c.in(0).count()}), indices, 0));
}

/// The first length elements of each sequence backwards, by indices that depend on the length.
void reverse_sequence(const Node& c) {
  const Value& x = c.in(0);
  const std::size_t time = c.axis(c.integer("time_axis"), x.rank());
  c.set(backwards(c, x, c.in(1), time, c.axis(c.integer("batch_axis"), x.rank())));
}

/// The past with the update at write_indices along an axis: element i of the past is number i - write_indices
/// of the update, or stays.
void tensor_scatter(const Node& c) {
  const Value &past = c.ranked(0, 2), &update = c.in(1);
  const std::size_t axis = c.axis(c.integer("axis"), past.rank());
  Shape wanted = past.shape;
  if (update.rank() == past.rank()) wanted[axis] = std::min(update.shape[axis], past.shape[axis]);
  c.require(axis > 0 && update.shape == wanted && update.type == past.type,
            "has an update of " + graph::to_string(update.shape) + " for " + graph::to_string(past.shape) +
                " along axis " + std::to_string(axis) +
                ", needs the past's type and shape, no longer along an axis that is not the first");
  if (update.count() == 0) return c.set(past);
  const std::int64_t batch = past.shape[0];
  const bool circular = c.word("mode", {"linear", "circular"}) == "circular";
  Value begin = c.scalar(DataType::Int64, 0);
  if (c.has(2)) {
    c.require(c.in(2).shape == Shape{batch}, "has write_indices of " + graph::to_string(c.in(2).shape) +
                                                 ", needs " + std::to_string(batch) + " numbers");
    Shape shape(past.rank(), 1);
    shape[0] = batch;
    begin = c.reshape(c.cast(c.in(2), DataType::Int64), shape);
  }
  c.set(with_update(c, past, update, begin, axis, circular));
}

/// Rows of indices, one for each dimension; a column for each element that is not zero, as many columns as
/// the data has elements at most.
void non_zero(const Node& c) {
  const Value& x = c.ranked(0, 1);
  const std::int64_t count = x.count();
  if (count == 0)
    return c.set(make_constant(DataType::Int64, {static_cast<std::int64_t>(x.rank()), 0}, Integers{}));
  const Value mask = c.map("NonZero", {c.reshape(x, {count})},
                           [](const auto& v) { return v[0] != Scalar(expr::number(0, v[0].dtype())); });
  const auto [places, number] = compacted(c, mask);
  std::vector<Value> rows;
  std::int64_t each = count;
  for (const std::int64_t extent : x.shape) {
    each /= extent;
    rows.push_back(c.map("Index", {c.reshape(places, {1, count})}, [&](const auto& v) {
      return floor_mod(floor_div(v[0], Scalar(expr::number(each, expr::DType::I64))), extent);
    }));
  }
  c.set(with_extent(c, c.concat(rows, 0), 1, number));
}

/// Elements that differ, by value or in the order of their first places; their first places, the number of
/// each element among them, and how often each is there.
void unique(const Node& c) {
  const Value& x = c.in(0);
  c.require(
      x.rank() == 1 || c.find("axis") == nullptr,
      "compares parts of " + graph::to_string(x.shape) + " along an axis, needs one dimension, or no axis");
  const std::int64_t count = x.count();
  c.require(count > 0, "has no element, needs one at least");
  const Value flat = c.reshape(x, {count}), numbers = c.iota(DataType::Int64, 1, 0, count);
  const Value order = c.emit(graph::Sort{0, false}, {flat}), sorted = c.gather(flat, order, 0);
  const Value before =
      c.gather(sorted, c.map("Before", {numbers}, [](const auto& v) { return maximum(v[0] - 1, 0); }), 0);
  const Value begins =
      c.map("Begins", {numbers, sorted, before}, [](const auto& v) { return v[0] == 0 || v[1] != v[2]; });
  auto [places, number] = compacted(c, begins);
  const Value sums = c.emit(graph::Cumulate{}, {c.cast(begins, DataType::Int64)});
  const auto scattered = [&](const Value& at, const Value& what) {
    const Value zeros = c.broadcast(c.scalar(DataType::Int64, 0), {count});
    return c.emit(graph::ScatterElements{0, graph::ScatterMode::Replace}, {zeros, at, what});
  };
  Value inverse = scattered(order, c.map("Number", {sums}, [](const auto& v) { return v[0] - 1; }));
  const Value after = c.gather(
      places, c.map("After", {numbers}, [&](const auto& v) { return minimum(v[0] + 1, count - 1); }), 0);
  Value counts = c.map("Count", {places, after, numbers, number}, [&](const auto& v) {
    return select(v[2] + 1 < v[3], v[1], Scalar(expr::number(count, expr::DType::I64))) - v[0];
  });
  Value firsts = c.gather(order, places, 0);
  if (c.integer("sorted") == 0) {  // numbers beyond the last one stay there
    const Value keys = c.map("Key", {numbers, number, firsts},
                             [&](const auto& v) { return select(v[0] < v[1], v[2], v[0] + count); });
    const Value perm = c.emit(graph::Sort{0, false}, {keys});
    for (Value* v : {&places, &firsts, &counts}) *v = c.gather(*v, perm, 0);
    inverse = c.gather(scattered(perm, numbers), inverse, 0);
  }
  c.set(0, with_extent(c, c.gather(sorted, places, 0), 0, number));
  c.set(1, with_extent(c, firsts, 0, number));
  c.set(2, inverse);
  c.set(3, with_extent(c, counts, 0, number));
}

constexpr Operator kIndexOperators[] = {
    {"Compress", compress},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"NonZero", non_zero},
    {"OneHot", one_hot},
    {"ReverseSequence", reverse_sequence},
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
    {"TensorScatter", tensor_scatter},
    {"TopK", top_k},
    {"Unique", unique},
};

}  // namespace

std::span<const Operator> index_operators() { return kIndexOperators; }

}  // namespace vdla::import::tensor
