// SPDX-License-Identifier: Apache-2.0
// GridSample: output elements from places that another tensor gives; AffineGrid gives such places. Fourier
// transforms as products with constant matrices.
#include <cmath>
#include <optional>

#include "compiler/import/tensor/fourier.h"
#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::Function;

/// x modulo the positive m, in [0, m).
Scalar modulo(const Scalar& x, double m) { return x - call(Function::Floor, x / real(m, x)) * real(m, x); }

/// Mirrored at low and high until it lies between.
Scalar reflected(const Scalar& x, double low, double high) {
  const double range = high - low;
  if (range <= 0) return real(0, x);
  const Scalar phase = modulo(x - real(low, x), 2 * range);
  return real(low, x) + select(phase > real(range, x), real(2 * range, x) - phase, phase);
}

/// Attribute "mode" in the words of operator set 20.
std::string sampling_mode(const Node& c) {
  if (c.opset() >= 20) return c.word("mode", {"linear", "nearest", "cubic"});
  const std::string mode = c.word("mode", {"bilinear", "nearest", "bicubic"});
  return mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
}

class GridSampler {
 public:
  explicit GridSampler(const Node& c)
      : c_(c),
        mode_(sampling_mode(c)),
        padding_(c.word("padding_mode", {"zeros", "border", "reflection"})),
        aligned_(c.integer("align_corners") != 0) {
    const Value& x = c.in(0);
    c.require(x.rank() == 4 && c.in(1).rank() == 4, "needs data N C H W and a grid N H W 2");
    for (const std::size_t i : {0, 1})
      c.require(is_float(graph::dtype_of(c.in(i).type)),
                std::string(i == 0 ? "has data" : "has a grid") + " of type " +
                    std::string(name_of(c.in(i).type)) + ", needs floats");
    h_ = x.shape[2];
    w_ = x.shape[3];
    points_ = c.in(1).shape[1] * c.in(1).shape[2];
    flat_ = c.reshape(x, {x.shape[0], x.shape[1], h_ * w_});
  }

  void run() const {
    const Value gx = coordinate(0, w_), gy = coordinate(1, h_);
    const Shape out = {c_.in(0).shape[0], c_.in(0).shape[1], c_.in(1).shape[1], c_.in(1).shape[2]};
    c_.set(c_.reshape(sampled(gx, gy), out));
  }

 private:
  /// Coordinates of all points, in elements: [N, 1, points].
  Value coordinate(std::int64_t which, std::int64_t extent) const {
    const Value& grid = c_.in(1);
    const Value one = c_.reshape(c_.part(grid, 3, which, which + 1), {grid.shape[0], 1, points_});
    return c_.map("Coordinate", {one}, [&](const auto& v) {
      const auto e = static_cast<double>(extent);
      if (aligned_) return (v[0] + real(1, v[0])) * real((e - 1) / 2, v[0]);
      return ((v[0] + real(1, v[0])) * real(e, v[0]) - real(1, v[0])) / real(2, v[0]);
    });
  }

  Scalar bordered(const Scalar& x, std::int64_t extent) const {
    const auto e = static_cast<double>(extent);
    if (padding_ == "border") return clamp(x, real(0, x), real(e - 1, x));
    if (padding_ == "reflection") return aligned_ ? reflected(x, 0, e - 1) : reflected(x, -0.5, e - 0.5);
    return x;
  }

