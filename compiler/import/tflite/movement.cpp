// SPDX-License-Identifier: Apache-2.0
// Operators that move elements, and those whose value is known when the model is compiled.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/graph/shape.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

Integers row_of(std::size_t rank, std::int64_t value) {
  Integers row(rank, value);
  return row;
}

/// The extents that are asked for, of which one may be -1: what the others leave.
Shape completed(const Operation& c, Shape shape, std::int64_t count) {
  std::int64_t known = 1;
  std::size_t open = shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != -1) {
      c.require(shape[d] >= 0, fmt::format("has extent {} in its shape, needs -1 or more", shape[d]));
      c.require(shape[d] == 0 || known <= graph::kLargestTensor / shape[d],
                "has a shape beyond what can be counted");
      known *= shape[d];
      continue;
    }
    c.require(open == shape.size(), "has two extents of -1 in its shape, needs at most one");
    open = d;
  }
  if (open < shape.size()) {
    c.require(known > 0 && count % known == 0,
              fmt::format("has {} elements for a shape of {}", count, graph::to_string(shape)));
    shape[open] = count / known;
  }
  return shape;
}

/// Input 0 in another shape; complex numbers keep their components.
void set_reshaped(const Operation& c, Shape shape) {
  if (!c.is_complex(0)) return c.set(c.reshape(c.in(0), std::move(shape)));
  shape.push_back(2);
  c.set_complex(c.reshape(c.complex(0), std::move(shape)));
}

/// The shape is an input, an option, or what the file states for the output.
void reshape(const Operation& c) {
  const std::int64_t count = graph::element_count(c.extents(0));
  Shape shape = c.stated(0);
  if (c.has(1) && c.in(1).constant() && c.in(1).rank() == 1) shape = c.integers(1, "shape");
  set_reshaped(c, completed(c, std::move(shape), count));
}

/// Dimensions of extent 1 go: those that the options name, or all.
void squeeze(const Operation& c) {
  const Shape x = c.extents(0);
  const auto* named = c.options(&Operator::builtin_options_as_SqueezeOptions).squeeze_dims();
  Integers gone;
  if (named && named->size() > 0)
    gone = c.axes({named->begin(), named->end()}, x.size());
  else
    for (std::size_t d = 0; d < x.size(); ++d)
      if (x[d] == 1) gone.push_back(static_cast<std::int64_t>(d));
  Shape shape;
  for (std::size_t d = 0; d < x.size(); ++d)
    if (!std::ranges::binary_search(gone, static_cast<std::int64_t>(d))) shape.push_back(x[d]);
  set_reshaped(c, shape);
}

void expand_dims(const Operation& c) {
  Shape shape = c.extents(0);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(c.axis(c.number(1, "axis"), shape.size() + 1)), 1);
  set_reshaped(c, shape);
}

void transpose(const Operation& c) {
  const Integers perm = c.integers(1, "permutation");
  c.set(c.transpose(c.in(0), {perm.begin(), perm.end()}));
}

/// Amounts before and after each dimension of input 0: input 1, [rank, 2].
std::pair<Integers, Integers> amounts(const Operation& c, std::size_t rank) {
  const Integers pairs = c.integers(1, "paddings");
  c.require(pairs.size() == 2 * rank,
            fmt::format("has {} paddings, needs {} for {} dimensions", pairs.size(), 2 * rank, rank));
  Integers before, after;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    for (std::int64_t p : {pairs[i], pairs[i + 1]})
      c.require(p >= 0 && p <= graph::kLargestTensor, fmt::format("has a padding of {}, needs 0 or more", p));
    before.push_back(pairs[i]);
    after.push_back(pairs[i + 1]);
  }
  return {before, after};
}

/// Zeros, or the value of input 2, around; integers with a scale have their zero point for 0.
void pad(const Operation& c) {
  const Value x = c.in(0);
  const auto [before, after] = amounts(c, x.rank());
  double fill = c.quantised_input(0) ? c.quantization(0).zero_point[0] : 0;
  if (c.has(2)) {
    const Value v = c.like(x, 2);
    c.require(v.constant() && v.count() == 1,
              "needs one value to pad with that is known when it is compiled");
    if (c.quantised_input(0)) c.require_one_scale(0, 2);
    fill = tensor::reals_of(v)[0];
  }
  const std::vector<Value> first = c.all_first({x});
  if (first.empty()) return c.set(c.pad(x, before, after, fill));
  const auto turned = [](const Integers& a) { return Integers{a[0], a[3], a[1], a[2]}; };
  c.set(c.channels_last(c.pad(first[0], turned(before), turned(after), fill)));
}

