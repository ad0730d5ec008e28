// SPDX-License-Identifier: Apache-2.0
// Index expressions as sums coefficient * atom + constant, and finite bounds of expressions. The basis of the
// simplifier, of bound inference, and of everything that asks "how does this address move with that loop".
#pragma once

#include <optional>
#include <unordered_map>

#include "compiler/expr/expr.h"

namespace vdla::expr {

/// All values between low and high, both included.
struct Interval {
  std::int64_t low, high;
  bool contains(std::int64_t v) const { return low <= v && v <= high; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Known ranges of variables.
using Ranges = std::unordered_map<VarPtr, Interval>;

/// sum(coefficient * atom) + constant, of type index. An atom is a variable, or an expression that is not a
/// sum or a multiple. No atom twice, no coefficient zero; larger coefficients first, then by expr::compare.
struct Affine {
  struct Term {
    ExprPtr atom;
    std::int64_t coefficient;
  };
  std::vector<Term> terms;
  std::int64_t constant = 0;

  bool is_constant() const { return terms.empty(); }
  /// 0 where the variable is not a term; does not look into other atoms.
  std::int64_t coefficient(const VarPtr& var) const;
  /// Every atom is a variable.
  bool is_linear() const;
};

Affine to_affine(const ExprPtr& e);
ExprPtr to_expr(const Affine& a);
Affine operator+(const Affine& a, const Affine& b);
Affine operator-(const Affine& a, const Affine& b);
Affine operator*(const Affine& a, std::int64_t factor);

/// Constant value of an integer or bool expression that is a literal.
std::optional<std::int64_t> as_constant(const ExprPtr& e);

/// Finite bounds of the value, or nothing; given only where no operation on the way can wrap.
std::optional<Interval> bounds(const ExprPtr& e, const Ranges& ranges);
std::optional<Interval> bounds(const Affine& a, const Ranges& ranges);

}  // namespace vdla::expr
