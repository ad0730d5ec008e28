// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/fourier.h"

#include <cmath>
#include <utility>
#include <vector>

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;

/// Cosines and sines of the transform of `length` points to `count` frequencies, [length, count] each.
std::pair<Value, Value> waves(const Composer& c, DataType type, std::int64_t length, std::int64_t count) {
  c.require_constant({length, count});
  std::vector<double> cosine, sine;  // one entry for each of the `length` angles
  for (std::int64_t n = 0; n < length; ++n) {
    const double angle = 2 * M_PI * static_cast<double>(n) / static_cast<double>(length);
    cosine.push_back(std::cos(angle));
    sine.push_back(std::sin(angle));
  }
  const auto matrix = [&](const std::vector<double>& wave) {
    std::vector<double> rows;
    rows.reserve(static_cast<std::size_t>(length * count));
    for (std::int64_t n = 0; n < length; ++n)
      for (std::int64_t k = 0; k < count; ++k) rows.push_back(wave[static_cast<std::size_t>(n * k % length)]);
    return make_constant(type, {length, count}, rows);
  };
  return {matrix(cosine), matrix(sine)};
}

}  // namespace

Value component(const Composer& c, const Value& x, std::int64_t k) {
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 2 < x.rank(); ++d) rows *= x.shape[d];
  return c.reshape(c.part(x, x.rank() - 1, k, k + 1), {rows, x.shape[x.rank() - 2]});
}

Value transformed(const Composer& c, const Value& x, std::int64_t count, bool inverse) {
  const std::size_t rank = x.rank();
  const std::int64_t length = x.shape[rank - 2];
  const auto [cosines, sines] = waves(c, x.type, length, count);
  Shape out(x.shape.begin(), x.shape.end() - 2);
  out.insert(out.end(), {count, 1});
  const Value real = component(c, x, 0);
  Value re = c.matmul(real, cosines), im = c.matmul(real, sines);
  if (x.shape.back() == 2) {
    const Value imaginary = component(c, x, 1);
    re = c.binary(inverse ? BinaryOp::Sub : BinaryOp::Add, re, c.matmul(imaginary, sines));
    im = c.binary(inverse ? BinaryOp::Add : BinaryOp::Sub, im, c.matmul(imaginary, cosines));
  }
  const double scale = inverse ? 1 / static_cast<double>(length) : 1;
  const auto scaled = [&](const Value& v, double by) {
    return c.reshape(by == 1 ? v : c.binary(BinaryOp::Mul, v, c.scalar(v.type, by)), out);
  };
  // The transform turns the other way than its inverse: the sum above is of cos + i sin.
  return c.concat({scaled(re, scale), scaled(im, inverse ? scale : -1)}, rank - 1);
}

Value of_length(const Composer& c, const Value& x, std::int64_t length) {
  Integers after(x.rank(), 0);
  after[x.rank() - 2] = length - x.shape[x.rank() - 2];
  return c.pad(x, Integers(x.rank(), 0), after, 0);
}

}  // namespace vdla::import::tensor
