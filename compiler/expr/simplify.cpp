// SPDX-License-Identifier: Apache-2.0
// The simplifier proper. Index sums are gathered into one Affine before they become expressions again;
// divisions and remainders by constants are the business of compiler/expr/simplify_division.cpp.
#include "compiler/expr/simplify.h"

#include <algorithm>
#include <numeric>

#include "compiler/expr/arith.h"
#include "compiler/expr/difference.h"
#include "compiler/expr/simplify_division.h"
#include "compiler/expr/visit.h"
#include "support/overloaded.h"

namespace vdla::expr {
namespace {

BinaryOp negated(BinaryOp op) {
  switch (op) {
    case BinaryOp::Eq:
      return BinaryOp::Ne;
    case BinaryOp::Ne:
      return BinaryOp::Eq;
    case BinaryOp::Lt:
      return BinaryOp::Ge;
    case BinaryOp::Le:
      return BinaryOp::Gt;
    case BinaryOp::Gt:
      return BinaryOp::Le;
    case BinaryOp::Ge:
      return BinaryOp::Lt;
    default:
      return op;
  }
}

/// a < b as b > a.
BinaryOp mirrored(BinaryOp op) {
  switch (op) {
    case BinaryOp::Lt:
      return BinaryOp::Gt;
    case BinaryOp::Le:
      return BinaryOp::Ge;
    case BinaryOp::Gt:
      return BinaryOp::Lt;
    case BinaryOp::Ge:
      return BinaryOp::Le;
    default:
      return op;
  }
}

std::int64_t saturating_sub(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < b ? INT64_MIN : INT64_MAX;
}

/// d op 0, decided by the bounds of d.
std::optional<bool> decide_sign(BinaryOp op, const Interval& d) {
  switch (op) {
    case BinaryOp::Eq:
    case BinaryOp::Ne:
      if (d.low == 0 && d.high == 0) return op == BinaryOp::Eq;
      if (!d.contains(0)) return op == BinaryOp::Ne;
      return std::nullopt;
    case BinaryOp::Lt:
    case BinaryOp::Ge:
      if (d.high < 0) return op == BinaryOp::Lt;
      if (d.low >= 0) return op == BinaryOp::Ge;
      return std::nullopt;
    case BinaryOp::Le:
    case BinaryOp::Gt:
      if (d.high <= 0) return op == BinaryOp::Le;
      if (d.low > 0) return op == BinaryOp::Gt;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

/// sum op 0 with a sum that has room as "variables op constant": only <, >=, ==, !=, coefficients divided by
/// their common factor.
ExprPtr canonical_comparison(BinaryOp op, Affine d) {
  bool all_negative =
      std::all_of(d.terms.begin(), d.terms.end(), [](const Affine::Term& t) { return t.coefficient < 0; });
  if (all_negative) {
    d = d * -1;
    op = mirrored(op);
  }
  std::int64_t limit = -d.constant;
  d.constant = 0;
  if (op == BinaryOp::Le || op == BinaryOp::Gt) {
    limit += 1;
    op = op == BinaryOp::Le ? BinaryOp::Lt : BinaryOp::Ge;
  }
  std::int64_t common = 0;
  for (const Affine::Term& t : d.terms) common = std::gcd(common, t.coefficient);
  if (common > 1) {
    bool exact = floor_mod(limit, common) == 0;
    if (!exact && op == BinaryOp::Eq) return bool_imm(false);
    if (!exact && op == BinaryOp::Ne) return bool_imm(true);
    for (Affine::Term& t : d.terms) t.coefficient /= common;
    limit = -floor_div(-limit, common);  // rounded up: sum < limit and sum >= limit both move up
  }
  return binary(op, to_expr(d), int_imm(limit));
}

// Long: a method for each operator, which call each other.
class Simplifier {
 public:
  explicit Simplifier(const Ranges& ranges) : ranges_(ranges) {}

  ExprPtr expr(const ExprPtr& e) {
    if (auto found = memo_.find(e); found != memo_.end()) return found->second;
    ExprPtr result = expr_uncached(e);
    if (result != e && equal(result, e)) result = e;
    memo_.emplace(e, result);
    return result;
  }

 private:
  ExprPtr expr_uncached(const ExprPtr& e) {
    if (e->dtype == kIndex && is_sum(e)) return to_expr(recombine_divisions(affine(e)));
    return std::visit(overloaded{
                          [&](const Binary& n) { return binary_node(e, n); },
                          [&](const Not& n) { return not_node(e, n); },
                          [&](const Select& n) { return select_node(e, n); },
                          [&](const Cast&) { return cast_node(e); },
                          [&](const auto&) { return with_simple_children(e); },
                      },
                      e->node);
  }

  static bool is_sum(const ExprPtr& e) {
    const auto* n = e->as<Binary>();
    if (!n) return false;
    if (n->op == BinaryOp::Shl) return as_constant(n->b).has_value();
    return n->op == BinaryOp::Add || n->op == BinaryOp::Sub || n->op == BinaryOp::Mul;
  }

  /// The affine form with simplified atoms.
  Affine affine(const ExprPtr& e) {
    const auto* n = e->as<Binary>();
    if (!n || !is_sum(e)) return to_affine(expr(e));
    if (n->op == BinaryOp::Shl) return to_affine(binary(n->op, expr(n->a), n->b));
    Affine a = affine(n->a), b = affine(n->b);
    if (n->op == BinaryOp::Add) return a + b;
    if (n->op == BinaryOp::Sub) return a - b;
    if (b.is_constant()) return a * b.constant;
    if (a.is_constant()) return b * a.constant;
    return to_affine(binary(BinaryOp::Mul, to_expr(a), to_expr(b)));
  }

  ExprPtr with_simple_children(const ExprPtr& e) {
    std::vector<ExprPtr> operands = children(e);
    bool changed = false;
    for (ExprPtr& operand : operands) {
      ExprPtr simple = expr(operand);
      changed |= simple != operand;
      operand = std::move(simple);
    }
    return changed ? with_children(e, operands) : e;
  }

  ExprPtr binary_node(const ExprPtr& e, const Binary& n) {
    ExprPtr a = expr(n.a), b = expr(n.b);
    if (ExprPtr folded = fold(n.op, e->dtype, a, b)) return folded;
    if (n.a->dtype == kIndex) {
      if (ExprPtr result = index_binary(n.op, a, b)) return result;
    }
    if (n.a->dtype == DType::Bool) {
      if (ExprPtr result = bool_binary(n.op, a, b)) return result;
    } else if (is_int(n.a->dtype)) {
      if (ExprPtr result = int_binary(n.op, a, b)) return result;
    }
    return a == n.a && b == n.b ? e : binary(n.op, a, b);
  }

  static ExprPtr fold(BinaryOp op, DType result, const ExprPtr& a, const ExprPtr& b) {
    if (is_float(a->dtype)) {
      const auto *x = a->as<FloatImm>(), *y = b->as<FloatImm>();
      if (!x || !y) return nullptr;
      double value = evaluate_float(op, a->dtype, x->value, y->value);
      return is_comparison(op) ? bool_imm(value != 0) : float_imm(value, result);
    }
    auto x = as_constant(a), y = as_constant(b);
    if (!x || !y) return nullptr;
    return int_imm(evaluate(op, a->dtype, *x, *y), result);
  }

  ExprPtr index_binary(BinaryOp op, const ExprPtr& a, const ExprPtr& b) {
    if (is_comparison(op)) return index_comparison(op, a, b);
    if (op == BinaryOp::Min || op == BinaryOp::Max) {
      auto d = difference_bounds(a, b, ranges_);
      if (d && d->high <= 0) return op == BinaryOp::Min ? a : b;
      if (d && d->low >= 0) return op == BinaryOp::Min ? b : a;
      return nullptr;
    }
    auto divisor = as_constant(b);
    if (!divisor || *divisor <= 0) return nullptr;
    bool truncating = op == BinaryOp::Div || op == BinaryOp::Rem;
    if (truncating) {
      auto range = bounds(a, ranges_);
      if (!range || range->low < 0) return nullptr;
    }
    if (op == BinaryOp::FloorDiv || op == BinaryOp::Div) {
      return to_expr(divide(to_affine(a), *divisor, ranges_).quotient);
    }
    if (op == BinaryOp::FloorMod || op == BinaryOp::Rem) {
      return to_expr(divide(to_affine(a), *divisor, ranges_).remainder);
    }
    return nullptr;
  }

  ExprPtr index_comparison(BinaryOp op, const ExprPtr& a, const ExprPtr& b) {
    auto range = difference_bounds(a, b, ranges_);
    if (!range) return nullptr;
    if (auto decided = decide_sign(op, *range)) return bool_imm(*decided);
    Affine d = to_affine(a) - to_affine(b);
    auto sum = bounds(Affine{d.terms, 0}, ranges_);
    if (!has_room(d) || !sum || !has_room(*sum)) return nullptr;
    return canonical_comparison(op, std::move(d));
  }

  ExprPtr bool_binary(BinaryOp op, const ExprPtr& a, const ExprPtr& b) {
    if (op != BinaryOp::And && op != BinaryOp::Or) return nullptr;
    bool neutral = op == BinaryOp::And;
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
      if (auto constant = as_constant(x)) return (*constant != 0) == neutral ? y : x;
    }
    // a & (b & a): each operand once.
    std::vector<ExprPtr> kept;
    for (const ExprPtr& operand : operands_of(op, binary(op, a, b))) {
      if (std::none_of(kept.begin(), kept.end(), [&](const ExprPtr& k) { return equal(k, operand); })) {
        kept.push_back(operand);
      }
    }
    ExprPtr result = kept[0];
    for (std::size_t i = 1; i < kept.size(); ++i) result = binary(op, result, kept[i]);
    return result;
  }

  /// Data arithmetic keeps its shape; only operations that do nothing go, and what the ranges decide.
  ExprPtr int_binary(BinaryOp op, const ExprPtr& a, const ExprPtr& b) {
    auto x = as_constant(a), y = as_constant(b);
    bool commutes = op == BinaryOp::Add || op == BinaryOp::Mul || op == BinaryOp::Or || op == BinaryOp::Xor;
    bool zero_does_nothing = op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Or ||
                             op == BinaryOp::Xor || op == BinaryOp::Shl || op == BinaryOp::Shr;
    if (y == 0 && zero_does_nothing) return a;
    if (x == 0 && zero_does_nothing && commutes) return b;
    if (y == 1 && (op == BinaryOp::Mul || op == BinaryOp::Div || op == BinaryOp::FloorDiv)) return a;
    if (x == 1 && op == BinaryOp::Mul) return b;
    if (op == BinaryOp::Mul && (x == 0 || y == 0)) return int_imm(0, a->dtype);
    if (op != BinaryOp::Min && op != BinaryOp::Max && !is_comparison(op)) return nullptr;
    auto r = bounds(a, ranges_), s = bounds(b, ranges_);
    if (!r || !s) return nullptr;
    if (op == BinaryOp::Min || op == BinaryOp::Max) {
      if (r->high <= s->low) return op == BinaryOp::Min ? a : b;
      if (s->high <= r->low) return op == BinaryOp::Min ? b : a;
      return nullptr;
    }
    auto decided = decide_sign(op, {saturating_sub(r->low, s->high), saturating_sub(r->high, s->low)});
    return decided ? bool_imm(*decided) : nullptr;
  }

  ExprPtr not_node(const ExprPtr& e, const Not& n) {
    ExprPtr a = expr(n.a);
    if (e->dtype == DType::Bool) {
      if (auto constant = as_constant(a)) return bool_imm(*constant == 0);
      if (const auto* inner = a->as<Not>()) return inner->a;
      const auto* comparison = a->as<Binary>();
      if (comparison && is_comparison(comparison->op) && !is_float(comparison->a->dtype)) {
        return binary(negated(comparison->op), comparison->a, comparison->b);
      }
    } else if (auto constant = as_constant(a)) {
      return int_imm(~*constant, e->dtype);
    }
    return a == n.a ? e : logical_not(a);
  }

  ExprPtr select_node(const ExprPtr& e, const Select& n) {
    ExprPtr condition = expr(n.condition);
    if (auto constant = as_constant(condition)) return expr(*constant ? n.on_true : n.on_false);
    ExprPtr on_true = branch(n.on_true, condition), on_false = branch(n.on_false, nullptr);
    if (equal(on_true, on_false)) return on_true;
    if (condition == n.condition && on_true == n.on_true && on_false == n.on_false) return e;
    return select(condition, on_true, on_false);
  }

  /// A side of a select, with what its condition says about the ranges.
  ExprPtr branch(const ExprPtr& e, const ExprPtr& condition) {
    if (!condition) return expr(e);
    Ranges narrowed = assume(condition, ranges_);
    return narrowed == ranges_ ? expr(e) : simplify(e, narrowed);
  }

  ExprPtr cast_node(const ExprPtr& e) {
    ExprPtr a = expr(e->as<Cast>()->a);
    if (const auto* literal = a->as<FloatImm>()) {
      return is_float(e->dtype) ? float_imm(literal->value, e->dtype)
                                : int_imm(float_to_int(literal->value, e->dtype), e->dtype);
    }
    if (auto constant = as_constant(a)) {
      return is_float(e->dtype) ? float_imm(int_to_float(*constant, a->dtype, e->dtype), e->dtype)
                                : int_imm(*constant, e->dtype);
    }
    return a == e->as<Cast>()->a ? e : cast(e->dtype, a);
  }

  const Ranges& ranges_;
  std::unordered_map<ExprPtr, ExprPtr> memo_;
};

/// Narrows the range of the one variable that a comparison of the form coefficient * var + constant op 0
/// bounds.
void narrow(Ranges& ranges, BinaryOp op, const Affine& d) {
  if (d.terms.size() != 1 || !d.is_linear() || !has_room(d)) return;
  VarPtr var = d.terms[0].atom->as<VarRef>()->var;
  auto range = ranges.find(var);
  if (range == ranges.end() || (d.terms[0].coefficient != 1 && d.terms[0].coefficient != -1)) return;
  bool flip = d.terms[0].coefficient < 0;
  std::int64_t value = flip ? d.constant : -d.constant;  // var op value
  if (flip) op = mirrored(op);
  Interval now = range->second;
  if (op == BinaryOp::Lt) now.high = std::min(now.high, value - 1);
  if (op == BinaryOp::Le || op == BinaryOp::Eq) now.high = std::min(now.high, value);
  if (op == BinaryOp::Gt) now.low = std::max(now.low, value + 1);
  if (op == BinaryOp::Ge || op == BinaryOp::Eq) now.low = std::max(now.low, value);
  if (now.low <= now.high) range->second = now;
}

}  // namespace

ExprPtr simplify(const ExprPtr& e, const Ranges& ranges) { return Simplifier(ranges).expr(e); }

Ranges assume(const ExprPtr& condition, Ranges ranges) {
  for (const ExprPtr& operand : operands_of(BinaryOp::And, condition)) {
    const auto* n = operand->as<Binary>();
    if (!n || !is_comparison(n->op) || n->a->dtype != kIndex) continue;
    if (!difference_bounds(n->a, n->b, ranges)) continue;
    narrow(ranges, n->op, to_affine(n->a) - to_affine(n->b));
  }
  return ranges;
}

std::optional<bool> decide(const ExprPtr& condition, const Ranges& ranges) {
  auto constant = as_constant(simplify(condition, ranges));
  if (!constant) return std::nullopt;
  return *constant != 0;
}

std::vector<ExprPtr> operands_of(BinaryOp op, const ExprPtr& e) {
  const auto* n = e->as<Binary>();
  if (!n || n->op != op) return {e};
  std::vector<ExprPtr> operands = operands_of(op, n->a);
  for (ExprPtr& operand : operands_of(op, n->b)) operands.push_back(std::move(operand));
  return operands;
}

ExprPtr conjunction(const std::vector<ExprPtr>& conditions) {
  ExprPtr result;
  for (const ExprPtr& condition : conditions) {
    result = result ? binary(BinaryOp::And, result, condition) : condition;
  }
  return result ? result : bool_imm(true);
}

}  // namespace vdla::expr
