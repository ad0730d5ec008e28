// SPDX-License-Identifier: Apache-2.0
// Sums of products with constants.
#include "compiler/tensorize/linear.h"

#include <algorithm>

#include "compiler/expr/visit.h"

namespace vdla::tensorize {

using expr::Binary;
using expr::BinaryOp;
using expr::ExprPtr;

void Linear::add_term(const ExprPtr& atom, std::int64_t coefficient) {
  for (auto it = terms.begin(); it != terms.end(); ++it) {
    if (!expr::equal(it->atom, atom)) continue;
    it->coefficient += coefficient;
    if (it->coefficient == 0) terms.erase(it);
    return;
  }
  if (coefficient != 0) terms.push_back({atom, coefficient});
}

void Linear::add(const Linear& other, std::int64_t factor) {
  constant += other.constant * factor;
  for (const Term& term : other.terms) add_term(term.atom, term.coefficient * factor);
}

std::int64_t Linear::coefficient(const expr::VarPtr& var) const {
  for (const Term& term : terms) {
    const auto* ref = term.atom->as<expr::VarRef>();
    if (ref && ref->var == var) return term.coefficient;
  }
  return 0;
}

std::int64_t Linear::take(const expr::VarPtr& var) {
  const std::int64_t value = coefficient(var);
  std::erase_if(terms, [&](const Term& term) {
    const auto* ref = term.atom->as<expr::VarRef>();
    return ref && ref->var == var;
  });
  return value;
}

bool Linear::uses(const expr::VarPtr& var) const {
  return std::ranges::any_of(terms, [&](const Term& term) { return expr::uses(term.atom, var); });
}

ExprPtr Linear::to_expr() const {
  ExprPtr sum;
  for (const Term& term : terms) {
    ExprPtr product = term.coefficient == 1
                          ? term.atom
                          : expr::binary(BinaryOp::Mul, term.atom, expr::int_imm(term.coefficient));
    sum = sum ? expr::binary(BinaryOp::Add, sum, product) : product;
  }
  if (!sum) return expr::int_imm(constant);
  return constant == 0 ? sum : expr::binary(BinaryOp::Add, sum, expr::int_imm(constant));
}

namespace {

void accumulate(const ExprPtr& e, std::int64_t factor, Linear& out) {
  if (factor == 0) return;
  if (const auto* imm = e->as<expr::IntImm>()) {
    out.constant += imm->value * factor;
    return;
  }
  if (const auto* n = e->as<Binary>()) {
    const auto* a = n->a->as<expr::IntImm>();
    const auto* b = n->b->as<expr::IntImm>();
    if (n->op == BinaryOp::Add || n->op == BinaryOp::Sub) {
      accumulate(n->a, factor, out);
      accumulate(n->b, n->op == BinaryOp::Add ? factor : -factor, out);
      return;
    }
    if (n->op == BinaryOp::Mul && b) return accumulate(n->a, factor * b->value, out);
    if (n->op == BinaryOp::Mul && a) return accumulate(n->b, factor * a->value, out);
  }
  out.add_term(e, factor);
}

/// a - b + offset >= 0.
Linear difference(const ExprPtr& a, const ExprPtr& b, std::int64_t offset) {
  Linear result = to_linear(a);
  result.add(to_linear(b), -1);
  result.constant += offset;
  return result;
}

bool append_comparison(const Binary& n, bool negated, std::vector<Linear>& out) {
  BinaryOp op = n.op;
  if (negated) {
    switch (op) {
      case BinaryOp::Lt:
        op = BinaryOp::Ge;
        break;
      case BinaryOp::Le:
        op = BinaryOp::Gt;
        break;
      case BinaryOp::Gt:
        op = BinaryOp::Le;
        break;
      case BinaryOp::Ge:
        op = BinaryOp::Lt;
        break;
      case BinaryOp::Ne:
        op = BinaryOp::Eq;
        break;
      default:
        return false;
    }
  }
  if (n.a->dtype != expr::kIndex) return false;
  if (op == BinaryOp::Lt)
    out.push_back(difference(n.b, n.a, -1));
  else if (op == BinaryOp::Le)
    out.push_back(difference(n.b, n.a, 0));
  else if (op == BinaryOp::Gt)
    out.push_back(difference(n.a, n.b, -1));
  else if (op == BinaryOp::Ge)
    out.push_back(difference(n.a, n.b, 0));
  else if (op == BinaryOp::Eq) {
    out.push_back(difference(n.a, n.b, 0));
    out.push_back(difference(n.b, n.a, 0));
  } else {
    return false;
  }
  return true;
}

bool append_condition(const ExprPtr& e, bool negated, std::vector<Linear>& out) {
  if (const auto* imm = e->as<expr::IntImm>()) {
    if ((imm->value != 0) == negated) out.push_back(Linear{{}, -1});
    return true;
  }
  if (const auto* n = e->as<expr::Not>()) return append_condition(n->a, !negated, out);
  const auto* n = e->as<Binary>();
  if (!n) return false;
  if (n->op == (negated ? BinaryOp::Or : BinaryOp::And)) {
    return append_condition(n->a, negated, out) && append_condition(n->b, negated, out);
  }
  return append_comparison(*n, negated, out);
}

}  // namespace

Linear to_linear(const ExprPtr& e) {
  Linear result;
  accumulate(e, 1, result);
  return result;
}

bool equal(const Linear& a, const Linear& b) {
  Linear difference = a;
  difference.add(b, -1);
  return difference.is_constant() && difference.constant == 0;
}

Linear flat_offset(const expr::Buffer& buffer, std::span<const ExprPtr> indices) {
  Linear result;
  for (std::size_t d = 0; d < indices.size(); ++d) result.add(to_linear(indices[d]), buffer.strides[d]);
  return result;
}

std::optional<std::vector<Linear>> conjunction(const ExprPtr& condition) {
  std::vector<Linear> result;
  if (!append_condition(condition, false, result)) return std::nullopt;
  return result;
}

}  // namespace vdla::tensorize