/// Elements mirrored at the border: the last one is repeated (SYMMETRIC) or not (REFLECT).
void mirror_pad(const Operation& c) {
  const bool repeats =
      c.options(&Operator::builtin_options_as_MirrorPadOptions).mode() == MirrorPadMode::SYMMETRIC;
  Value x = c.in(0);
  const auto [before, after] = amounts(c, x.rank());
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const std::int64_t extent = x.shape[d], most = repeats ? extent : extent - 1;
    c.require(before[d] <= most && after[d] <= most,
              fmt::format("mirrors {} and {} elements of dimension {} of {}, needs at most {}", before[d],
                          after[d], d, graph::to_string(x.shape), most));
    if (before[d] == 0 && after[d] == 0) continue;
    const std::int64_t count = before[d] + extent + after[d];
    c.require_constant({count});
    Integers places;
    places.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = -before[d]; i < extent + after[d]; ++i) {
      const std::int64_t low = repeats ? -1 - i : -i, high = 2 * (extent - 1) - i + (repeats ? 1 : 0);
      places.push_back(i < 0 ? low : i >= extent ? high : i);
    }
    x = c.gather(x, tensor::make_constant(DataType::Int64, {count}, places), static_cast<int>(d));
  }
  c.set(x);
}

/// A part of each dimension, from `begin` in steps.
struct Bounds {
  Integers begin, step;
  Shape shape;
};

/// STRIDED_SLICE as TensorFlow defines it: its bounds name dimensions in order, but for an ellipsis, which
/// stands for all that no other bound names, and new axes, which are none of the input's.
void strided_slice(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_StridedSliceOptions);
  const Value x = c.in(0);
  const Integers begin = c.integers(1, "begin"), end = c.integers(2, "end"), step = c.integers(3, "strides");
  const std::size_t given = begin.size();
  c.require(end.size() == given && step.size() == given && given <= 32,
            fmt::format("has {} begins, {} ends and {} strides, needs as many of each, at most 32",
                        begin.size(), end.size(), step.size()));
  const auto bit = [](int mask, std::size_t i) { return ((static_cast<unsigned>(mask) >> i) & 1U) != 0; };
  std::size_t named = 0, ellipses = 0;
  for (std::size_t i = 0; i < given; ++i) {
    ellipses += bit(o.ellipsis_mask(), i);
    named += !bit(o.ellipsis_mask(), i) && !bit(o.new_axis_mask(), i);
  }
  c.require(ellipses <= 1 && named <= x.rank(),
            fmt::format("names {} dimensions with {} ellipses, its input has {}", named, ellipses, x.rank()));
  Bounds b;
  Shape out;  // with new axes, without those that are one element
  const auto whole = [&](std::size_t d) {
    b.begin.push_back(0);
    b.step.push_back(1);
    b.shape.push_back(x.shape[d]);
    out.push_back(x.shape[d]);
  };
  std::size_t d = 0;
  for (std::size_t i = 0; i < given; ++i) {
    if (bit(o.ellipsis_mask(), i)) {
      for (std::size_t rest = x.rank() - named; rest-- > 0;) whole(d++);
      continue;
    }
    if (bit(o.new_axis_mask(), i)) {
      out.push_back(1);
      continue;
    }
    const std::int64_t extent = x.shape[d++], s = step[i];
    c.require(s != 0, "has a stride of 0");
    const bool one = bit(o.shrink_axis_mask(), i);
    const auto from_front = [&](std::int64_t v) { return v < 0 ? v + extent : v; };
    std::int64_t first = s > 0 ? 0 : extent - 1;
    if (!bit(o.begin_mask(), i)) first = from_front(begin[i]);
    c.require(!one || (first >= 0 && first < extent),
              fmt::format("takes element {} of {} in dimension {}", begin[i], extent, d - 1));
    if (!bit(o.begin_mask(), i)) {
      first = s > 0 ? std::clamp<std::int64_t>(first, 0, extent)
                    : std::clamp<std::int64_t>(first, -1, extent - 1);
    }
    std::int64_t last = s > 0 ? extent : -1;
    if (!bit(o.end_mask(), i)) {
      last = o.offset() ? first + end[i] : from_front(end[i]);
      last =
          s > 0 ? std::clamp<std::int64_t>(last, 0, extent) : std::clamp<std::int64_t>(last, -1, extent - 1);
    }
    const std::int64_t way = s > 0 ? last - first : first - last, each = s > 0 ? s : -s;
    const std::int64_t count = one ? 1 : way <= 0 ? 0 : (way - 1) / each + 1;
    b.begin.push_back(count > 0 ? first : 0);
    b.step.push_back(one ? 1 : s);
    b.shape.push_back(count);
    if (!one) out.push_back(count);
  }
  while (d < x.rank()) whole(d++);
  c.set(c.reshape(c.slice(x, b.begin, b.step, b.shape), out));
}

