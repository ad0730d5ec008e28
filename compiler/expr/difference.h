// SPDX-License-Identifier: Apache-2.0
// Differences of index expressions that are the differences of their values. An affine form is exact modulo
// 2^64 only, so a comparison may not be brought to one side of it without asking here.
#pragma once

#include "compiler/expr/affine.h"

namespace vdla::expr {

/// Bounds of to_affine(a) - to_affine(b), given only where no value of a - b leaves the type.
std::optional<Interval> difference_bounds(const ExprPtr& a, const ExprPtr& b, const Ranges& ranges);

/// Whether coefficients and constant, or ends, are so far from the ends of the type that they may be negated
/// and have one added.
bool has_room(const Affine& a);
bool has_room(const Interval& range);

}  // namespace vdla::expr
