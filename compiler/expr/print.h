// SPDX-License-Identifier: Apache-2.0
// Expressions as text, in the grammar that compiler/loop/parse.h reads.
//
//   literals   3 (an index), 3i32, 0.5f32, 2bf16, inf_f32, nan_f64, true
//   calls      i32(x) casts; select(c, a, b), min(a, b), floor_div(a, b), rem(a, b), exp(x), ...
//   infix      as in C++ with its precedence, bitwise operators included
#pragma once

#include <string>

#include "compiler/expr/expr.h"

namespace vdla::expr {

std::string to_string(const ExprPtr& e);
/// Binding strength of an infix operator, stronger is larger.
int precedence(BinaryOp op);

}  // namespace vdla::expr