/// A size of -1 is all that is left.
void slice(const Operation& c) {
  const Value x = c.in(0);
  const Integers begin = c.integers(1, "begin");
  Shape size = c.integers(2, "size");
  c.require(begin.size() == x.rank() && size.size() == x.rank(),
            fmt::format("has {} begins and {} sizes, its input has {} dimensions", begin.size(), size.size(),
                        x.rank()));
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (size[d] == -1 && begin[d] >= 0 && begin[d] <= x.shape[d]) size[d] = x.shape[d] - begin[d];
    c.require(begin[d] >= 0 && size[d] >= 0 && begin[d] <= x.shape[d] && size[d] <= x.shape[d] - begin[d],
              fmt::format("takes {} elements from {} on of dimension {} of {}", size[d], begin[d], d,
                          graph::to_string(x.shape)));
  }
  c.set(c.slice(x, begin, row_of(x.rank(), 1), size));
}

void split_in(const Operation& c, const Value& x, std::size_t axis, const Integers& sizes) {
  c.require(static_cast<int>(sizes.size()) == c.outputs(),
            fmt::format("has {} parts and {} outputs", sizes.size(), c.outputs()));
  std::int64_t begin = 0;
  for (int i = 0; i < c.outputs(); ++i) {
    const std::int64_t size = sizes[static_cast<std::size_t>(i)];
    c.require(size >= 0 && size <= x.shape[axis] - begin,
              fmt::format("has a part of {} elements, {} of axis {} of {} are left", size,
                          x.shape[axis] - begin, axis, graph::to_string(x.shape)));
    c.set(i, c.part(x, axis, begin, begin + size));
    begin += size;
  }
  c.require(begin == x.shape[axis],
            fmt::format("splits {} of {} elements of axis {}", begin, x.shape[axis], axis));
}

/// Inputs: axis, data.
void split(const Operation& c) {
  const Value x = c.in(1);
  const std::size_t axis = c.axis(c.number(0, "axis"), x.rank());
  c.require(x.shape[axis] % c.outputs() == 0, fmt::format("splits axis {} of {} in {}, needs equal parts",
                                                          axis, graph::to_string(x.shape), c.outputs()));
  split_in(c, x, axis, Integers(static_cast<std::size_t>(c.outputs()), x.shape[axis] / c.outputs()));
}

/// Inputs: data, sizes, axis. A size of -1 is what the others leave.
void split_v(const Operation& c) {
  const Value x = c.in(0);
  const std::size_t axis = c.axis(c.number(2, "axis"), x.rank());
  Integers sizes = c.integers(1, "sizes");
  const auto open = std::ranges::find(sizes, -1);
  if (open != sizes.end()) {
    *open = 0;
    const std::int64_t others = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    *open = x.shape[axis] - others;
  }
  split_in(c, x, axis, sizes);
}

