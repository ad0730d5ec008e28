// SPDX-License-Identifier: Apache-2.0
// GridSample: output elements from places that another tensor gives; AffineGrid gives such places. Fourier
// transforms as products with constant matrices.
#include <cmath>

#include "compiler/import/tensor/fourier.h"
#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/points.h"
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
    const Value &x = c.float_in(0), &grid = c.float_in(1);
    const bool volumes = c.opset() >= 20 && x.rank() == 5;
    c.require((x.rank() == 4 || volumes) && grid.rank() == x.rank() &&
                  grid.shape.back() == static_cast<std::int64_t>(x.rank() - 2),
              "has data of " + graph::to_string(x.shape) + " and a grid of " + graph::to_string(grid.shape) +
                  ", needs N C H W and N H W 2, or from operator set 20 on N C D H W and N D H W 3");
    c.require(mode_ != "cubic" || !volumes, "has mode cubic for three dimensions, needs linear or nearest");
    const Shape extents(x.shape.begin() + 2, x.shape.end());
    pictures_ = {c.reshape(x, {x.shape[0], x.shape[1], graph::element_count(extents)}), extents};
    out_ = {grid.shape.begin() + 1, grid.shape.end() - 1};
  }

  void run() const {
    Points points;
    for (std::size_t d = 0; d < rank(); ++d) points.push_back(coordinate(d));
    Shape out = {c_.in(0).shape[0], c_.in(0).shape[1]};
    out.insert(out.end(), out_.begin(), out_.end());
    c_.set(c_.reshape(sampled(std::move(points)), out));
  }

 private:
  std::size_t rank() const { return pictures_.extents.size(); }

  /// Coordinates of all points along dimension d, in elements: [N, 1, points]. The grid has the last
  /// dimension first.
  Value coordinate(std::size_t d) const {
    const Value& grid = c_.in(1);
    const auto which = static_cast<std::int64_t>(rank() - 1 - d);
    const Value one = c_.reshape(c_.part(grid, grid.rank() - 1, which, which + 1),
                                 {grid.shape[0], 1, graph::element_count(out_)});
    return c_.map("Coordinate", {one}, [&](const auto& v) {
      const auto e = static_cast<double>(pictures_.extents[d]);
      if (aligned_) return (v[0] + real(1, v[0])) * real((e - 1) / 2, v[0]);
      return ((v[0] + real(1, v[0])) * real(e, v[0]) - real(1, v[0])) / real(2, v[0]);
    });
  }

  Scalar bordered(const Scalar& x, std::size_t d) const {
    const auto e = static_cast<double>(pictures_.extents[d]);
    if (padding_ == "border") return clamp(x, real(0, x), real(e - 1, x));
    if (padding_ == "reflection") return aligned_ ? reflected(x, 0, e - 1) : reflected(x, -0.5, e - 0.5);
    return x;
  }

  /// The elements at whole places that move from the given ones; zeros outside.
  Value elements(const Points& from, const std::vector<int>& moves) const {
    const bool whole = mode_ == "cubic" || padding_ == "reflection" || padding_ == "border";
    Points places;
    for (std::size_t d = 0; d < rank(); ++d)
      places.push_back(c_.map("Moved", {from[d]}, [&](const auto& v) {
        const Scalar moved = v[0] + real(moves[d], v[0]);
        return whole ? call(Function::RoundEven, bordered(moved, d)) : moved;
      }));
    return elements_at(c_, pictures_, places);
  }

  Value sampled(Points points) const {
    if (mode_ != "cubic")
      for (std::size_t d = 0; d < rank(); ++d)
        points[d] = c_.map("Border", {points[d]}, [&](const auto& v) { return bordered(v[0], d); });
    if (mode_ == "nearest") {
      for (Value& p : points) p = c_.unary(Function::RoundEven, p);
      return elements(points, std::vector<int>(rank(), 0));
    }
    const auto around = [&](const Points& whole, const std::vector<int>& moves) {
      return elements(whole, moves);
    };
    return mode_ == "cubic" ? weighted_around(c_, points, -1, 2, around, cubic_weight)
                            : weighted_around(c_, points, 0, 1, around, linear_weight);
  }

  static Scalar cubic_weight(const Scalar& t, int move) {
    const double a = -0.75;
    const Scalar d = move <= 0 ? t + real(-move, t) : real(move, t) - t;  // distance
    if (move == 0 || move == 1) return ((real(a + 2, t) * d - real(a + 3, t)) * d) * d + real(1, t);
    return ((real(a, t) * d - real(5 * a, t)) * d + real(8 * a, t)) * d - real(4 * a, t);
  }

  const Node& c_;
  std::string mode_, padding_;
  bool aligned_;
  Pictures pictures_;
  Shape out_;  ///< extents of the grid's points
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

/// Weights [frequencies, bands] of triangles over a spectrum, whose corners have equal distances on the scale
/// of mels. A triangle without a rising edge has a peak alone.
void mel_weights(const Node& c) {
  const std::int64_t bands = c.number(0, "num_mel_bins"), length = c.number(1, "dft_length");
  const std::int64_t rate = c.number(2, "sample_rate"), frequencies = length / 2 + 1;
  c.require(bands > 0 && length > 0 && rate > 0,
            "has num_mel_bins " + std::to_string(bands) + ", dft_length " + std::to_string(length) +
                " and sample_rate " + std::to_string(rate) + ", needs positive numbers");
  c.require_constant({frequencies, bands});
  const auto mels = [&](int i, const char* what) {
    return 2595 * std::log10(1 + c.real_number(i, what) / 700);
  };
  const double low = mels(3, "lower_edge_hertz"), high = mels(4, "upper_edge_hertz");
  std::vector<std::int64_t> corners;
  for (std::int64_t i = 0; i < bands + 2; ++i) {
    const double mel = low + static_cast<double>(i) * (high - low) / static_cast<double>(bands + 2);
    const double hertz = 700 * (std::pow(10, mel / 2595) - 1);
    const double place = std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    c.require(place >= 0 && place < static_cast<double>(frequencies),  // not where it is NaN
              "has a triangle at frequency " + std::to_string(place) + ", needs 0 to " +
                  std::to_string(frequencies - 1) + ", the last of half a transform");
    corners.push_back(static_cast<std::int64_t>(place));
  }
  std::vector<double> weights(static_cast<std::size_t>(frequencies * bands), 0);
  for (std::int64_t b = 0; b < bands; ++b) {
    const auto* at = &corners[static_cast<std::size_t>(b)];
    const auto weight = [&](std::int64_t f) -> double& {
      return weights[static_cast<std::size_t>(f * bands + b)];
    };
    const auto share = [](std::int64_t part, std::int64_t all) {
      return static_cast<double>(part) / static_cast<double>(all);
    };
    for (std::int64_t f = at[0]; f < at[1]; ++f) weight(f) = share(f - at[0], at[1] - at[0]);
    for (std::int64_t f = at[1]; f < at[2]; ++f) weight(f) = share(at[2] - f, at[2] - at[1]);
    weight(at[1]) = 1;
  }
  const DataType type = type_of(static_cast<int>(c.integer("output_datatype")), c.where());
  c.set(make_constant(type, {frequencies, bands}, weights));
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
    {"AffineGrid", affine_grid},
    {"DFT", fourier},
    {"Det", determinant},
    {"GridSample", grid_sample},
    {"MelWeightMatrix", mel_weights},
    {"STFT", short_time_fourier},
};

}  // namespace

std::span<const Operator> sampling_operators() { return kSamplingOperators; }

}  // namespace vdla::import::tensor
