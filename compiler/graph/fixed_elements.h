// SPDX-License-Identifier: Apache-2.0
// Fixed-point functions of int32 elements as TFLite's reference kernels compute them, in several steps.
#pragma once

#include "compiler/expr/dsl.h"

namespace vdla::graph {

/// x * 2^n with saturation.
expr::Value saturating_shift_left(const expr::Value& x, int n);

/// 1 / (1 + a) for a in [0, 1), both Q0.31: three Newton steps from a linear guess, in Q2.29.
expr::Value reciprocal_of_one_plus(const expr::Value& a);

/// 1 / sqrt(x) as a Q0.31 number and a shift to the right, which may be negative.
struct InverseRoot {
  expr::Value number, right;
};
/// x >= 0, 0 as 1: five Newton steps from 1, in Q3.28.
InverseRoot inverse_root(const expr::Value& x);

}  // namespace vdla::graph
