// SPDX-License-Identifier: Apache-2.0
// Operators that move elements.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

/// Early operator sets move floats, later ones all.
const Types& movable(Sketch& s, std::int64_t since) { return s.opset() >= since ? kAny : kFloat; }

bool concat(Sketch& s, const char* name) {
  Piece x = s.take({kAny, 1});
  Random& r = s.random();
  std::int64_t written = 0;
  const auto axis = static_cast<std::size_t>(s.axis(x.rank(), written));
  std::vector<Piece> parts = {x};
  Shape shape = x.shape;
  for (std::int64_t i = r.between(std::int64_t{1}, std::int64_t{2}); i-- > 0;) {
    Shape other = x.shape;
    other[axis] = r.between(std::int64_t{1}, std::int64_t{4});
    Piece part = r.chance(0.3) ? x : s.fresh(x.type, other, x.low, x.high);
    shape[axis] += part.shape[axis];
    x.low = std::min(x.low, part.low), x.high = std::max(x.high, part.high);
    x.typical = std::max(x.typical, part.typical);
    parts.push_back(part);
  }
  if (product(shape) > 1000) return false;
  r.shuffle(parts);
  Written n = s.node(name);
  for (const Piece& part : parts) n.in(part);
  n.integer("axis", written);
  moved(n, x, shape);
  return true;
}

bool flatten(Sketch& s, const char* name) {
  const Piece x = s.take({movable(s, 9), s.opset() >= 9 ? 0 : 1});
  Written n = s.node(name);
  n.in(x);
  std::int64_t axis = s.random().between(std::int64_t{0}, x.rank());
  const std::int64_t written = axis > 0 && axis < x.rank() ? s.written_axis(axis, x.rank()) : axis;
  if (x.rank() == 0)
    axis = 0, n.integer("axis", 0);
  else if (n.some("axis", 1, written) == 1)
    axis = 1;
  const Shape head(x.shape.begin(), x.shape.begin() + axis), tail(x.shape.begin() + axis, x.shape.end());
  moved(n, x, {product(head), product(tail)});
  return true;
}

Integers written_axes(Sketch& s, const Integers& axes, std::int64_t rank) {
  Integers result;
  for (const std::int64_t a : axes) result.push_back(s.written_axis(a, rank));
  return result;
}

bool squeeze(Sketch& s, const char* name) {
  Piece x = s.take({kAny, 0, 4});
  Integers ones;
  for (std::int64_t d = 0; d < x.rank(); ++d)
    if (x.shape[static_cast<std::size_t>(d)] == 1) ones.push_back(d);
  if (ones.empty() && s.random().chance(0.8)) return false;
  s.random().shuffle(ones);
  const bool given = !ones.empty() && s.random().chance(0.7);
  if (given)
    ones.resize(static_cast<std::size_t>(s.random().between(std::int64_t{1}, std::int64_t(ones.size()))));
  const Integers written = written_axes(s, ones, x.rank());
  const Piece list = given && s.opset() >= 13 ? s.integers(written) : Piece{};
  Written n = s.node(name);
  n.in(x);
  if (given && s.opset() >= 13) n.in(list);
  if (given && s.opset() < 13) n.integers("axes", written);
  Shape shape;
  for (std::int64_t d = 0; d < x.rank(); ++d)
    if (std::ranges::find(ones, d) == ones.end()) shape.push_back(x.shape[static_cast<std::size_t>(d)]);
  moved(n, x, shape);
  return true;
}

bool unsqueeze(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 0, 3});
  const std::int64_t rank = x.rank() + s.random().between(std::int64_t{1}, std::int64_t{2});
  Integers axes = s.some_axes(rank, rank);
  axes.resize(static_cast<std::size_t>(rank - x.rank()));
  const Integers written = written_axes(s, axes, rank);
  const Piece list = s.opset() >= 13 ? s.integers(written) : Piece{};
  Written n = s.node(name);
  n.in(x);
  if (s.opset() >= 13)
    n.in(list);
  else
    n.integers("axes", written);
  Shape shape = x.shape;
  std::ranges::sort(axes);
  for (const std::int64_t a : axes) shape.insert(shape.begin() + a, 1);
  moved(n, x, shape);
  return true;
}

