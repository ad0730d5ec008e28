// SPDX-License-Identifier: Apache-2.0
// Reads of an expression, and whether it may be evaluated in another place than its own.
#pragma once

#include "compiler/expr/affine.h"

namespace vdla::expr {

/// Whether some part loads from a buffer, so that its value changes with stores.
bool reads_memory(const ExprPtr& e);

/// The offset of an element in elements of its buffer, as one sum.
Affine flat_offset(const Buffer& buffer, const std::vector<ExprPtr>& indices);

}  // namespace vdla::expr
