// SPDX-License-Identifier: Apache-2.0
// The scalar meaning of the operators, one place for constant folding and the interpreter.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/expr/dtype.h"
#include "compiler/expr/operators.h"

namespace vdla::expr {

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}
inline std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  std::int64_t r = a % b;
  return (r != 0 && ((r < 0) != (b < 0))) ? r + b : r;
}

/// On normal forms of `dtype` (not a float type); nothing where the operation is undefined: division by zero,
/// a shift amount outside [0, bits).
std::optional<std::int64_t> evaluate(BinaryOp op, DType dtype, std::int64_t a, std::int64_t b);
/// In the arithmetic of a float type; comparisons give 0 or 1.
double evaluate_float(BinaryOp op, DType dtype, double a, double b);
/// Float to integer: towards zero, saturating, NaN gives 0.
std::int64_t float_to_int(double value, DType dtype);
/// Integer (normal form of `from`) to a float type.
double int_to_float(std::int64_t value, DType from, DType to);
/// The value of a float type that is nearest, ties to even.
double round_float(DType dtype, double value);

}  // namespace vdla::expr