bool transpose(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 1});
  Integers perm(static_cast<std::size_t>(x.rank()));
  std::iota(perm.begin(), perm.end(), 0);
  const bool given = s.random().chance(0.75);
  if (given)
    s.random().shuffle(perm);
  else
    std::ranges::reverse(perm);
  Written n = s.node(name);
  n.in(x);
  if (given) n.integers("perm", perm);
  Shape shape;
  for (const std::int64_t p : perm) shape.push_back(x.shape[static_cast<std::size_t>(p)]);
  moved(n, x, shape);
  return true;
}

bool reshape(Sketch& s, const char* name) {
  const Piece x = s.take({kAny});
  Random& r = s.random();
  Shape shape = x.shape;
  std::vector<std::int64_t> factors;
  for (std::int64_t rest = x.count(), f = 2; rest > 1; ++f)
    while (rest % f == 0) factors.push_back(f), rest /= f;
  shape.assign(static_cast<std::size_t>(r.between(std::int64_t{factors.empty() ? 0 : 1}, std::int64_t{5})),
               1);
  for (const std::int64_t f : factors)
    shape[static_cast<std::size_t>(r.below(std::int64_t(shape.size())))] *= f;
  Integers written = shape;
  for (std::size_t d = 0; d < shape.size(); ++d)  // 0: as the input has it
    if (d < x.shape.size() && shape[d] == x.shape[d] && r.chance(0.4)) written[d] = 0;
  bool zeros = std::ranges::find(written, 0) != written.end();
  if (!written.empty() && r.chance(0.5))
    written[static_cast<std::size_t>(r.below(std::int64_t(written.size())))] = -1;
  zeros = std::ranges::find(written, 0) != written.end();
  const Piece list = s.integers(written);
  Written n = s.node(name);
  n.in(x).in(list);
  if (s.opset() >= 14) n.some("allowzero", 0, zeros ? 0 : r.below(2));
  moved(n, x, shape);
  return true;
}

bool split(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 1});
  Random& r = s.random();
  std::int64_t written = 0, axis = s.axis(x.rank(), written);
  const bool stated = r.chance(0.7);
  if (!stated) axis = 0;
  const std::int64_t extent = x.shape[static_cast<std::size_t>(axis)];
  const std::int64_t count = r.between(std::int64_t{1}, std::min<std::int64_t>(extent, 3));
  Integers sizes;
  const bool uneven = s.opset() >= 18 && r.chance(0.4), equal = extent % count == 0 && r.chance(0.5);
  const std::int64_t each = (extent + count - 1) / count;
  if (uneven && each * (count - 1) >= extent) return false;
  for (std::int64_t i = 0, rest = extent; i < count; ++i) {
    std::int64_t size = i + 1 == count ? rest : r.between(std::int64_t{1}, rest - (count - 1 - i));
    if (uneven)
      size = std::min(each, rest);
    else if (equal)
      size = extent / count;
    sizes.push_back(size);
    rest -= size;
  }
  const bool listed = !uneven && !equal;
  const Piece list = listed && s.opset() >= 13 ? s.integers(sizes) : Piece{};
  Written n = s.node(name);
  n.in(x);
  if (listed && s.opset() >= 13) n.in(list);
  if (listed && s.opset() < 13) n.integers("split", sizes);
  if (!listed && s.opset() >= 18) n.integer("num_outputs", count);
  if (stated) n.integer("axis", written);
  for (std::int64_t i = 0; i < count; ++i) {
    Shape shape = x.shape;
    shape[static_cast<std::size_t>(axis)] = sizes[static_cast<std::size_t>(i)];
    moved(n, x, shape);
  }
  return true;
}

