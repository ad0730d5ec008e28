// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fixed_elements.h"

#include <cstdint>

#include "compiler/graph/ops_parts.h"

namespace vdla::graph {

using expr::DType;
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

InverseRoot inverse_root(const Value& x) {
  constexpr std::int64_t kHalfOfThree = (1 << 28) + (1 << 27), kRootOfHalf = 1518500250, kOne = 1 << 28;
  constexpr int kSteps = 5, kBitsOfCube = 6, kBits = 3;
  const Value at_least_two = maximum(x, 2);
  // Even, so that 27 or 28 bits are left.
  const Value left = (Value(expr::call(expr::Function::Clz, {at_least_two.expr()})) - 1) & parts::int32(-2);
  const Value half = round_shift_right((at_least_two << left) >> 3, parts::int32(1));
  const auto step = [&](const Value& root, const Value& cube) {
    return (srdh_mul(parts::int32(kHalfOfThree), root) - srdh_mul(half, cube)) << kBits;
  };
  // Each step names the root before it four times, and a body has no names: the first one is of a constant.
  Value root = step(parts::int32(kOne), parts::int32(kOne));
  for (int i = 1; i < kSteps; ++i) {
    const Value cube = cast(DType::I64, srdh_mul(srdh_mul(root, root), root)) << kBitsOfCube;
    root = step(root, cast(DType::I32, minimum(cube, INT32_MAX)));
  }
  return {select(x > 1, srdh_mul(root, parts::int32(kRootOfHalf)), parts::int32(INT32_MAX)),
          select(x > 1, parts::int32(12) - (left >> 1), parts::int32(0))};
}

}  // namespace vdla::graph
