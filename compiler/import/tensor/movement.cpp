// SPDX-License-Identifier: Apache-2.0
// Operators that move elements, and those whose value is known when the model is compiled.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/graph/shape.h"
#include "compiler/import/reshape.h"
#include "compiler/import/tensor/node.h"

namespace vdla::import::tensor {
namespace {

void reshape(const Node& c) { c.set(c.reshape(c.in(0), reshaped_to(c, c.in(0).shape))); }

void flatten(const Node& c) { c.set(c.reshape(c.in(0), flattened(c, c.in(0).shape))); }

void squeeze(const Node& c) { c.set(c.reshape(c.in(0), squeezed(c, c.in(0).shape))); }

void unsqueeze(const Node& c) { c.set(c.reshape(c.in(0), unsqueezed(c, c.in(0).shape))); }

void transpose(const Node& c) { c.set(c.transpose(c.in(0), permutation_of(c, c.in(0).shape))); }

void concat(const Node& c) {
  std::vector<Value> parts;
  for (int i = 0; i < c.inputs(); ++i) parts.push_back(c.in(i));
  c.set(c.concat(parts, c.axis(c.integer("axis", 1), c.in(0).rank())));
}

void split(const Node& c) {
  const Value& x = c.in(0);
  const std::size_t axis = c.axis(c.integer("axis", 0), x.rank());
  Integers sizes = c.has(1) ? c.integers(1, "split") : c.integers("split", Integers{});
  const std::int64_t count = c.outputs();
  c.require(c.integer("num_outputs", count) == count && !(c.has(1) && c.find("num_outputs")),
            "has num_outputs " + std::to_string(c.integer("num_outputs", count)) + ", " +
                (c.has(1) ? "sizes" : std::to_string(count) + " outputs") +
                ": needs as many outputs, or sizes in its place");
  if (sizes.empty()) {
    c.require(c.opset() >= 18 || x.shape[axis] % count == 0,
              "splits axis " + std::to_string(axis) + " of " + graph::to_string(x.shape) + " in " +
                  std::to_string(count) + ", needs equal parts before operator set 18");
    const std::int64_t each = (x.shape[axis] + count - 1) / count;
    for (std::int64_t i = 0; i < count; ++i) sizes.push_back(std::min(each, x.shape[axis] - i * each));
  }
  std::int64_t rest = x.shape[axis];
  for (const std::int64_t size : sizes) {
    c.require(size >= 0 && size <= rest,
              "has a size of " + std::to_string(size) + " in its split, needs 0 to " + std::to_string(rest) +
                  ", the rest of axis " + std::to_string(axis) + " of " + graph::to_string(x.shape));
    rest -= size;
  }
  c.require(static_cast<std::int64_t>(sizes.size()) == count && rest == 0,
            "has sizes that do not add up to " + std::to_string(x.shape[axis]));
  std::int64_t begin = 0;
  for (int i = 0; i < c.outputs(); ++i) {
    const std::int64_t end = begin + sizes[static_cast<std::size_t>(i)];
    if (c.wants(i)) c.set(i, c.part(x, axis, begin, end));
    begin = end;
  }
}

void slice(const Node& c) {
  const SliceBounds b = slice_bounds(c, c.in(0).shape);
  c.set(c.slice(c.in(0), b.start, b.step, b.shape));
}

void expand(const Node& c) {
  const Value& x = c.in(0);
  Shape shape = c.integers(1, "shape");
  if (shape.size() < x.rank()) shape.insert(shape.begin(), x.rank() - shape.size(), 1);
  for (std::size_t d = 0; d < x.rank(); ++d) {
    auto& extent = shape[shape.size() - x.rank() + d];
    c.require(extent == x.shape[d] || extent == 1 || x.shape[d] == 1,
              "cannot expand " + graph::to_string(x.shape) + " to " + graph::to_string(shape));
    if (extent == 1) extent = x.shape[d];
  }
  c.set(c.broadcast(x, shape));
}

/// Before operator set 6 one dimension is repeated.
Integers repeats_of(const Node& c, const Value& x) {
  if (c.opset() >= 6) return c.integers(1, "repeats");
  Integers repeats(x.rank(), 1);
  repeats[c.axis(c.number(2, "axis"), x.rank())] = c.number(1, "tiles");
  return repeats;
}

void tile(const Node& c) { c.set(c.tile(c.in(0), repeats_of(c, c.in(0)))); }

/// Elements around each dimension as if x were repeated without end.
Value wrapped_around(const Node& c, Value x, const Integers& before, const Integers& after) {
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (before[d] == 0 && after[d] == 0) continue;
    const std::int64_t extent = x.shape[d];
    std::int64_t wide = 0;
    c.require(extent > 0 && !__builtin_add_overflow(extent, before[d], &wide) &&
                  !__builtin_add_overflow(wide, after[d], &wide) && wide > 0,
              "pads dimension " + std::to_string(d) + " of " + graph::to_string(x.shape) +
                  " to nothing, or beyond what can be counted");
    c.require_constant({wide});
    Integers places;
    for (std::int64_t i = 0; i < wide; ++i) {
      const std::int64_t place = (i - before[d] % extent) % extent;
      places.push_back(place < 0 ? place + extent : place);
    }
    x = c.gather(x, make_constant(DataType::Int64, {wide}, places), static_cast<int>(d));
  }
  return x;
}

void pad(const Node& c) {
  const Value& x = c.in(0);
  const std::string mode = c.opset() < 19 ? c.word("mode", {"constant", "edge", "reflect"})
                                          : c.word("mode", {"constant", "edge", "reflect", "wrap"});
  const Integers amounts =
      c.has(1) ? c.integers(1, "pads") : c.integers(c.opset() < 2 ? "paddings" : "pads", Integers{});
  Integers axes(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (c.has(3)) axes = c.axes(c.integers(3, "axes"), x.rank());
  c.require(amounts.size() == 2 * axes.size(),
            "has " + std::to_string(amounts.size()) + " amounts, needs " + std::to_string(2 * axes.size()));
  Integers before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    before[static_cast<std::size_t>(axes[i])] = amounts[i];
    after[static_cast<std::size_t>(axes[i])] = amounts[i + axes.size()];
  }
  if (mode == "edge") return c.set(c.pad(x, before, after, 0, graph::Outside::Edge));
  if (mode == "reflect") return c.set(c.pad(x, before, after, 0, graph::Outside::Reflect));
  if (mode == "wrap") return c.set(wrapped_around(c, x, before, after));
  if (!c.has(2)) return c.set(c.pad(x, before, after, c.real("value", 0)));
  if (c.in(2).constant()) return c.set(c.pad(x, before, after, c.real_number(2, "value")));
  const Value inside = c.broadcast(make_constant(DataType::Bool, {}, Integers{1}), x.shape);
  c.set(c.map("Pad", {c.pad(inside, before, after, 0), c.pad(x, before, after, 0), c.reshape(c.in(2), {})},
              [](const auto& v) { return select(v[0], v[1], v[2]); }));
}

/// The middle of each axis, or zeros around it: one more after it where their number is odd.
void center_crop_pad(const Node& c) {
  const Value& x = c.in(0);
  Integers axes(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (c.find("axes")) axes = c.axes(c.integers("axes", {}), x.rank());
  const Integers extents = c.positive("shape", c.integers(1, "shape"), axes.size());
  Integers before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<std::size_t>(axes[i]);
    const std::int64_t more = extents[i] - x.shape[d];
    before[d] = more < 0 ? -(-more / 2) : more / 2;
    after[d] = more - before[d];
  }
  c.set(c.pad(x, before, after, 0));
}

/// N C H W with blocks of channels and pixels exchanged.
void depth_to_space(const Node& c) {
  const Value& x = c.in(0);
  const std::int64_t b = c.positive("blocksize");
  c.require(x.rank() == 4 && b < (1 << 20) && x.shape[1] % (b * b) == 0,
            "needs N C H W with channels divisible by the block");
  const std::int64_t n = x.shape[0], depth = x.shape[1] / (b * b), h = x.shape[2], w = x.shape[3];
  const bool columns_first = c.word("mode", {"DCR", "CRD"}, "DCR") == "CRD";
  const Value apart =
      columns_first ? c.reshape(x, {n, depth, b, b, h, w}) : c.reshape(x, {n, b, b, depth, h, w});
  const Value moved = c.transpose(
      apart, columns_first ? std::vector<int>{0, 1, 4, 2, 5, 3} : std::vector<int>{0, 3, 4, 1, 5, 2});
  c.set(c.reshape(moved, {n, depth, h * b, w * b}));
}

void space_to_depth(const Node& c) {
  const Value& x = c.in(0);
  const std::int64_t b = c.positive("blocksize");
  c.require(x.rank() == 4 && b < (1 << 20) && x.shape[2] % b == 0 && x.shape[3] % b == 0,
            "needs N C H W with a size divisible by the block");
  const std::int64_t n = x.shape[0], depth = x.shape[1], h = x.shape[2] / b, w = x.shape[3] / b;
  const Value moved = c.transpose(c.reshape(x, {n, depth, h, b, w, b}), {0, 3, 5, 1, 2, 4});
  c.set(c.reshape(moved, {n, depth * b * b, h, w}));
}

void identity(const Node& c) { c.set(c.in(0)); }

/// An attribute tells before operator set 7, an input from 12 on.
bool drops(const Node& c) {
  if (c.opset() < 7) return c.integer("is_test") == 0 && c.real("ratio") != 0;
  const bool trains = c.has(2) && c.number(2, "training_mode") != 0;
  return trains && !(c.has(1) && c.real_number(1, "ratio") == 0);
}

void dropout(const Node& c) {
  if (drops(c)) throw OutOfScope(c.where() + "is out of scope: it trains", "training");
  const Value& x = c.in(0);
  c.set(x);
  const DataType mask = c.opset() < 10 ? x.type : DataType::Bool;
  if (c.wants(1)) c.set(1, c.broadcast(make_constant(mask, {}, Integers{1}), x.shape));
}

void shape(const Node& c) {
  const Shape& all = c.as_it_is(0).shape;
  const auto rank = static_cast<std::int64_t>(all.size());
  const auto limited = [&](std::int64_t v) {
    return std::clamp<std::int64_t>(v < 0 ? v + rank : v, 0, rank);
  };
  const std::int64_t begin = limited(c.integer("start", 0)), end = limited(c.integer("end", rank));
  const Integers some(all.begin() + begin, all.begin() + std::max(begin, end));
  c.set(make_constant(DataType::Int64, {static_cast<std::int64_t>(some.size())}, some));
}

void size(const Node& c) { c.set(make_constant(DataType::Int64, {}, Integers{c.as_it_is(0).count()})); }

void constant(const Node& c) {
  if (const auto* a = c.find("value")) return c.set(constant_of(a->t(), c.where()));
  if (const auto* a = c.find("value_float"))
    return c.set(make_constant(DataType::Float32, {}, std::vector<double>{a->f()}));
  if (const auto* a = c.find("value_int")) return c.set(make_constant(DataType::Int64, {}, Integers{a->i()}));
  if (const auto* a = c.find("value_floats"))
    return c.set(make_constant(DataType::Float32, {a->floats_size()},
                               std::vector<double>(a->floats().begin(), a->floats().end())));
  if (const auto* a = c.find("value_ints"))
    return c.set(
        make_constant(DataType::Int64, {a->ints_size()}, Integers(a->ints().begin(), a->ints().end())));
  if (c.find("value_string") || c.find("value_strings"))
    throw OutOfScope(c.where() + "is a string, needs a number", "strings");
  c.require(false, "has no value, needs value, value_float(s) or value_int(s)");
}

void constant_of_shape(const Node& c) {
  const auto* a = c.find("value");
  const Value one = a ? constant_of(a->t(), c.where()) : c.scalar(DataType::Float32, 0);
  c.set(c.broadcast(c.reshape(one, {}), c.integers(0, "shape")));
}

void require_count(const Node& c, double count) {
  c.require(count <= static_cast<double>(kLargestConstant),  // not where it is NaN
            "has " + std::to_string(count) + " elements, needs at most " + std::to_string(kLargestConstant));
}

Value range_of_integers(const Node& c, DataType type) {
  const std::int64_t first = c.number(0, "start"), limit = c.number(1, "limit"), delta = c.number(2, "delta");
  const auto distance = [](std::int64_t from, std::int64_t to) -> std::uint64_t {
    return from < to ? static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) : 0;
  };
  c.require(delta != 0, "has delta 0");
  const std::uint64_t way = delta > 0 ? distance(first, limit) : distance(limit, first);
  const std::uint64_t step = delta > 0 ? distance(0, delta) : distance(delta, 0);
  const std::uint64_t count = way == 0 ? 0 : (way - 1) / step + 1;
  require_count(c, static_cast<double>(count));
  Integers values;
  for (std::uint64_t i = 0; i < count; ++i)
    values.push_back(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + i * static_cast<std::uint64_t>(delta)));
  return make_constant(type, {static_cast<std::int64_t>(count)}, values);
}

