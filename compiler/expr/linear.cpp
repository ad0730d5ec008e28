// SPDX-License-Identifier: Apache-2.0
// Affine forms of indices and conditions.
#include "compiler/expr/linear.h"

#include <algorithm>

#include "compiler/expr/visit.h"

namespace vdla::expr {

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

namespace {

/// a - b + offset >= 0.
Linear difference(const ExprPtr& a, const ExprPtr& b, std::int64_t offset) {
  Linear result{expr::to_affine(a) - expr::to_affine(b)};
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
    if ((imm->value != 0) == negated) out.push_back(Linear{expr::Affine{{}, -1}});
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

Linear to_linear(const ExprPtr& e) { return Linear{expr::to_affine(e)}; }

bool equal(const Linear& a, const Linear& b) {
  const expr::Affine difference = a - b;
  return difference.is_constant() && difference.constant == 0;
}

Linear linear_offset(const expr::Buffer& buffer, std::span<const ExprPtr> indices) {
  Linear result;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    static_cast<expr::Affine&>(result) = result + expr::to_affine(indices[d]) * buffer.strides[d];
  }
  return result;
}

std::optional<std::vector<Linear>> conjunction(const ExprPtr& condition) {
  std::vector<Linear> result;
  if (!append_condition(condition, false, result)) return std::nullopt;
  return result;
}

}  // namespace vdla::expr
