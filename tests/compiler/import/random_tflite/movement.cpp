// SPDX-License-Identifier: Apache-2.0
// Operators that move elements, reduce or index. Shapes of results are computed here from what was drawn.
#include <algorithm>
#include <numeric>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {

DataType moved(Sketch& s) {
  const DataType type = s.random.one_of({kFloat, kFloat, DataType::Int32, DataType::Int8, DataType::Int16});
  if (type == DataType::Int8) s.quantise(s.random.chance(0.3));
  if (type == DataType::Int16) s.quantise16();
  return type;
}

namespace {

using import::tflite::BuiltinOptions;

std::int64_t axis_of(Sketch& s, std::size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  return s.random.between(-r, r - 1);
}
std::size_t from_front(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

void reshape(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(1, 4);
  const int x = s.input(type, shape);
  s.random.shuffle(shape);
  Shape asked = shape;
  if (s.random.chance(0.4))
    asked[static_cast<std::size_t>(s.random.below(static_cast<std::int64_t>(asked.size())))] = -1;
  const int to = s.numbers(asked);
  s.output(type, shape);
  s.finish(code, BuiltinOptions::ReshapeOptions,
           import::tflite::CreateReshapeOptionsDirect(s.file.builder(), nullptr), {x, to});
}

void squeeze(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  const bool names = s.random.chance(0.5);
  Ints gone;
  Shape out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool goes = shape[d] == 1 && (!names || s.random.chance(0.7));
    if (!goes) out.push_back(shape[d]);
    if (goes && names) gone.push_back(static_cast<std::int32_t>(d));
  }
  if (names && gone.empty()) out.clear();  // no name is all
  if (out.empty())
    for (std::int64_t extent : shape)
      if (extent != 1) out.push_back(extent);
  const int x = s.input(type, shape);
  s.output(type, out);
  s.finish(code, BuiltinOptions::SqueezeOptions,
           import::tflite::CreateSqueezeOptionsDirect(s.file.builder(), &gone), {x});
}
void expand_dims(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(1, 3);
  const std::int64_t axis = axis_of(s, shape.size() + 1);
  const int x = s.input(type, shape), a = s.constant(DataType::Int32, {}, {static_cast<double>(axis)});
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(from_front(axis, shape.size() + 1)), 1);
  s.output(type, shape);
  s.finish(code, {x, a});
}

void transpose(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  std::vector<std::int64_t> perm(shape.size());
  std::iota(perm.begin(), perm.end(), 0);
  s.random.shuffle(perm);
  Shape out;
  for (std::int64_t p : perm) out.push_back(shape[static_cast<std::size_t>(p)]);
  const int x = s.input(type, shape), order = s.numbers(perm);
  s.output(type, out);
  s.finish(code, {x, order});
}

struct Amounts {
  std::vector<double> pairs;
  Shape out;
};
Amounts amounts(Sketch& s, const Shape& shape, std::int64_t least_left) {
  Amounts a{{}, shape};
  for (std::size_t d = 0; d < shape.size(); ++d)
    for (int side = 0; side < 2; ++side) {
      const std::int64_t most = std::min<std::int64_t>(2, shape[d] - least_left);
      const std::int64_t p = s.random.chance(0.5) ? 0 : s.random.between(std::int64_t{0}, most);
      a.pairs.push_back(static_cast<double>(p));
      a.out[d] += p;
    }
  return a;
}

void pad(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  const Amounts a = amounts(s, shape, -2);
  const int x = s.input(type, shape);
  Ints inputs = {x, s.constant(DataType::Int32, {static_cast<std::int64_t>(shape.size()), 2}, a.pairs)};
  if (code == 60) inputs.push_back(s.constant(type, {1}, {3}));
  s.output(type, a.out);
  s.finish(code, inputs);
}
void mirror_pad(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  const bool repeats = s.random.chance(0.5);
  const Amounts a = amounts(s, shape, repeats ? 0 : 1);
  const int x = s.input(type, shape);
  const int pairs = s.constant(DataType::Int32, {static_cast<std::int64_t>(shape.size()), 2}, a.pairs);
  s.output(type, a.out);
  s.finish(code, BuiltinOptions::MirrorPadOptions,
           import::tflite::CreateMirrorPadOptions(
               s.file.builder(),
               repeats ? import::tflite::MirrorPadMode::SYMMETRIC : import::tflite::MirrorPadMode::REFLECT),
           {x, pairs});
}

