// SPDX-License-Identifier: Apache-2.0
// Integer index expressions as sums: constant + sum of coefficient * atom, an atom being a variable or an
// expression that is not linear (floor_div, min, ...). Comparisons as conjunctions of `linear >= 0`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/expr/expr.h"

namespace vdla::tensorize {

struct Linear {
  struct Term {
    expr::ExprPtr atom;
    std::int64_t coefficient;  ///< never 0
  };
  std::vector<Term> terms;  ///< of different atoms
  std::int64_t constant = 0;

  void add(const Linear& other, std::int64_t factor = 1);
  void add_term(const expr::ExprPtr& atom, std::int64_t coefficient);
  /// Of a variable that is an atom.
  std::int64_t coefficient(const expr::VarPtr& var) const;
  /// Removes the term of `var` and returns its coefficient.
  std::int64_t take(const expr::VarPtr& var);
  /// Whether `var` occurs, inside atoms included.
  bool uses(const expr::VarPtr& var) const;
  bool is_constant() const { return terms.empty(); }
  expr::ExprPtr to_expr() const;
};

Linear to_linear(const expr::ExprPtr& e);
bool equal(const Linear& a, const Linear& b);

/// Offset in elements of an indexed element of a buffer.
Linear flat_offset(const expr::Buffer& buffer, std::span<const expr::ExprPtr> indices);

/// The Bool expression as a conjunction of `linear >= 0`; nothing where it is none (or, not equal).
std::optional<std::vector<Linear>> conjunction(const expr::ExprPtr& condition);

}  // namespace vdla::tensorize