bool slice(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 1});
  Random& r = s.random();
  const bool attributes = s.opset() < 10;
  Integers axes = s.some_axes(x.rank(), 1), starts, ends, steps;
  const bool listed = r.chance(0.75);
  if (!listed) {
    std::iota(axes.begin(), axes.end(), 0);
  }
  Shape shape = x.shape;
  const bool has_steps = !attributes && listed && r.chance(0.6);
  for (const std::int64_t a : axes) {
    const std::int64_t extent = x.shape[static_cast<std::size_t>(a)];
    const std::int64_t step = has_steps ? r.one_of({-2, -1, 1, 2, 3}) : 1;
    std::int64_t first = r.below(extent),
                 last = step > 0 ? r.between(first, extent - 1) : r.between(std::int64_t{0}, first);
    shape[static_cast<std::size_t>(a)] = (std::abs(last - first)) / std::abs(step) + 1;
    std::int64_t end = step > 0 ? last + 1 : last - 1;
    if (step > 0 && end == extent && r.chance(0.5))
      end = r.one_of<std::int64_t>({INT64_MAX, 1000, INT32_MAX});
    else if (end < extent && end > 0 && r.chance(0.4))
      end -= extent;
    else if (end < 0)
      end = r.one_of<std::int64_t>({-extent - 1, -1000, INT32_MIN, INT64_MIN});
    if (r.chance(0.4)) first -= extent;
    starts.push_back(first), ends.push_back(end), steps.push_back(step);
  }
  const Integers written = written_axes(s, axes, x.rank());
  const auto list = [&](const Integers& values) {
    if (r.chance(0.8) || std::ranges::any_of(values, [](auto v) { return v > INT32_MAX || v < INT32_MIN; }))
      return s.integers(values);
    return s.constant_of(DataType::Int64, {static_cast<std::int64_t>(values.size())},
                         {values.begin(), values.end()});
  };
  if (attributes) {
    Written n = s.node(name);
    n.in(x).integers("starts", starts).integers("ends", ends);
    if (listed) n.integers("axes", written);
    moved(n, x, shape);
    return true;
  }
  const Piece a = list(starts), b = list(ends), c = list(written), d = list(steps);
  Written n = s.node(name);
  n.in(x).in(a).in(b);
  if (listed) n.in(c);
  if (has_steps) n.in(d);
  moved(n, x, shape);
  return true;
}

bool expand(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 0, 4});
  Shape shape = x.shape, result;
  for (auto& extent : shape)
    if (extent == 1 || s.random().chance(0.3))
      extent = extent == 1 ? s.random().between(std::int64_t{1}, std::int64_t{4}) : 1;
  if (s.random().chance(0.3))
    shape.insert(shape.begin(), s.random().between(std::int64_t{1}, std::int64_t{3}));
  else if (!shape.empty() && s.random().chance(0.2))
    shape.erase(shape.begin());
  if (!broadcast(x.shape, shape, result)) return false;
  const Piece list = s.integers(shape);
  Written n = s.node(name);
  n.in(x).in(list);
  moved(n, x, result);
  return true;
}

bool tile(Sketch& s, const char* name) {
  const Piece x = s.take({kAny, 1, 4});
  Integers repeats;
  Shape shape = x.shape;
  for (auto& extent : shape)
    repeats.push_back(s.random().between(std::int64_t{1}, std::int64_t{3})), extent *= repeats.back();
  if (product(shape) > 800) return false;
  const Piece list = s.integers(repeats);
  Written n = s.node(name);
  n.in(x).in(list);
  moved(n, x, shape);
  return true;
}

bool pad(Sketch& s, const char* name) {
  static const Types kNumbersToo = {DataType::Float32, DataType::Float32, DataType::Int32,
                                    DataType::Int64,   DataType::Int8,    DataType::UInt8};
  const Piece x = s.take({s.opset() >= 11 ? kNumbersToo : kFloat, 1, 4});
  Random& r = s.random();
  const std::string mode = r.one_of({"", "constant", "constant", "edge", "reflect"});
  const bool fills = mode.empty() || mode == "constant";
  const bool some = s.opset() >= 18 && r.chance(0.4);
  Integers axes(static_cast<std::size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  if (some) axes = s.some_axes(x.rank(), 1);
  Integers amounts(2 * axes.size(), 0);
  Shape shape = x.shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    auto& extent = shape[static_cast<std::size_t>(axes[i])];
    const std::int64_t own = extent, most = mode == "reflect" ? own - 1 : 2;
    for (const std::size_t end : {i, i + axes.size()}) {
      amounts[end] = r.between(std::int64_t{0}, std::min<std::int64_t>(most, 3));
      if (fills && r.chance(0.1) && own > 2) amounts[end] = -1;
      extent += amounts[end];
    }
  }
  if (std::ranges::any_of(shape, [](auto e) { return e < 1; }) || product(shape) > 1000) return false;
  const double fill = x.type == DataType::Float32 ? std::round(r.between(-2.0, 2.0) * 8) / 8
                      : x.type == DataType::UInt8 ? 3
                                                  : -3;
  const bool filled = fills && r.chance(0.5);
  Piece low = x;
  if (fills) low.low = std::min({x.low, fill, 0.0}), low.high = std::max({x.high, fill, 0.0});
  if (s.opset() < 11) {
    Written n = s.node(name);
    n.in(x);
    if (!mode.empty()) n.text("mode", mode);
    n.integers("pads", amounts);
    if (filled) n.real("value", fill);
    moved(n, low, shape);
    return true;
  }
  const Piece list = s.integers(amounts), value = s.constant_of(x.type, {}, {fill});
  const Piece named = some ? s.integers(written_axes(s, axes, x.rank())) : Piece{};
  Written n = s.node(name);
  n.in(x).in(list);
  if (filled) n.in(value);
  if (some && !filled) n.absent();
  if (some) n.in(named);
  if (!mode.empty()) n.text("mode", mode);
  moved(n, low, shape);
  return true;
}