/// Elements begin, begin + step, ... before end of an extent.
std::int64_t count_of(std::int64_t extent, std::int64_t begin, std::int64_t end, std::int64_t step) {
  std::int64_t count = 0;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step) count += i >= 0 && i < extent;
  return count;
}

void strided_slice(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  int masks[5] = {0, 0, 0, 0, 0};  // begin, end, ellipsis, new axis, one element
  std::vector<std::int64_t> begin, end, step;
  Shape out;
  const auto ellipsis =
      s.random.chance(0.25) ? s.random.below(static_cast<std::int64_t>(shape.size())) : std::int64_t{-1};
  const auto whole = [&](std::size_t d) { out.push_back(shape[d]); };
  std::size_t d = 0;
  bool cut = false;
  while (d < shape.size() && !cut) {
    const int bit = 1 << begin.size();
    if (s.random.chance(0.1) && out.size() < 4) {
      masks[3] |= bit;
      begin.push_back(0), end.push_back(0), step.push_back(1);
      out.push_back(1);
      continue;
    }
    if (static_cast<std::int64_t>(d) == ellipsis) {
      masks[2] |= bit;
      begin.push_back(0), end.push_back(0), step.push_back(1);
      // TensorFlow Lite 2.9 does not take one of no dimension for what it is.
      const auto rest = static_cast<std::size_t>(
          s.random.between(std::int64_t{1}, static_cast<std::int64_t>(shape.size() - d)));
      for (std::size_t i = 0; i < rest; ++i) whole(d++);
      // Bounds for every dimension that is left follow.
      for (; d < shape.size(); ++d) {
        begin.push_back(0), end.push_back(shape[d]), step.push_back(1);
        whole(d);
      }
      break;
    }
    const std::int64_t extent = shape[d];
    const std::int64_t by = s.random.one_of({1, 1, 2, -1, -2});
    std::int64_t from = s.random.below(extent), to = s.random.between(std::int64_t{-1}, extent);
    if (s.random.chance(0.2)) {
      masks[4] |= bit;
      begin.push_back(s.random.chance(0.5) ? from : from - extent);
      end.push_back(from + 1), step.push_back(1);
      ++d;
      continue;
    }
    if (by > 0 && to <= from) to = from + 1;
    if (by < 0 && to >= from) to = from - 1;
    if (s.random.chance(0.3)) masks[0] |= bit, from = by > 0 ? 0 : extent - 1;
    // An end of -1 is the last element: where all up to the first are meant, the mask says so.
    if (to < 0 || s.random.chance(0.3)) masks[1] |= bit, to = by > 0 ? extent : -1;
    begin.push_back((masks[0] & bit) != 0 ? 0 : from);
    end.push_back((masks[1] & bit) != 0 ? 0 : to);
    step.push_back(by);
    out.push_back(count_of(extent, from, to, by));
    ++d;
    cut = ellipsis < 0 && s.random.chance(0.15);  // the rest is whole
  }
  while (d < shape.size()) whole(d++);
  const int x = s.input(type, shape), b = s.numbers(begin), e = s.numbers(end), t = s.numbers(step);
  s.output(type, out);
  s.finish(code, BuiltinOptions::StridedSliceOptions,
           import::tflite::CreateStridedSliceOptions(s.file.builder(), masks[0], masks[1], masks[2], masks[3],
                                                     masks[4]),
           {x, b, e, t});
}

void slice(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  std::vector<std::int64_t> begin, size;
  Shape out;
  for (std::int64_t extent : shape) {
    begin.push_back(s.random.below(extent));
    out.push_back(s.random.between(std::int64_t{1}, extent - begin.back()));
    size.push_back(out.back());
    if (s.random.chance(0.3)) size.back() = -1, out.back() = extent - begin.back();
  }
  const int x = s.input(type, shape), b = s.numbers(begin), n = s.numbers(size);
  s.output(type, out);
  s.finish(code, {x, b, n});
}

