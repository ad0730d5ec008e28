// SPDX-License-Identifier: Apache-2.0
// The bridge from what the ISA says that a lane computes (isa/spec/meaning.h) to an expression over tensors.
#pragma once

#include <functional>

#include "compiler/expr/expr.h"
#include "isa/spec/meaning.h"

namespace vdla::intrinsics {

/// Expressions for operands and fields. Each is asked for once, in the order of the terms.
struct Leaves {
  expr::ExprPtr x;                                    ///< I32
  std::function<expr::ExprPtr(unsigned row)> p = {};  ///< I32
  /// Field of the type that is named.
  std::function<expr::ExprPtr(std::string_view, expr::DType)> field = {};
};

expr::ExprPtr expression_of(const isa::Meaning& meaning, const Leaves& leaves);

}  // namespace vdla::intrinsics
