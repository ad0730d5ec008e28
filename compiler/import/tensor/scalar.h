// SPDX-License-Identifier: Apache-2.0
// An element while it is computed, and what the operators compute it with.
#pragma once

#include "compiler/expr/dsl.h"

namespace vdla::import::tensor {

using Scalar = expr::Value;

inline Scalar call(expr::Function f, const Scalar& x) { return expr::call(f, {x.expr()}); }
inline Scalar call(expr::Function f, const Scalar& x, const Scalar& y) {
  return expr::call(f, {x.expr(), y.expr()});
}
/// A number of the type that `like` has.
inline Scalar real(double v, const Scalar& like) { return expr::float_imm(v, like.dtype()); }

}  // namespace vdla::import::tensor