void split(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(1, 4);
  const std::int64_t axis = axis_of(s, shape.size()),
                     parts = s.random.between(std::int64_t{1}, std::int64_t{3});
  std::int64_t& extent = shape[from_front(axis, shape.size())];
  const std::int64_t each = extent;
  extent *= parts;
  const int a = s.constant(DataType::Int32, {}, {static_cast<double>(axis)}), x = s.input(type, shape);
  shape[from_front(axis, shape.size())] = each;
  for (std::int64_t i = 0; i < parts; ++i) s.output(type, shape);
  s.finish(code, BuiltinOptions::SplitOptions,
           import::tflite::CreateSplitOptions(s.file.builder(), static_cast<int>(parts)), {a, x});
}
void split_v(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(1, 4);
  const std::int64_t axis = axis_of(s, shape.size());
  const std::size_t d = from_front(axis, shape.size());
  std::vector<std::int64_t> sizes;
  for (std::int64_t left = shape[d]; left > 0; left -= sizes.back())
    sizes.push_back(s.random.between(std::int64_t{1}, left));
  std::vector<std::int64_t> asked = sizes;
  if (s.random.chance(0.3))
    asked[static_cast<std::size_t>(s.random.below(static_cast<std::int64_t>(asked.size())))] = -1;
  const int x = s.input(type, shape), n = s.numbers(asked);
  const int a = s.constant(DataType::Int32, {}, {static_cast<double>(axis)});
  for (std::int64_t size : sizes) {
    shape[d] = size;
    s.output(type, shape);
  }
  s.finish(code, BuiltinOptions::SplitVOptions,
           import::tflite::CreateSplitOptions(s.file.builder(), static_cast<int>(sizes.size())), {x, n, a});
}

void concatenation(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(1, 4);
  const std::int64_t axis = axis_of(s, shape.size());
  const std::size_t d = from_front(axis, shape.size());
  Ints inputs;
  std::int64_t total = 0;
  for (std::int64_t i = s.random.between(std::int64_t{1}, std::int64_t{4}); i > 0; --i) {
    shape[d] = s.random.between(std::int64_t{1}, std::int64_t{3});
    total += shape[d];
    inputs.push_back(inputs.empty() ? s.input(type, shape) : s.operand(type, shape));
  }
  shape[d] = total;
  s.output(type, shape);
  s.finish(code, BuiltinOptions::ConcatenationOptions,
           import::tflite::CreateConcatenationOptions(s.file.builder(), static_cast<int>(axis)), inputs);
}

void pack(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(1, 3);
  const std::int64_t axis = axis_of(s, shape.size() + 1),
                     count = s.random.between(std::int64_t{1}, std::int64_t{3});
  Ints inputs;
  for (std::int64_t i = 0; i < count; ++i) inputs.push_back(s.input(type, shape));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(from_front(axis, shape.size() + 1)), count);
  s.output(type, shape);
  s.finish(
      code, BuiltinOptions::PackOptions,
      import::tflite::CreatePackOptions(s.file.builder(), static_cast<int>(count), static_cast<int>(axis)),
      inputs);
}
void unpack(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(2, 4);
  const std::int64_t axis = axis_of(s, shape.size());
  const std::size_t d = from_front(axis, shape.size());
  const std::int64_t count = shape[d];
  const int x = s.input(type, shape);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
  for (std::int64_t i = 0; i < count; ++i) s.output(type, shape);
  s.finish(
      code, BuiltinOptions::UnpackOptions,
      import::tflite::CreateUnpackOptions(s.file.builder(), static_cast<int>(count), static_cast<int>(axis)),
      {x});
}

void tile(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(1, 3);
  const int x = s.input(type, shape);
  std::vector<std::int64_t> repeats;
  for (auto& extent : shape) {
    repeats.push_back(s.random.between(std::int64_t{1}, std::int64_t{3}));
    extent *= repeats.back();
  }
  const int r = s.numbers(repeats);
  s.output(type, shape);
  s.finish(code, {x, r});
}
void broadcast_to(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape all = s.shape(1, 4);
  Shape shape = all;
  for (auto& extent : shape)
    if (s.random.chance(0.4)) extent = 1;
  const int x = s.input(type, shape), to = s.numbers(all);
  s.output(type, all);
  s.finish(code, {x, to});
}
void reverse(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  const int x = s.input(type, shape),
            a = s.numbers({s.random.below(static_cast<std::int64_t>(shape.size()))});
  s.output(type, shape);
  s.finish(code, {x, a});
}