  /// The elements at whole places that move from (x, y) by (dx, dy); zeros outside.
  Value elements(const Value& x, const Value& y, int dx, int dy) const {
    const auto place = [&](const Scalar& v, int move, std::int64_t extent) {
      const Scalar moved = v + real(move, v);
      const bool whole = mode_ == "cubic" || padding_ == "reflection" || padding_ == "border";
      return whole ? call(Function::RoundEven, bordered(moved, extent)) : moved;
    };
    const auto valid = [&](const Scalar& v, std::int64_t extent) {
      return v >= real(0, v) && v <= real(static_cast<double>(extent - 1), v);
    };
    const Value index = c_.map("Place", {x, y}, [&](const auto& v) {
      const Scalar px = place(v[0], dx, w_), py = place(v[1], dy, h_);
      const auto whole = [](const Scalar& p, std::int64_t extent) {
        return clamp(expr::cast(DType::I64, p), 0, extent - 1);
      };
      return whole(py, h_) * w_ + whole(px, w_);
    });
    const Shape shape = {flat_.shape[0], flat_.shape[1], points_};
    const Value found = c_.emit(graph::GatherElements{2}, {flat_, c_.broadcast(index, shape)});
    return c_.map("Inside", {found, x, y}, [&](const auto& v) {
      const Scalar inside = valid(place(v[1], dx, w_), w_) && valid(place(v[2], dy, h_), h_);
      return select(inside, v[0], real(0, v[0]));
    });
  }

  Value whole(const Value& v, Function f) const { return c_.unary(f, v); }

  Value sampled(Value gx, Value gy) const {
    if (mode_ != "cubic") {
      gx = c_.map("Border", {gx}, [&](const auto& v) { return bordered(v[0], w_); });
      gy = c_.map("Border", {gy}, [&](const auto& v) { return bordered(v[0], h_); });
    }
    if (mode_ == "nearest")
      return elements(whole(gx, Function::RoundEven), whole(gy, Function::RoundEven), 0, 0);
    const Value x = whole(gx, Function::Floor), y = whole(gy, Function::Floor);
    const int first = mode_ == "cubic" ? -1 : 0, last = mode_ == "cubic" ? 2 : 1;
    std::optional<Value> total;
    for (int dy = first; dy <= last; ++dy)
      for (int dx = first; dx <= last; ++dx) {
        const Value part = c_.map("Weight", {elements(x, y, dx, dy), gx, x, gy, y}, [&](const auto& v) {
          return v[0] * weight(v[1] - v[2], dx) * weight(v[3] - v[4], dy);
        });
        total = total ? c_.binary(BinaryOp::Add, *total, part) : part;
      }
    return *total;
  }

  /// Weight of the element `move` after the floor, at fraction t.
  Scalar weight(const Scalar& t, int move) const {
    if (mode_ == "linear") return move == 0 ? real(1, t) - t : t;
    const double a = -0.75;
    const Scalar d = move <= 0 ? t + real(-move, t) : real(move, t) - t;  // distance
    if (move == 0 || move == 1) return ((real(a + 2, t) * d - real(a + 3, t)) * d) * d + real(1, t);
    return ((real(a, t) * d - real(5 * a, t)) * d + real(8 * a, t)) * d - real(4 * a, t);
  }

  const Node& c_;
  std::string mode_, padding_;
  bool aligned_;
  std::int64_t h_ = 1, w_ = 1, points_ = 1;
  Value flat_;
};

void grid_sample(const Node& c) { GridSampler(c).run(); }

/// Places of `count` elements between -1 and 1: of their middles, or with the first and last at the ends.
Value places(DataType type, const Shape& shape, std::int64_t count, bool ends) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto n = static_cast<double>(count), k = static_cast<double>(i);
    all.push_back(!ends ? (2 * k + 1) / n - 1 : count == 1 ? -1 : 2 * k / (n - 1) - 1);
  }
  return make_constant(type, shape, all);
}