void concatenation(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_ConcatenationOptions);
  std::vector<Value> parts;
  parts.reserve(static_cast<std::size_t>(c.inputs()));
  for (int i = 0; i < c.inputs(); ++i) {
    parts.push_back(c.in(i));
    c.require_one_scale(0, i);
  }
  c.require(!parts.empty(), "joins no part, needs at least one");
  const std::size_t axis = c.axis(o.axis(), parts[0].rank());
  const std::vector<Value> first = c.all_first(parts);
  const std::size_t turned[] = {0, 2, 3, 1};
  c.set(c.activated(first.empty() ? c.concat(parts, axis) : c.channels_last(c.concat(first, turned[axis])),
                    o.activation()));
}

void pack(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_PackOptions);
  std::vector<Value> parts;
  for (int i = 0; i < c.inputs(); ++i) {
    const Value x = c.in(i);
    c.require_one_scale(0, i);
    Shape shape = x.shape;
    const auto axis = static_cast<std::ptrdiff_t>(c.axis(o.axis(), x.rank() + 1));
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(c.reshape(x, shape));
  }
  c.require(!parts.empty(), "joins no part, needs at least one");
  c.set(c.concat(parts, c.axis(o.axis(), parts[0].rank())));
}

void unpack(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_UnpackOptions);
  const Value x = c.in(0);
  const std::size_t axis = c.axis(o.axis(), x.rank());
  c.require(x.shape[axis] == c.outputs(),
            fmt::format("has {} outputs for {} parts along axis {}", c.outputs(), x.shape[axis], axis));
  Shape shape = x.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  for (int i = 0; i < c.outputs(); ++i) c.set(i, c.reshape(c.part(x, axis, i, i + 1), shape));
}

void tile(const Operation& c) { c.set(c.tile(c.in(0), c.integers(1, "multiples"))); }

void broadcast_to(const Operation& c) { c.set(c.broadcast(c.in(0), c.integers(1, "shape"))); }

void reverse(const Operation& c) {
  const Value x = c.in(0);
  Integers start = row_of(x.rank(), 0), step = row_of(x.rank(), 1);
  for (std::int64_t axis : c.axes(c.integers(1, "axes"), x.rank())) {
    const auto d = static_cast<std::size_t>(axis);
    start[d] = std::max<std::int64_t>(x.shape[d] - 1, 0);
    step[d] = -1;
  }
  c.set(c.slice(x, start, step, x.shape));
}

/// Extents of the blocks of a SPACE_TO_BATCH_ND or BATCH_TO_SPACE_ND over dimensions 1, 2, ...
Integers blocks(const Operation& c, const Value& x) {
  const Integers block = c.integers(1, "block_shape");
  c.require(!block.empty() && block.size() + 1 <= x.rank(),
            fmt::format("has blocks of {} dimensions, its input {} has {}", block.size(),
                        graph::to_string(x.shape), x.rank()));
  for (std::int64_t b : block)
    c.require(b > 0 && b <= (1 << 20), fmt::format("has a block of {}, needs a positive one", b));
  return block;
}

/// Amounts of dimensions 1, 2, ... in input 2, zeros for all others.
std::pair<Integers, Integers> spatial_amounts(const Operation& c, std::size_t rank, std::size_t spatial,
                                              const char* what) {
  const Integers pairs = c.integers(2, what);
  c.require(pairs.size() == 2 * spatial, fmt::format("has {} {}, needs {}", pairs.size(), what, 2 * spatial));
  Integers before = row_of(rank, 0), after = row_of(rank, 0);
  for (std::size_t d = 0; d < spatial; ++d) {
    before[d + 1] = pairs[2 * d];
    after[d + 1] = pairs[2 * d + 1];
    for (std::int64_t p : {before[d + 1], after[d + 1]})
      c.require(p >= 0 && p <= graph::kLargestTensor, fmt::format("has {} of {}, needs 0 or more", what, p));
  }
  return {before, after};
}

