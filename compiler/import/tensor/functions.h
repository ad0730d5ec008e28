// SPDX-License-Identifier: Apache-2.0
// Functions of an element that operators of several formats are.
#pragma once

#include <cmath>

#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {

/// NaN where either is.
template <expr::BinaryOp Op>
Scalar extreme(const Scalar& a, const Scalar& b) {
  const Scalar best = expr::make_binary(Op, a, b);
  return is_float(a.dtype()) ? select(is_nan(a), a, select(is_nan(b), b, best)) : best;
}

inline Scalar absolute(const Scalar& x) {
  const expr::DType t = x.dtype();
  return is_float(t) || expr::is_signed(t) ? call(expr::Function::Abs, x) : x;
}

inline Scalar negative(const Scalar& x) { return is_float(x.dtype()) ? x * real(-1, x) : 0 - x; }

inline Scalar sigmoid(const Scalar& x) {
  return real(1, x) / (real(1, x) + call(expr::Function::Exp, real(0, x) - x));
}

/// max(0, x). NaN stays in this order: max(a, b) is a > b ? a : b.
inline Scalar relu(const Scalar& x) { return maximum(Scalar(expr::number(0, x.dtype())), x); }

inline Scalar sign(const Scalar& x) {
  const expr::DType t = x.dtype();
  const Scalar one = expr::number(1, t), zero = expr::number(0, t);
  if (!is_float(t) && !expr::is_signed(t)) return select(x > 0, one, zero);
  const Scalar below = select(x < 0, Scalar(expr::number(-1, t)), zero);
  return select(x > 0, one, is_float(t) ? select(is_nan(x), x, below) : below);
}

inline Scalar elu(const Scalar& x, double alpha) {
  return select(x < 0, real(alpha, x) * (call(expr::Function::Exp, x) - real(1, x)), x);
}

/// The slope is a number, or an element of another tensor.
inline Scalar leaky_relu(const Scalar& x, const Scalar& slope) { return select(x < 0, x * slope, x); }

inline Scalar swish(const Scalar& x, double alpha) { return x * tensor::sigmoid(real(alpha, x) * x); }

inline Scalar hard_swish(const Scalar& x) {
  return x * clamp(x * real(1.0 / 6, x) + real(0.5, x), real(0, x), real(1, x));
}

/// x times the normal distribution's integral: the error function, or an approximation by tanh.
inline Scalar gelu(const Scalar& x, bool approximate) {
  const Scalar inner = approximate ? call(expr::Function::Tanh,
                                          real(std::sqrt(2 / M_PI), x) * (x + real(0.044715, x) * x * x * x))
                                   : call(expr::Function::Erf, x * real(std::sqrt(0.5), x));
  return real(0.5, x) * x * (real(1, x) + inner);
}

}  // namespace vdla::import::tensor
