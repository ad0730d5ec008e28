// SPDX-License-Identifier: Apache-2.0
// Operators that read or write at places given by indices.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

/// Places in a dimension, some of them counted from its end; as a constant or, more seldom, as an input.
Piece places(Sketch& s, const Shape& shape, std::int64_t extent, bool wide = true) {
  Random& r = s.random();
  const DataType type = wide || r.chance(0.7) ? DataType::Int64 : DataType::Int32;
  const double low = s.opset() >= 11 && r.chance(0.4) ? -static_cast<double>(extent) : 0;
  const double high = static_cast<double>(extent - 1);
  return r.chance(0.7) ? s.constant(type, shape, low, high) : s.fresh(type, shape, low, high);
}

bool gather(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 1, 4});
  std::int64_t written = 0, axis = s.axis(x.rank(), written);
  const bool stated = s.random().chance(0.7);
  if (!stated) axis = 0;
  const Shape some = s.shape(0, 2, 4);
  const Piece indices = places(s, some, x.shape[static_cast<std::size_t>(axis)], false);
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, some.begin(), some.end());
  Written n = s.node(name);
  n.in(x).in(indices);
  if (stated) n.integer("axis", written);
  moved(n, x, shape);
  return true;
}

bool gather_elements(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 1, 4});
  std::int64_t written = 0, axis = s.axis(x.rank(), written);
  const bool stated = s.random().chance(0.7);
  if (!stated) axis = 0;
  Shape shape = x.shape;
  for (std::size_t d = 0; d < shape.size(); ++d)
    shape[d] = static_cast<std::int64_t>(d) == axis ? s.random().between(std::int64_t{1}, std::int64_t{4})
                                                    : s.random().between(std::int64_t{1}, shape[d]);
  const Piece indices = places(s, shape, x.shape[static_cast<std::size_t>(axis)], false);
  Written n = s.node(name);
  n.in(x).in(indices);
  if (stated) n.integer("axis", written);
  moved(n, x, shape);
  return true;
}

/// Rows of places, each of `width` of the dimensions from `first` on; different rows where asked for.
Piece rows(Sketch& s, Shape shape, const Shape& extents, std::size_t first, std::int64_t width,
           bool different) {
  Random& r = s.random();
  std::vector<double> all;
  std::set<std::vector<double>> seen;
  const std::int64_t count = product(shape);
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<double> row;
    do {
      row.clear();
      for (std::int64_t k = 0; k < width; ++k)
        row.push_back(double(r.below(extents[first + static_cast<std::size_t>(k)])));
    } while (different && !seen.insert(row).second);
    all.insert(all.end(), row.begin(), row.end());
  }
  shape.push_back(width);
  return s.constant_of(DataType::Int64, shape, all);
}

bool gather_nd(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 1, 4});
  Random& r = s.random();
  const std::int64_t batch = s.opset() >= 12 && x.rank() > 1 && r.chance(0.4) ? 1 : 0;
  const std::int64_t width = r.between(std::int64_t{1}, x.rank() - batch);
  Shape head = s.shape(0, 2, 3);
  if (batch > 0) head.insert(head.begin(), x.shape[0]);
  const Piece indices = rows(s, head, x.shape, static_cast<std::size_t>(batch), width, false);
  Shape shape = head;
  shape.insert(shape.end(), x.shape.begin() + batch + width, x.shape.end());
  Written n = s.node(name);
  n.in(x).in(indices);
  if (batch > 0) n.integer("batch_dims", batch);
  moved(n, x, shape);
  return true;
}

/// Modes that version 16 and 18 brought.
std::string reduction(Sketch& s) {
  if (s.opset() >= 18 && s.random().chance(0.3)) return s.random().one_of({"max", "min"});
  if (s.opset() >= 16 && s.random().chance(0.5)) return s.random().one_of({"none", "add", "mul"});
  return "";
}

bool scatter_elements(Sketch& s, const char* name) {
  const Piece x = s.take({kNumbers, 1, 3, -100, 100});
  Random& r = s.random();
  std::int64_t written = 0, axis = s.axis(x.rank(), written);
  const bool stated = r.chance(0.7);
  if (!stated) axis = 0;
  Shape shape = x.shape;
  for (auto& extent : shape) extent = r.between(std::int64_t{1}, extent);
  const std::string mode = std::string_view(name) == "Scatter" ? "" : reduction(s);
  // Each place is written once: their order is nothing that ONNX states.
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t extent = x.shape[a];
  std::vector<double> all(static_cast<std::size_t>(product(shape)));
  std::int64_t inner = 1;
  for (std::size_t d = a + 1; d < shape.size(); ++d) inner *= shape[d];
  for (std::int64_t o = 0; o < product(shape) / (inner * shape[a]); ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      Integers order(static_cast<std::size_t>(extent));
      std::iota(order.begin(), order.end(), 0);
      r.shuffle(order);
      for (std::int64_t k = 0; k < shape[a]; ++k)
        all[static_cast<std::size_t>((o * shape[a] + k) * inner + i)] =
            double(order[static_cast<std::size_t>(k)]) -
            (s.opset() >= 11 && r.chance(0.1) ? double(extent) : 0);
    }
  const Piece indices = s.constant_of(DataType::Int64, shape, all);
  const Piece updates = s.fresh(x.type, shape, -5, 5);
  Written n = s.node(name);
  n.in(x).in(indices).in(updates);
  if (stated) n.integer("axis", written);
  if (!mode.empty()) n.text("reduction", mode);
  const double most = mode == "mul" ? 600 : 110;
  n.out(x.type, x.shape, std::min(x.low, -most), std::max(x.high, most), true, x.typical);
  return true;
}

