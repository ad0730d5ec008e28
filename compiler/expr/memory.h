// SPDX-License-Identifier: Apache-2.0
// What an expression reads and whether it may be evaluated in another place than its own.
#pragma once

#include "compiler/expr/affine.h"

namespace vdla::expr {

/// Whether some part loads from a buffer, so that its value changes with stores.
bool reads_memory(const ExprPtr& e);
/// Whether this node, its operands left aside, is an integer division by something that may be zero.
bool may_divide_by_zero(const ExprPtr& e);
/// Whether some part may divide by zero.
bool may_trap(const ExprPtr& e);

/// The offset of an element in elements of its buffer, as one sum.
Affine flat_offset(const Buffer& buffer, const std::vector<ExprPtr>& indices);

}  // namespace vdla::expr