/// Coordinates of the output's elements, x first, times the rows of theta. One element between aligned
/// corners lies at -1, as in ONNX's reference.
void affine_grid(const Node& c) {
  const Value& theta = c.float_in(0);
  const Integers size = c.integers(1, "size");
  const std::size_t spatial = size.size() < 2 ? 0 : size.size() - 2;
  c.require(spatial == 2 || spatial == 3,
            "has a size of " + std::to_string(size.size()) + " numbers, needs N C H W or N C D H W");
  const Integers extents = c.positive("size", size, size.size());
  const auto rows = static_cast<std::int64_t>(spatial);
  c.require(theta.shape == Shape{size[0], rows, rows + 1},
            "has a theta of " + graph::to_string(theta.shape) + ", needs " +
                graph::to_string(Shape{size[0], rows, rows + 1}));
  Shape grid = {size[0]};
  grid.insert(grid.end(), extents.begin() + 2, extents.end());
  Shape entry(grid.size(), 1);
  entry[0] = size[0];
  const bool ends = c.integer("align_corners") != 0;
  std::vector<Value> coordinates, parts;
  for (std::size_t d = 0; d < spatial; ++d) {  // x is the last dimension
    const std::size_t dimension = grid.size() - 1 - d;
    Shape shape(grid.size(), 1);
    shape[dimension] = grid[dimension];
    c.require_constant(shape);
    coordinates.push_back(places(theta.type, shape, grid[dimension], ends));
  }
  Shape one = grid;
  one.push_back(1);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::vector<Value> inputs = coordinates;
    for (std::int64_t k = 0; k <= rows; ++k)
      inputs.push_back(c.reshape(c.part(c.part(theta, 1, r, r + 1), 2, k, k + 1), entry));
    parts.push_back(c.reshape(c.map("AffineGrid", inputs,
                                    [&](const auto& v) {
                                      Scalar sum = v.back();
                                      for (std::size_t k = 0; k < spatial; ++k)
                                        sum = sum + v[k] * v[spatial + k];
                                      return sum;
                                    }),
                              one));
  }
  c.set(c.concat(parts, grid.size()));
}

/// The real signal [..., length, 1] whose transform begins with x [..., length / 2 + 1, 2]; its other half is
/// the mirror image, so that all but the first frequency and the one in the middle count twice.
Value real_signal(const Node& c, const Value& x, std::int64_t length) {
  const std::int64_t count = x.shape[x.rank() - 2];
  c.require_constant({count, length});
  std::vector<double> cosines, sines;
  for (std::int64_t k = 0; k < count; ++k)
    for (std::int64_t n = 0; n < length; ++n) {
      const double angle = 2 * M_PI * static_cast<double>(n * k % length) / static_cast<double>(length);
      const double times = (k == 0 || 2 * k == length ? 1 : 2) / static_cast<double>(length);
      cosines.push_back(times * std::cos(angle));
      sines.push_back(times * std::sin(angle));
    }
  const Value re = c.matmul(component(c, x, 0), make_constant(x.type, {count, length}, cosines));
  const Value im = c.matmul(component(c, x, 1), make_constant(x.type, {count, length}, sines));
  Shape out(x.shape.begin(), x.shape.end() - 2);
  out.insert(out.end(), {length, 1});
  return c.reshape(c.binary(BinaryOp::Sub, re, im), out);
}

/// The transform along the dimension before the last.
Value fourier_of_rows(const Node& c, const Value& x) {
  const bool inverse = c.integer("inverse") != 0, one_side = c.integer("onesided") != 0;
  const std::int64_t elements = x.shape[x.rank() - 2], components = inverse ? 2 : 1;
  c.require(!one_side || x.shape.back() == components,
            "has onesided = 1 and data of " + std::to_string(x.shape.back()) + " components, needs " +
                std::to_string(components));
  const bool real = one_side && inverse;
  const std::int64_t length = c.has(1) ? c.number(1, "dft_length") : real ? 2 * (elements - 1) : elements;
  c.require(length > 0 && length <= kLargestConstant, "has a dft_length of " + std::to_string(length) +
                                                          ", needs 1 to " + std::to_string(kLargestConstant));
  const std::int64_t half = length / 2 + 1;
  if (real) return real_signal(c, of_length(c, x, half), length);
  return transformed(c, of_length(c, x, length), one_side ? half : length, inverse);
}