bool scatter_nd(Sketch& s, const char* name) {
  const Piece x = s.take({kNumbers, 1, 3, -100, 100});
  Random& r = s.random();
  const std::int64_t width = r.between(std::int64_t{1}, x.rank());
  const Shape reached(x.shape.begin(), x.shape.begin() + width);
  const std::int64_t count = r.between(std::int64_t{1}, std::min<std::int64_t>(product(reached), 4));
  const Piece indices = rows(s, {count}, x.shape, 0, width, true);
  Shape shape = {count};
  shape.insert(shape.end(), x.shape.begin() + width, x.shape.end());
  const Piece updates = s.fresh(x.type, shape, -5, 5);
  const std::string mode = reduction(s);
  Written n = s.node(name);
  n.in(x).in(indices).in(updates);
  if (!mode.empty()) n.text("reduction", mode);
  const double most = mode == "mul" ? 600 : 110;
  n.out(x.type, x.shape, std::min(x.low, -most), std::max(x.high, most), true, x.typical);
  return true;
}

bool top_k(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 1, 4, -1e9, 1e9, true});
  Random& r = s.random();
  std::int64_t written = 0, axis = s.axis(x.rank(), written);
  const bool stated = r.chance(0.7);
  if (!stated) axis = x.rank() - 1;
  const std::int64_t k = r.between(std::int64_t{1}, x.shape[static_cast<std::size_t>(axis)]);
  const Piece count = s.opset() >= 10 ? s.integers({k}) : Piece{};
  Written n = s.node(name);
  n.in(x);
  if (s.opset() >= 10)
    n.in(count);
  else
    n.integer("k", k);
  if (stated) n.integer("axis", written);
  if (s.opset() >= 11) n.some("largest", 1, r.below(2));
  if (s.opset() >= 11 && r.chance(0.2)) n.integer("sorted", 1);
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(axis)] = k;
  moved(n, x, shape);
  n.out(DataType::Int64, shape, 0, double(x.shape[static_cast<std::size_t>(axis)]), true);
  return true;
}

bool one_hot(Sketch& s, const char* name) {
  const Shape some = s.shape(1, 2, 4);
  Random& r = s.random();
  const std::int64_t depth = r.between(std::int64_t{2}, std::int64_t{5});
  // Before operator set 11 negative indices choose nothing, but ONNX Runtime counts them from the end.
  const double lowest = s.opset() < 11 ? 0 : -double(depth);
  const Piece indices = s.fresh(DataType::Int64, some, lowest, double(depth) - 1);
  const DataType type = r.one_of({DataType::Float32, DataType::Int64});
  const Piece count = s.constant_of(DataType::Int64, r.chance(0.5) ? Shape{} : Shape{1}, {double(depth)});
  const Piece values = s.constant_of(type, {2},
                                     {double(r.between(std::int64_t{-2}, std::int64_t{0})),
                                      double(r.between(std::int64_t{1}, std::int64_t{3}))});
  std::int64_t axis = r.between(std::int64_t{0}, indices.rank());
  const bool stated = r.chance(0.7);
  if (!stated) axis = indices.rank();
  Written n = s.node(name);
  n.in(indices).in(count).in(values);
  if (stated) n.integer("axis", s.written_axis(axis, indices.rank() + 1));
  Shape shape = some;
  shape.insert(shape.begin() + axis, depth);
  n.out(type, shape, -2, 3, true);
  return true;
}

bool compress(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 1, 4});
  Random& r = s.random();
  std::int64_t written = 0;
  const std::int64_t axis = s.axis(x.rank(), written);
  const bool stated = r.chance(0.6);
  const std::int64_t extent = stated ? x.shape[static_cast<std::size_t>(axis)] : x.count();
  std::vector<double> condition(static_cast<std::size_t>(r.between(std::int64_t{1}, extent)));
  for (double& v : condition) v = static_cast<double>(r.below(2));
  condition[0] = 1;
  const auto kept = std::ranges::count(condition, 1.0);
  const Piece c = s.constant_of(DataType::Bool, {static_cast<std::int64_t>(condition.size())}, condition);
  Written n = s.node(name);
  n.in(x).in(c);
  if (stated) n.integer("axis", written);
  Shape shape = {kept};
  if (stated) shape = x.shape, shape[static_cast<std::size_t>(axis)] = kept;
  moved(n, x, shape);
  return true;
}

bool reverse_sequence(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 2, 4});
  const bool batch_first = s.random().chance(0.4);
  const std::size_t batch = batch_first ? 0 : 1;
  const Piece lengths = s.fresh(DataType::Int64, {x.shape[batch]}, 1, double(x.shape[1 - batch]));
  Written n = s.node(name);
  n.in(x).in(lengths);
  if (batch_first) n.integer("batch_axis", 0).integer("time_axis", 1);
  moved(n, x, x.shape);
  return true;
}

}  // namespace

std::vector<Operator> index_operators() {
  return {{"Compress", 9, kEver, compress},
          {"Gather", 7, kEver, gather},
          {"Gather", 7, kEver, gather},
          {"GatherElements", 11, kEver, gather_elements},
          {"GatherND", 11, kEver, gather_nd},
          {"OneHot", 9, kEver, one_hot},
          {"ReverseSequence", 10, kEver, reverse_sequence},
          {"Scatter", 9, 10, scatter_elements},
          {"ScatterElements", 11, kEver, scatter_elements},
          {"ScatterND", 11, kEver, scatter_nd},
          {"TopK", 7, kEver, top_k}};
}

}  // namespace vdla::random_graphs
