// SPDX-License-Identifier: Apache-2.0
// The scalar meaning of the operators, one place for constant folding and the interpreter; code generators
// keep to it. Every operation has a value for all operands, so that no network, whatever its inputs, ends a
// process:
//
//   x / 0             0, and the remainder is x, for both roundings: x == x / y * y + x rem y holds always.
//                     A test stands beside a division, unless the divisor is known.
//   minimum / -1      the minimum, as -x wraps; the remainder is 0.
//   x << n, x >> n    n modulo the bits of the type. x86, arm64 and OpenCL C shift 32 and 64 bits so without
//                     a further instruction. round_shift_right takes n modulo 32.
//   float to integer  towards zero, saturating; NaN gives 0.
#pragma once

#include <cstdint>

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

inline bool is_quotient(BinaryOp op) { return op == BinaryOp::Div || op == BinaryOp::FloorDiv; }
/// A quotient or a remainder.
inline bool is_division(BinaryOp op) {
  return is_quotient(op) || op == BinaryOp::Rem || op == BinaryOp::FloorMod;
}
inline bool is_shift(BinaryOp op) { return op == BinaryOp::Shl || op == BinaryOp::Shr; }

/// Evaluates on normal forms of `dtype` (not a float type). Every pair of operands has a value.
std::int64_t evaluate(BinaryOp op, DType dtype, std::int64_t a, std::int64_t b);
/// The bits that a shift takes of an amount: `bits` - 1 for a shift of `bits` bits.
inline std::int64_t shift_mask(DType dtype) { return bits(dtype) - 1; }
/// Value in the arithmetic of a float type; comparisons give 0 or 1.
double evaluate_float(BinaryOp op, DType dtype, double a, double b);
/// Float to integer: towards zero, saturating, NaN gives 0.
std::int64_t float_to_int(double value, DType dtype);
/// Integer (normal form of `from`) to a float type.
double int_to_float(std::int64_t value, DType from, DType to);
/// The value of a float type that is nearest, ties to even.
double round_float(DType dtype, double value);

}  // namespace vdla::expr