bool blocks(Sketch& s, const char* name) {
  Random& r = s.random();
  const bool to_space = std::string_view(name) == "DepthToSpace";
  const std::int64_t b = r.between(std::int64_t{1}, std::int64_t{3}),
                     n_ = r.between(std::int64_t{1}, std::int64_t{2});
  const std::int64_t c = r.between(std::int64_t{1}, std::int64_t{2}),
                     h = r.between(std::int64_t{1}, std::int64_t{3}),
                     w = r.between(std::int64_t{1}, std::int64_t{3});
  const Shape deep = {n_, c * b * b, h, w}, wide = {n_, c, h * b, w * b};
  const Piece x = s.fresh(DataType::Float32, to_space ? deep : wide, -4, 4);
  Written n = s.node(name);
  n.in(x).integer("blocksize", b);
  if (to_space && s.opset() >= 11 && r.chance(0.6)) n.text("mode", r.one_of({"DCR", "CRD"}));
  moved(n, x, to_space ? wide : deep);
  return true;
}

bool dropout(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat});
  const bool as_input = s.opset() >= 12, given = s.random().chance(0.5);
  const Piece ratio = as_input && given ? s.constant_of(DataType::Float32, {}, {0.25}) : Piece{};
  Written n = s.node(name);
  n.in(x);
  if (given && as_input) n.in(ratio);
  if (given && !as_input) n.real("ratio", 0.25);
  moved(n, x, x.shape);
  if (as_input && s.random().chance(0.3)) n.out(DataType::Bool, x.shape, 0, 1, true);
  return true;
}

bool identity(Sketch& s, const char* name) {
  const Piece x = s.take({kAny});
  Written n = s.node(name);
  n.in(x);
  moved(n, x, x.shape);
  return true;
}

}  // namespace

std::vector<Operator> movement_operators() {
  return {{"Concat", 4, kEver, concat},
          {"Concat", 4, kEver, concat},
          {"Concat", 4, kEver, concat},
          {"DepthToSpace", 7, kEver, blocks},
          {"Dropout", 7, kEver, dropout},
          {"Expand", 8, kEver, expand},
          {"Flatten", 7, kEver, flatten},
          {"Flatten", 7, kEver, flatten},
          {"Identity", 7, kEver, identity},
          {"Pad", 7, kEver, pad},
          {"Pad", 7, kEver, pad},
          {"Reshape", 7, kEver, reshape},
          {"Reshape", 7, kEver, reshape},
          {"Reshape", 7, kEver, reshape},
          {"Slice", 7, kEver, slice},
          {"Slice", 7, kEver, slice},
          {"SpaceToDepth", 7, kEver, blocks},
          {"Split", 7, kEver, split},
          {"Split", 7, kEver, split},
          {"Squeeze", 7, kEver, squeeze},
          {"Squeeze", 7, kEver, squeeze},
          {"Tile", 7, kEver, tile},
          {"Transpose", 7, kEver, transpose},
          {"Transpose", 7, kEver, transpose},
          {"Unsqueeze", 7, kEver, unsqueeze},
          {"Unsqueeze", 7, kEver, unsqueeze}};
}

}  // namespace vdla::random_graphs
