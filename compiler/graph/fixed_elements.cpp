// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fixed_elements.h"

#include <cstdint>

namespace vdla::graph {

using expr::Value;

namespace {

Value int32_of(std::int64_t v) { return {expr::number(v, expr::DType::I32)}; }

}  // namespace

Value saturating_shift_left(const Value& x, int n) {
  const std::int64_t limit = (std::int64_t{1} << (31 - n)) - 1;
  return select(x > limit, int32_of(INT32_MAX), select(x < -limit, int32_of(INT32_MIN), x << n));
}

Value reciprocal_of_one_plus(const Value& a) {
  constexpr std::int64_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = 1 << 29;
  const Value half_denominator = (a >> 1) + (1 << 30);
  Value x = srdh_mul(half_denominator, int32_of(kMinus32Over17)) + k48Over17;
  for (int step = 0; step < 3; ++step) {
    const Value error = int32_of(kOne) - srdh_mul(half_denominator, x);
    x = x + saturating_shift_left(srdh_mul(x, error), 2);
  }
  return saturating_shift_left(x, 1);
}

}  // namespace vdla::graph
