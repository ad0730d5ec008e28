// SPDX-License-Identifier: Apache-2.0
// Differences of int8 numbers as sums of int8 numbers: how operands with a zero point come to an array of
// int8 multipliers.
#pragma once

#include <cstdint>

namespace vdla {

/// How many int8 numbers x - zero is the sum of, for every int8 x: 127 + 128 takes three.
constexpr std::int64_t int8_summands(std::int32_t zero) { return zero == 0 ? 1 : zero == -128 ? 3 : 2; }

}  // namespace vdla
