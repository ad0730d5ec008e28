// SPDX-License-Identifier: Apache-2.0
// The transform of real pictures to complex numbers, and operators that make them real again.
#include <fmt/format.h>

#include "compiler/import/tensor/fourier.h"
#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

using expr::DType;
using tensor::Scalar;

/// Transforms the last two dimensions, cut or filled with zeros to the lengths of input 1. Of the last one
/// the frequencies up to the half are left.
void rfft_2d(const Operation& c) {
  const Value x = c.ranked(0, 2);
  const Integers lengths = c.integers(1, "lengths");
  c.require(x.type == DataType::Float32,
            fmt::format("has input 0 of {}, needs float32", graph::name_of(x.type)));
  c.require(x.count() > 0, "has no element in input 0");
  c.require(lengths.size() == 2, fmt::format("has {} lengths, needs 2", lengths.size()));
  constexpr std::int64_t kLongest = 1 << 13;  // a matrix of that many rows and columns is a constant
  for (std::int64_t length : lengths)
    c.require(length >= 1 && length <= kLongest,
              fmt::format("transforms {} elements, needs 1 to {}", length, kLongest));
  const std::size_t height = x.rank() - 2;
  Shape apart = x.shape;
  apart.push_back(1);
  Value y = tensor::of_length(c, c.reshape(x, apart), lengths[1]);
  Integers after(y.rank(), 0);
  after[height] = lengths[0] - x.shape[height];
  y = c.pad(y, Integers(y.rank(), 0), after, 0);
  y = tensor::transformed(c, y, lengths[1] / 2 + 1, false);
  if (lengths[0] > 1) {
    std::vector<int> turned;
    for (int d = 0; d < static_cast<int>(y.rank()); ++d) turned.push_back(d);
    std::swap(turned[height], turned[height + 1]);
    y = c.transpose(tensor::transformed(c, c.transpose(y, turned), lengths[0], false), turned);
  }
  c.set_complex(y);
}

/// Component k of input 0: 0 is the real one.
Value component(const Operation& c, std::int64_t k) {
  const Value x = c.complex(0);
  return c.reshape(c.part(x, x.rank() - 1, k, k + 1), {x.shape.begin(), x.shape.end() - 1});
}
template <std::int64_t K>
void take(const Operation& c) {
  c.set(component(c, K));
}

/// Squares in float64, where none of float32 is infinite.
void complex_abs(const Operation& c) {
  c.set(c.map("ComplexAbs", {component(c, 0), component(c, 1)}, [](const auto& v) {
    const Scalar re = cast(DType::F64, v[0]), im = cast(DType::F64, v[1]);
    return cast(DType::F32, tensor::call(expr::Function::Sqrt, re * re + im * im));
  }));
}

constexpr Row kComplexRows[] = {
    {"COMPLEX_ABS", complex_abs, Takes::Any},
    {"IMAG", take<1>, Takes::Any},
    {"REAL", take<0>, Takes::Any},
    {"RFFT2D", rfft_2d, Takes::Floats},
};

}  // namespace

std::span<const Row> complex_rows() { return kComplexRows; }

}  // namespace vdla::import::tflite
