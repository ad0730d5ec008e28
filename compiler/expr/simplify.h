// SPDX-License-Identifier: Apache-2.0
// Expression simplifier: folds constants, brings index arithmetic into affine normal form, and removes min,
// max, select, comparisons, divisions and remainders that the ranges of the variables decide.
#pragma once

#include "compiler/expr/affine.h"

namespace vdla::expr {

/// Equal to `e` wherever its variables are within `ranges`. Idempotent up to the strength of the rules; the
/// same pointer where nothing changed.
ExprPtr simplify(const ExprPtr& e, const Ranges& ranges);

/// The ranges where `condition` also holds, as far as it bounds single variables.
Ranges assume(const ExprPtr& condition, Ranges ranges);

/// True or false where the ranges decide a condition.
std::optional<bool> decide(const ExprPtr& condition, const Ranges& ranges);

/// The operands of nested `op`s: (a & b) & c gives a, b, c.
std::vector<ExprPtr> operands_of(BinaryOp op, const ExprPtr& e);
/// a & b & ..., true for none.
ExprPtr conjunction(const std::vector<ExprPtr>& conditions);

}  // namespace vdla::expr
