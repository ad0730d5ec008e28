// SPDX-License-Identifier: Apache-2.0
// Scalar evaluation. Arithmetic runs in unsigned 64 bits, so that wrapping is defined, and is then wrapped to
// the type.
#include "compiler/expr/arith.h"

#include <cmath>
#include <limits>

#include "support/error.h"
#include "support/float16.h"

namespace vdla::expr {
namespace {

using U = std::uint64_t;

bool less(DType dtype, std::int64_t a, std::int64_t b) {
  return dtype == DType::U64 ? static_cast<U>(a) < static_cast<U>(b) : a < b;
}

std::int64_t divide(BinaryOp op, DType dtype, std::int64_t a, std::int64_t b) {
  bool quotient = is_quotient(op);
  if (b == 0) return quotient ? 0 : a;
  if (dtype == DType::U64) {
    U x = static_cast<U>(a), y = static_cast<U>(b);
    return static_cast<std::int64_t>(quotient ? x / y : x % y);
  }
  if (b == -1) return quotient ? wrap(dtype, static_cast<std::int64_t>(U{0} - static_cast<U>(a))) : 0;
  if (op == BinaryOp::Div) return a / b;
  if (op == BinaryOp::Rem) return a % b;
  return quotient ? floor_div(a, b) : floor_mod(a, b);
}

std::int64_t shift(BinaryOp op, DType dtype, std::int64_t a, std::int64_t b) {
  b &= shift_mask(dtype);
  if (op == BinaryOp::Shl) return wrap(dtype, static_cast<std::int64_t>(static_cast<U>(a) << b));
  return dtype == DType::U64 ? static_cast<std::int64_t>(static_cast<U>(a) >> b) : a >> b;
}

template <class T>
double evaluate_as(BinaryOp op, T x, T y) {
  switch (op) {
    case BinaryOp::Add:
      return x + y;
    case BinaryOp::Sub:
      return x - y;
    case BinaryOp::Mul:
      return x * y;
    case BinaryOp::Div:
      return x / y;
    case BinaryOp::Min:
      return x < y ? x : y;
    case BinaryOp::Max:
      return x > y ? x : y;
    case BinaryOp::Eq:
      return x == y;
    case BinaryOp::Ne:
      return x != y;
    case BinaryOp::Lt:
      return x < y;
    case BinaryOp::Le:
      return x <= y;
    case BinaryOp::Gt:
      return x > y;
    case BinaryOp::Ge:
      return x >= y;
    case BinaryOp::Rem:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
    case BinaryOp::Shl:
    case BinaryOp::Shr:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
      break;
  }
  VDLA_CHECK(false) << name(op) << " has no meaning for floats";
  return 0;
}

}  // namespace

std::int64_t evaluate(BinaryOp op, DType dtype, std::int64_t a, std::int64_t b) {
  U x = static_cast<U>(a), y = static_cast<U>(b);
  switch (op) {
    case BinaryOp::Add:
      return wrap(dtype, static_cast<std::int64_t>(x + y));
    case BinaryOp::Sub:
      return wrap(dtype, static_cast<std::int64_t>(x - y));
    case BinaryOp::Mul:
      return wrap(dtype, static_cast<std::int64_t>(x * y));
    case BinaryOp::Div:
    case BinaryOp::Rem:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
      return divide(op, dtype, a, b);
    case BinaryOp::Min:
      return less(dtype, a, b) ? a : b;
    case BinaryOp::Max:
      return less(dtype, b, a) ? a : b;
    case BinaryOp::Shl:
    case BinaryOp::Shr:
      return shift(op, dtype, a, b);
    case BinaryOp::And:
      return a & b;
    case BinaryOp::Or:
      return a | b;
    case BinaryOp::Xor:
      return a ^ b;
    case BinaryOp::Eq:
      return a == b;
    case BinaryOp::Ne:
      return a != b;
    case BinaryOp::Lt:
      return less(dtype, a, b);
    case BinaryOp::Le:
      return !less(dtype, b, a);
    case BinaryOp::Gt:
      return less(dtype, b, a);
    case BinaryOp::Ge:
      return !less(dtype, a, b);
  }
  return 0;
}

double evaluate_float(BinaryOp op, DType dtype, double a, double b) {
  if (dtype == DType::F64) return evaluate_as(op, a, b);
  double result = evaluate_as(op, static_cast<float>(a), static_cast<float>(b));
  return round_float(dtype, result);
}

std::int64_t float_to_int(double value, DType dtype) {
  if (dtype == DType::Bool) return value != 0;
  if (std::isnan(value)) return 0;
  if (dtype == DType::U64) {
    if (value <= 0) return 0;
    return value >= 0x1p64 ? -1 : static_cast<std::int64_t>(static_cast<U>(value));
  }
  if (value <= static_cast<double>(min_value(dtype))) return min_value(dtype);
  if (value >= static_cast<double>(max_value(dtype))) return max_value(dtype);
  return static_cast<std::int64_t>(value);
}

double int_to_float(std::int64_t value, DType from, DType to) {
  if (to == DType::F64) {
    return from == DType::U64 ? static_cast<double>(static_cast<U>(value)) : static_cast<double>(value);
  }
  float nearest = from == DType::U64 ? static_cast<float>(static_cast<U>(value)) : static_cast<float>(value);
  return round_float(to, nearest);
}

double round_float(DType dtype, double value) {
  if (dtype == DType::F64) return value;
  if (dtype == DType::F16) return half_value(half_bits(round_to_odd(value)));
  if (dtype == DType::BF16) return bfloat_value(bfloat_bits(round_to_odd(value)));
  return static_cast<float>(value);
}

}  // namespace vdla::expr
