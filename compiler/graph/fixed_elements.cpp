// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fixed_elements.h"

#include <cstdint>

#include "compiler/graph/ops_parts.h"

namespace vdla::graph {

using expr::Value;

Value saturating_shift_left(const Value& x, int n) {
  const std::int64_t limit = (std::int64_t{1} << (31 - n)) - 1;
  return select(x > limit, parts::int32(INT32_MAX), select(x < -limit, parts::int32(INT32_MIN), x << n));
}

Value reciprocal_of_one_plus(const Value& a) {
  constexpr std::int64_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = 1 << 29;
  const Value half_denominator = (a >> 1) + (1 << 30);
  Value x = srdh_mul(half_denominator, parts::int32(kMinus32Over17)) + k48Over17;
  for (int step = 0; step < 3; ++step) {
    const Value error = parts::int32(kOne) - srdh_mul(half_denominator, x);
    x = x + saturating_shift_left(srdh_mul(x, error), 2);
  }
  return saturating_shift_left(x, 1);
}

}  // namespace vdla::graph