/// The distance is rounded to float32 before it is divided, as ONNX Runtime does it: .1f to .4f by .1f has 4
/// elements.
Value range_of_reals(const Node& c, DataType type) {
  const double first = c.real_number(0, "start"), limit = c.real_number(1, "limit");
  const double delta = c.real_number(2, "delta");
  c.require(delta != 0, "has delta 0");
  const double way = type == DataType::Float64 ? limit - first : static_cast<float>(limit - first);
  const double exact = std::ceil(way / delta);
  require_count(c, exact);
  std::vector<double> values;
  for (std::int64_t i = 0; static_cast<double>(i) < exact; ++i)
    values.push_back(first + static_cast<double>(i) * delta);
  return make_constant(type, {static_cast<std::int64_t>(values.size())}, values);
}

void range(const Node& c) {
  const DataType type = c.constant(0, "start").type;
  c.require(c.integer("stash_type", 1) == 1, "has a stash_type other than 1 (float)");
  c.set(expr::is_float(graph::dtype_of(type)) ? range_of_reals(c, type) : range_of_integers(c, type));
}

void eye_like(const Node& c) {
  const Value& x = c.in(0);
  c.require(x.rank() == 2, "needs two dimensions");
  const DataType type = c.find("dtype") ? type_of(static_cast<int>(c.integer("dtype")), c.where()) : x.type;
  const std::int64_t k = c.integer("k");
  c.require_constant(x.shape);
  Integers values;
  for (std::int64_t i = 0; i < x.shape[0]; ++i)
    for (std::int64_t j = 0; j < x.shape[1]; ++j) values.push_back(j - i == k);
  c.set(make_constant(type, x.shape, values));
}

