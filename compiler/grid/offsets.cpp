// SPDX-License-Identifier: Apache-2.0
#include "compiler/grid/offsets.h"

#include <algorithm>
#include <utility>

#include "compiler/expr/simplify.h"
#include "compiler/expr/simplify_division.h"

namespace vdla::grid {

using expr::Affine;

Affine joined(const expr::ExprPtr& offset, const expr::Ranges& ranges) {
  const auto digits = [](const Affine& a) {
    return std::ranges::count_if(a.terms, [](const Affine::Term& t) { return !t.atom->as<expr::VarRef>(); });
  };
  Affine sum = expr::join_digits(expr::to_affine(expr::simplify(offset, ranges)));
  for (;;) {
    Affine again = expr::join_digits(expr::to_affine(expr::simplify(expr::to_expr(sum), ranges)));
    if (digits(again) >= digits(sum)) return sum;
    sum = std::move(again);
  }
}

std::int64_t parts_of(const expr::ExprPtr& atom) {
  const auto* n = atom->as<expr::Binary>();
  if (!n || n->op != expr::BinaryOp::FloorMod) return 0;
  const std::int64_t parts = expr::as_constant(n->b).value_or(0);
  return parts > 1 ? parts : 0;
}

std::optional<std::int64_t> distance_of_parts(const expr::ExprPtr& first, const expr::ExprPtr& second) {
  const std::int64_t parts = parts_of(first);
  if (parts == 0 || parts_of(second) != parts) return std::nullopt;
  const Affine difference =
      expr::to_affine(first->as<expr::Binary>()->a) - expr::to_affine(second->as<expr::Binary>()->a);
  if (!std::ranges::all_of(difference.terms,
                           [&](const Affine::Term& t) { return t.coefficient % parts == 0; }))
    return std::nullopt;
  const std::int64_t distance = difference.constant % parts;
  return distance < 0 ? distance + parts : distance;
}

std::optional<std::int64_t> distance_of_parts(const Affine& first, const Affine& second) {
  const auto is_part = [](const Affine& a) {
    return a.constant == 0 && a.terms.size() == 1 && a.terms[0].coefficient == 1;
  };
  if (!is_part(first) || !is_part(second)) return std::nullopt;
  return distance_of_parts(first.terms[0].atom, second.terms[0].atom);
}

Affine by_even_halves(const Affine& offset) {
  Affine result{{}, offset.constant};
  for (const Affine::Term& t : offset.terms) {
    if (parts_of(t.atom) != 2) {
      result = result + Affine{{t}, 0};
      continue;
    }
    const auto* half = t.atom->as<expr::Binary>();
    Affine of = expr::to_affine(half->a);
    const bool is_odd = of.constant % 2 != 0;
    of.constant = 0;
    const expr::ExprPtr even = expr::binary(expr::BinaryOp::FloorMod, expr::to_expr(of), half->b);
    if (is_odd)
      result = result - Affine{{{even, t.coefficient}}, 0} + Affine{{}, t.coefficient};
    else
      result = result + Affine{{{even, t.coefficient}}, 0};
  }
  return result;
}

}  // namespace vdla::grid