void fourier(const Node& c) {
  const Value& x = c.in(0);
  c.require(x.rank() >= 2 && x.shape.back() <= 2, "needs a last dimension of 1 or 2 components");
  // An input from version 20 on. The last dimension holds the components, so it is no axis.
  std::int64_t counted = c.opset() < 20 ? c.integer("axis") : c.has(2) ? c.number(2, "axis") : -2;
  if (counted < 0) counted += static_cast<std::int64_t>(x.rank());
  const std::size_t axis = c.axis(counted, x.rank() - 1);
  std::vector<int> perm;
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (d != axis) perm.push_back(static_cast<int>(d));
  perm.insert(perm.end() - 1, static_cast<int>(axis));
  std::vector<int> back(perm.size());
  for (std::size_t d = 0; d < perm.size(); ++d) back[static_cast<std::size_t>(perm[d])] = static_cast<int>(d);
  c.set(c.transpose(fourier_of_rows(c, c.transpose(x, perm)), back));
}

/// Frames of the signal, times a window, transformed.
void short_time_fourier(const Node& c) {
  const Value& x = c.in(0);
  c.require(x.rank() == 3 || x.rank() == 2, "needs a signal [batch, length, components]");
  const std::int64_t components = x.rank() == 3 ? x.shape[2] : 1, step = c.number(1, "frame_step");
  const std::int64_t length = c.has(3)   ? c.number(3, "frame_length")
                              : c.has(2) ? c.in(2).count()
                                         : x.shape[1];
  c.require(step > 0 && length > 0 && length <= x.shape[1],
            "has frame_step " + std::to_string(step) + " and frame_length " + std::to_string(length) +
                ", needs positive numbers and frames that fit " + std::to_string(x.shape[1]) + " elements");
  const std::int64_t frames = (x.shape[1] - length) / step + 1;
  graph::View view{{x.shape[0], frames, length, components}, {}, graph::Outside::Never, nullptr};
  view.source = {{0, {1, 0, 0, 0}, 1}, {0, {0, step, 1, 0}, 1}, {0, {0, 0, 0, 1}, 1}};
  Value y = c.emit(std::move(view), {c.reshape(x, {x.shape[0], x.shape[1], components})});
  if (c.has(2)) y = c.binary(BinaryOp::Mul, y, c.reshape(c.in(2), {length, 1}));
  const bool half = c.integer("onesided") != 0 && components == 1;
  c.set(transformed(c, y, half ? length / 2 + 1 : length, false));
}

/// Computes it by elimination without search for a pivot where that is a product: matrices of one to three
/// rows.
void determinant(const Node& c) {
  const Value& x = c.in(0);
  c.require(x.rank() >= 2 && x.shape.back() == x.shape[x.rank() - 2] && x.shape.back() <= 3,
            "needs square matrices of at most 3 rows, has " + graph::to_string(x.shape));
  const std::int64_t n = x.shape.back();
  const Shape batch(x.shape.begin(), x.shape.end() - 2);
  std::vector<Value> entries;
  for (std::int64_t i = 0; i < n * n; ++i)
    entries.push_back(
        c.reshape(c.part(c.part(x, x.rank() - 2, i / n, i / n + 1), x.rank() - 1, i % n, i % n + 1), batch));
  c.set(c.map("Det", entries, [&](const auto& m) {
    const auto minor = [&](int a, int b, int p, int q) { return m[a] * m[b] - m[p] * m[q]; };
    if (n == 1) return m[0];
    if (n == 2) return Scalar(minor(0, 3, 1, 2));
    return m[0] * minor(4, 8, 5, 7) - m[1] * minor(3, 8, 5, 6) + m[2] * minor(3, 7, 4, 6);
  }));
}

constexpr Operator kSamplingOperators[] = {
    {"AffineGrid", affine_grid},  {"DFT", fourier}, {"Det", determinant}, {"GridSample", grid_sample},
    {"STFT", short_time_fourier},
};

}  // namespace

std::span<const Operator> sampling_operators() { return kSamplingOperators; }

}  // namespace vdla::import::tensor