/// Upper or lower triangle; the rest becomes 0.
void triangle(const Node& c) {
  const Value& x = c.ranked(0, 2);
  const std::int64_t k = c.has(1) ? c.number(1, "k") : 0;
  const bool upper = c.integer("upper") != 0;
  if (x.count() == 0) return c.set(x);
  const std::int64_t rows = x.shape[x.rank() - 2], columns = x.shape.back();
  c.require_constant({rows, columns});
  Integers kept;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) kept.push_back(upper ? j - i >= k : j - i <= k);
  c.set(c.map("Trilu", {make_constant(DataType::Bool, {rows, columns}, kept), x},
              [](const auto& v) { return select(v[0], v[1], expr::Value(expr::number(0, v[1].dtype()))); }));
}

constexpr Operator kMovementOperators[] = {
    {"CenterCropPad", center_crop_pad},
    {"Concat", concat},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"DepthToSpace", depth_to_space},
    {"Dropout", dropout},
    {"Expand", expand},
    {"EyeLike", eye_like},
    {"Flatten", flatten},
    {"Identity", identity},
    {"Pad", pad},
    {"Range", range},
    {"Reshape", reshape},
    {"Shape", shape},
    {"Size", size},
    {"Slice", slice},
    {"SpaceToDepth", space_to_depth},
    {"Split", split},
    {"Squeeze", squeeze},
    {"Tile", tile},
    {"Transpose", transpose},
    {"Trilu", triangle},
    {"Unsqueeze", unsqueeze},
};

}  // namespace

std::span<const Operator> movement_operators() { return kMovementOperators; }

}  // namespace vdla::import::tensor