/// Elements of a block become images: [blocks..., N] of every block-th element.
void space_to_batch(const Operation& c) {
  const Value x = c.ranked(0, 2);
  const Integers block = blocks(c, x);
  const auto [before, after] = spatial_amounts(c, x.rank(), block.size(), "paddings");
  const Value wide = c.pad(x, before, after, c.quantised_input(0) ? c.quantization(0).zero_point[0] : 0);
  Shape apart = {x.shape[0]}, out = {x.shape[0]};
  std::vector<int> perm, rest = {0};
  for (std::size_t d = 0; d < block.size(); ++d) {
    const std::int64_t extent = wide.shape[d + 1];
    c.require(extent % block[d] == 0, fmt::format("has {} elements in dimension {}, needs a multiple of {}",
                                                  extent, d + 1, block[d]));
    apart.insert(apart.end(), {extent / block[d], block[d]});
    rest.push_back(static_cast<int>(1 + 2 * d));
    perm.push_back(static_cast<int>(2 + 2 * d));
    out[0] *= block[d];
    out.push_back(extent / block[d]);
  }
  for (std::size_t d = block.size() + 1; d < x.rank(); ++d) {
    rest.push_back(static_cast<int>(apart.size()));
    apart.push_back(x.shape[d]);
    out.push_back(x.shape[d]);
  }
  perm.insert(perm.end(), rest.begin(), rest.end());
  c.set(c.reshape(c.transpose(c.reshape(wide, apart), perm), out));
}

/// The inverse, of which `crops` elements are cut.
void batch_to_space(const Operation& c) {
  const Value x = c.ranked(0, 2);
  const Integers block = blocks(c, x);
  const auto [before, after] = spatial_amounts(c, x.rank(), block.size(), "crops");
  std::int64_t count = 1;
  for (std::int64_t b : block) count *= std::min<std::int64_t>(b, graph::kLargestTensor / count);
  c.require(x.shape[0] % count == 0,
            fmt::format("has {} images, needs a multiple of the block's {} elements", x.shape[0], count));
  const auto spatial = static_cast<int>(block.size());
  Shape apart(block.begin(), block.end()), full = {x.shape[0] / count};
  apart.insert(apart.end(), {x.shape[0] / count});
  apart.insert(apart.end(), x.shape.begin() + 1, x.shape.end());
  std::vector<int> perm = {spatial};
  for (int d = 0; d < spatial; ++d) {
    perm.insert(perm.end(), {spatial + 1 + d, d});
    full.push_back(x.shape[static_cast<std::size_t>(d) + 1] * block[static_cast<std::size_t>(d)]);
  }
  for (std::size_t d = block.size() + 1; d < x.rank(); ++d) {
    perm.push_back(static_cast<int>(d + block.size()));
    full.push_back(x.shape[d]);
  }
  const Value whole = c.reshape(c.transpose(c.reshape(x, apart), perm), full);
  Shape kept = full;
  for (std::size_t d = 0; d < kept.size(); ++d) {
    kept[d] -= before[d] + after[d];
    c.require(kept[d] >= 0,
              fmt::format("crops {} and {} of {} elements in dimension {}", before[d], after[d], full[d], d));
  }
  c.set(c.slice(whole, before, row_of(x.rank(), 1), kept));
}

std::int64_t block_size(const Operation& c, const BlockOptions& o) {
  c.require(o.block_size() > 0 && o.block_size() < (1 << 15),
            fmt::format("has a block of {}, needs a positive one", o.block_size()));
  return o.block_size();
}

/// Sparse constants are read with all their elements.
void densify(const Operation& c) { c.set(c.in(0)); }

/// N H W C, of which each pixel has a block's channels one after the other.
void depth_to_space(const Operation& c) {
  const Value x = c.in(0);
  const std::int64_t b = block_size(c, c.options(&Operator::builtin_options_as_DepthToSpaceOptions));
  c.require(x.rank() == 4 && x.shape[3] % (b * b) == 0, "needs N H W C with channels divisible by the block");
  const std::int64_t n = x.shape[0], h = x.shape[1], w = x.shape[2], depth = x.shape[3] / (b * b);
  const Value moved = c.transpose(c.reshape(x, {n, h, w, b, b, depth}), {0, 1, 3, 2, 4, 5});
  c.set(c.reshape(moved, {n, h * b, w * b, depth}));
}
void space_to_depth(const Operation& c) {
  const Value x = c.in(0);
  const std::int64_t b = block_size(c, c.options(&Operator::builtin_options_as_SpaceToDepthOptions));
  c.require(x.rank() == 4 && x.shape[1] % b == 0 && x.shape[2] % b == 0,
            "needs N H W C with a size divisible by the block");
  const std::int64_t n = x.shape[0], h = x.shape[1] / b, w = x.shape[2] / b, depth = x.shape[3];
  const Value moved = c.transpose(c.reshape(x, {n, h, b, w, b, depth}), {0, 1, 3, 2, 4, 5});
  c.set(c.reshape(moved, {n, h, w, b * b * depth}));
}

