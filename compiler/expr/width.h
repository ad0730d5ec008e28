// SPDX-License-Identifier: Apache-2.0
// How wide index arithmetic has to be: machines with narrow registers compute an index in 32 bits where its
// value, and every value on the way to it, is proven to fit.
#pragma once

#include "compiler/expr/affine.h"

namespace vdla::expr {

/// Whether 32 bits (signed) hold an expression of type index and all its operands of that type. One that is
/// read from memory does not.
bool fits_32_bits(const ExprPtr& e, const Ranges& ranges);
/// Whether 32 bits hold all numbers of the range.
bool fits_32_bits(const Interval& range);

}  // namespace vdla::expr
