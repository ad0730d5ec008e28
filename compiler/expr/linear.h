// SPDX-License-Identifier: Apache-2.0
// Index expressions as affine forms, taken apart by loop variable, and conditions as conjunctions of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/expr/affine.h"

namespace vdla::expr {

/// An affine form that gives up its loop variables one by one.
struct Linear : expr::Affine {
  /// Removes the term of `var` and returns its coefficient.
  std::int64_t take(const expr::VarPtr& var);
  /// Whether `var` occurs, inside atoms included.
  bool uses(const expr::VarPtr& var) const;
  expr::ExprPtr to_expr() const { return expr::to_expr(*this); }
};

Linear to_linear(const expr::ExprPtr& e);
bool equal(const Linear& a, const Linear& b);

/// Offset in elements of an indexed element of a buffer.
Linear linear_offset(const expr::Buffer& buffer, std::span<const expr::ExprPtr> indices);

/// The Bool expression as a conjunction of `linear >= 0`; nothing where it is none (or, not equal).
std::optional<std::vector<Linear>> conjunction(const expr::ExprPtr& condition);

}  // namespace vdla::expr