void space_to_batch(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(4, 4), out = shape;
  std::vector<std::int64_t> block;
  std::vector<double> pairs;
  for (std::size_t d = 1; d < 3; ++d) {
    block.push_back(s.random.between(std::int64_t{1}, std::int64_t{3}));
    const std::int64_t first = s.random.below(2);
    const std::int64_t rest = (block.back() - (shape[d] + first) % block.back()) % block.back();
    pairs.insert(pairs.end(), {static_cast<double>(first), static_cast<double>(rest)});
    out[d] = (shape[d] + first + rest) / block.back();
    out[0] *= block.back();
  }
  const int x = s.input(type, shape), b = s.numbers(block), p = s.constant(DataType::Int32, {2, 2}, pairs);
  s.output(type, out);
  s.finish(code, {x, b, p});
}
void batch_to_space(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(4, 4), out = shape;
  std::vector<std::int64_t> block;
  std::vector<double> crops;
  for (std::size_t d = 1; d < 3; ++d) {
    block.push_back(s.random.between(std::int64_t{1}, std::int64_t{3}));
    shape[0] *= block.back();
    out[d] = shape[d] * block.back();
    const std::int64_t first = std::min(s.random.below(2), out[d] - 1),
                       last = std::min(s.random.below(2), out[d] - first - 1);
    crops.insert(crops.end(), {static_cast<double>(first), static_cast<double>(last)});
    out[d] -= first + last;
  }
  const int x = s.input(type, shape), b = s.numbers(block), c = s.constant(DataType::Int32, {2, 2}, crops);
  s.output(type, out);
  s.finish(code, {x, b, c});
}
void depth_to_space(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(4, 4);
  const std::int64_t b = s.random.between(std::int64_t{1}, std::int64_t{3});
  const Shape out = {shape[0], shape[1] * b, shape[2] * b, shape[3]};
  shape[3] *= b * b;
  const int x = s.input(type, shape);
  s.output(type, out);
  s.finish(code, BuiltinOptions::DepthToSpaceOptions,
           import::tflite::CreateBlockOptions(s.file.builder(), static_cast<int>(b)), {x});
}
void space_to_depth(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape out = s.shape(4, 4);
  const std::int64_t b = s.random.between(std::int64_t{1}, std::int64_t{3});
  Shape made = out;
  made[3] *= b * b;
  const int x = s.input(type, {out[0], out[1] * b, out[2] * b, out[3]});
  s.output(type, made);
  s.finish(code, BuiltinOptions::SpaceToDepthOptions,
           import::tflite::CreateBlockOptions(s.file.builder(), static_cast<int>(b)), {x});
}

void gather(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  const bool in_batches = shape.size() > 1 && s.random.chance(0.3);
  const std::int64_t axis =
      in_batches ? s.random.between(std::int64_t{1}, static_cast<std::int64_t>(shape.size()) - 1)
                 : axis_of(s, shape.size());
  const std::size_t d = from_front(axis, shape.size());
  const Shape places = s.shape(0, 2);
  Shape indices = places;
  if (in_batches) indices.insert(indices.begin(), shape[0]);
  const int x = s.input(type, shape);
  const int i = s.operand(DataType::Int32, indices, 0, static_cast<double>(shape[d] - 1));
  Shape out(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(d));
  out.insert(out.end(), places.begin(), places.end());
  out.insert(out.end(), shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, shape.end());
  s.output(type, out);
  s.finish(code, BuiltinOptions::GatherOptions,
           import::tflite::CreateGatherOptions(s.file.builder(), static_cast<int>(axis), in_batches ? 1 : 0),
           {x, i});
}
void gather_nd(Sketch& s, int code) {
  const DataType type = moved(s);
  const Shape shape = s.shape(1, 4);
  const auto width = s.random.between(std::int64_t{1}, static_cast<std::int64_t>(shape.size()));
  const std::int64_t rows = s.random.between(std::int64_t{1}, std::int64_t{4});
  std::vector<double> indices;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t d = 0; d < width; ++d)
      indices.push_back(static_cast<double>(s.random.below(shape[static_cast<std::size_t>(d)])));
  const int x = s.input(type, shape), i = s.constant(DataType::Int32, {rows, width}, indices);
  Shape out = {rows};
  out.insert(out.end(), shape.begin() + width, shape.end());
  s.output(type, out);
  s.finish(code, {x, i});
}