void shape(const Operation& c) {
  const Shape extents = c.in(0).shape;
  c.set(tensor::make_constant(c.stated_type(0), {static_cast<std::int64_t>(extents.size())}, extents));
}
void rank(const Operation& c) {
  c.set(tensor::make_constant(c.stated_type(0), {}, Integers{static_cast<std::int64_t>(c.in(0).rank())}));
}

void fill(const Operation& c) {
  const Value one = c.in(1);
  c.require(one.count() == 1, fmt::format("fills with {} elements, needs one", one.count()));
  c.set(c.broadcast(c.reshape(one, {}), c.integers(0, "dims")));
}
void zeros_like(const Operation& c) {
  const Value x = c.in(0);
  c.require_constant(x.shape);
  c.set(c.broadcast(c.scalar(x.type, 0), x.shape));
}

void range(const Operation& c) {
  const Value first = c.in(0), limit = c.in(1), delta = c.in(2);
  c.require(first.constant() && limit.constant() && delta.constant() && first.count() == 1 &&
                limit.count() == 1 && delta.count() == 1,
            "needs a start, limit and delta of one number each that are known when the model is compiled");
  const double begin = tensor::reals_of(first)[0], end = tensor::reals_of(limit)[0];
  const double step = tensor::reals_of(delta)[0];
  c.require(step != 0, "has delta 0");
  const double count = std::max(0.0, std::ceil((end - begin) / step));
  c.require(count <= static_cast<double>(tensor::kLargestConstant),  // not where it is NaN
            fmt::format("has {} elements, needs at most {}", count, tensor::kLargestConstant));
  std::vector<double> values;
  for (std::int64_t i = 0; static_cast<double>(i) < count; ++i)
    values.push_back(begin + static_cast<double>(i) * step);
  c.set(tensor::make_constant(first.type, {static_cast<std::int64_t>(values.size())}, values));
}

constexpr Row kMovementRows[] = {
    {"BATCH_TO_SPACE_ND", batch_to_space, Takes::Moved},
    {"BROADCAST_TO", broadcast_to, Takes::Moved},
    {"CONCATENATION", concatenation, Takes::Moved},
    {"DENSIFY", densify, Takes::Moved},
    {"DEPTH_TO_SPACE", depth_to_space, Takes::Moved},
    {"EXPAND_DIMS", expand_dims, Takes::Moved},
    {"FILL", fill, Takes::Moved},
    {"MIRROR_PAD", mirror_pad, Takes::Moved},
    {"PACK", pack, Takes::Moved},
    {"PAD", pad, Takes::Moved},
    {"PADV2", pad, Takes::Moved},
    {"RANGE", range, Takes::Numbers},
    {"RANK", rank, Takes::Moved},
    {"RESHAPE", reshape, Takes::Moved},
    {"REVERSE_V2", reverse, Takes::Moved},
    {"SHAPE", shape, Takes::Moved},
    {"SLICE", slice, Takes::Moved},
    {"SPACE_TO_BATCH_ND", space_to_batch, Takes::Moved},
    {"SPACE_TO_DEPTH", space_to_depth, Takes::Moved},
    {"SPLIT", split, Takes::Moved},
    {"SPLIT_V", split_v, Takes::Moved},
    {"SQUEEZE", squeeze, Takes::Moved},
    {"STRIDED_SLICE", strided_slice, Takes::Moved},
    {"TILE", tile, Takes::Moved},
    {"TRANSPOSE", transpose, Takes::Moved},
    {"UNPACK", unpack, Takes::Moved},
    {"ZEROS_LIKE", zeros_like, Takes::Any},
};

}  // namespace

std::span<const Row> movement_rows() { return kMovementRows; }

}  // namespace vdla::import::tflite