void one_hot(Sketch& s, int code) {
  Shape shape = s.shape(1, 3);
  const std::int64_t depth = s.random.between(std::int64_t{1}, std::int64_t{4});
  const std::int64_t axis = s.random.between(std::int64_t{-1}, static_cast<std::int64_t>(shape.size()));
  const int i = s.input(DataType::Int32, shape, -1, static_cast<double>(depth));
  const int n = s.constant(DataType::Int32, {}, {static_cast<double>(depth)});
  const int on = s.constant(kFloat, {}, {2}), off = s.constant(kFloat, {}, {-1});
  shape.insert(axis < 0 ? shape.end() : shape.begin() + axis, depth);
  s.output(kFloat, shape);
  s.finish(code, BuiltinOptions::OneHotOptions,
           import::tflite::CreateOneHotOptions(s.file.builder(), static_cast<int>(axis)), {i, n, on, off});
}
void top_k(Sketch& s, int code) {
  Shape shape = s.shape(1, 3);
  const DataType type = s.random.one_of({kFloat, DataType::Int8});
  s.quantise(s.random.chance(0.5));
  const int x = s.input(type, shape);
  shape.back() = s.random.between(std::int64_t{1}, shape.back());
  const int k = s.constant(DataType::Int32, {}, {static_cast<double>(shape.back())});
  s.output(type, shape);
  s.output(DataType::Int32, shape);
  s.finish(code, {x, k});
}

/// Axes to reduce, and the result's shape.
struct Reduction {
  std::vector<std::int64_t> axes;
  bool keeps = false;
  Shape out;
};
Reduction reduction(Sketch& s, const Shape& shape) {
  Reduction r;
  std::vector<std::int64_t> all(shape.size());
  std::iota(all.begin(), all.end(), 0);
  s.random.shuffle(all);
  all.resize(
      static_cast<std::size_t>(s.random.between(std::int64_t{1}, static_cast<std::int64_t>(all.size()))));
  r.keeps = s.random.chance(0.5);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool gone = std::ranges::find(all, static_cast<std::int64_t>(d)) != all.end();
    if (!gone || r.keeps) r.out.push_back(gone ? 1 : shape[d]);
  }
  for (std::int64_t a : all)
    r.axes.push_back(s.random.chance(0.3) ? a - static_cast<std::int64_t>(shape.size()) : a);
  return r;
}
void reduce(Sketch& s, int code, DataType type) {
  const Shape shape = s.shape(1, 4);
  const Reduction r = reduction(s, shape);
  const int x = s.input(type, shape), a = s.numbers(r.axes);
  s.output(type, r.out);
  s.finish(code, BuiltinOptions::ReducerOptions,
           import::tflite::CreateReducerOptions(s.file.builder(), r.keeps), {x, a});
}
/// 8-bit integers with another scale after it; the library takes the mean in float32, or by another
/// multiplier.
void mean(Sketch& s, int code) {
  if (s.random.chance(0.5)) {
    s.drawn.slack = 1e-6;
    return reduce(s, code, kFloat);
  }
  const Shape shape = s.shape(2, 4);
  const Reduction r = reduction(s, shape);
  const bool uint8 = s.random.chance(0.3);
  s.quantise(uint8);
  const int x = s.input(DataType::Int8, shape), a = s.numbers(r.axes);
  s.quantise(uint8);
  s.output(DataType::Int8, r.out);
  s.drawn.slack = 1;
  s.finish(code, BuiltinOptions::ReducerOptions,
           import::tflite::CreateReducerOptions(s.file.builder(), r.keeps), {x, a});
}
void reduce_floats(Sketch& s, int code) {
  s.drawn.slack = 1e-6;  // sums of numbers that cancel
  reduce(s, code, kFloat);
}
void reduce_numbers(Sketch& s, int code) { reduce(s, code, s.random.one_of({kFloat, DataType::Int32})); }
void reduce_moved(Sketch& s, int code) { reduce(s, code, moved(s)); }
void reduce_truths(Sketch& s, int code) { reduce(s, code, DataType::Bool); }

void locate(Sketch& s, int code) {
  const DataType type = moved(s);
  Shape shape = s.shape(1, 4);
  const std::int64_t axis = axis_of(s, shape.size());
  const int x = s.input(type, shape), a = s.constant(DataType::Int32, {}, {static_cast<double>(axis)});
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(from_front(axis, shape.size())));
  const bool wide = s.random.chance(0.5);
  s.output(wide ? DataType::Int64 : DataType::Int32, shape);
  s.finish(code, code == 56 ? BuiltinOptions::ArgMaxOptions : BuiltinOptions::ArgMinOptions,
           import::tflite::CreateTypeOptions(s.file.builder(), wide ? TensorType::INT64 : TensorType::INT32),
           {x, a});
}

void cumsum(Sketch& s, int code) {
  const DataType type = s.random.one_of({kFloat, DataType::Int32});
  const Shape shape = s.shape(1, 4);
  const std::int64_t axis = axis_of(s, shape.size());
  const int x = s.input(type, shape), a = s.constant(DataType::Int32, {}, {static_cast<double>(axis)});
  s.output(type, shape);
  s.finish(code, BuiltinOptions::CumsumOptions,
           import::tflite::CreateCumsumOptions(s.file.builder(), s.random.chance(0.5), s.random.chance(0.5)),
           {x, a});
}

void zeros_like(Sketch& s, int code) {
  const Shape shape = s.shape(1, 3);
  const int x = s.input(kFloat, shape);
  s.output(kFloat, shape);
  s.finish(code, {x});
}
void shape_of(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const int x = s.input(kFloat, shape);
  s.output(DataType::Int32, {static_cast<std::int64_t>(shape.size())});
  s.finish(code, BuiltinOptions::ShapeOptions,
           import::tflite::CreateTypeOptions(s.file.builder(), TensorType::INT32), {x});
}

}  // namespace

std::vector<Row> movement_rows() {
  return {{"RESHAPE", 22, reshape},
          {"SQUEEZE", 43, squeeze},
          {"EXPAND_DIMS", 70, expand_dims},
          {"TRANSPOSE", 39, transpose},
          {"PAD", 34, pad},
          {"PADV2", 60, pad},
          {"MIRROR_PAD", 100, mirror_pad},
          {"STRIDED_SLICE", 45, strided_slice},
          {"SLICE", 65, slice},
          {"SPLIT", 49, split},
          {"SPLIT_V", 102, split_v},
          {"CONCATENATION", 2, concatenation},
          {"PACK", 83, pack},
          {"UNPACK", 88, unpack},
          {"TILE", 69, tile},
          {"BROADCAST_TO", 130, broadcast_to},
          {"REVERSE_V2", 105, reverse},
          {"SPACE_TO_BATCH_ND", 38, space_to_batch},
          {"BATCH_TO_SPACE_ND", 37, batch_to_space},
          {"DEPTH_TO_SPACE", 5, depth_to_space},
          {"SPACE_TO_DEPTH", 26, space_to_depth},
          {"GATHER", 36, gather},
          {"GATHER_ND", 107, gather_nd},
          {"ONE_HOT", 85, one_hot},
          {"TOPK_V2", 48, top_k},
          {"MEAN", 40, mean},
          {"SUM", 74, reduce_numbers},
          {"REDUCE_MAX", 82, reduce_moved},
          {"REDUCE_MIN", 89, reduce_moved},
          {"REDUCE_PROD", 81, reduce_floats},
          {"REDUCE_ANY", 91, reduce_truths},
          {"REDUCE_ALL", 140, reduce_truths},
          {"ARG_MAX", 56, locate},
          {"ARG_MIN", 79, locate},
          {"CUMSUM", 128, cumsum},
          {"ZEROS_LIKE", 93, zeros_like},
          {"SHAPE", 77, shape_of}};
}

}  // namespace vdla::random_tflite
