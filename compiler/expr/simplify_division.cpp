// SPDX-License-Identifier: Apache-2.0
// With a = c * q + g * x + small, where g divides the divisor c and 0 <= small < g:
//   floor_div(a, c) = q + floor_div(x, c / g)      floor_mod(a, c) = g * floor_mod(x, c / g) + small
#include "compiler/expr/simplify_division.h"

#include <algorithm>
#include <numeric>

#include "compiler/expr/arith.h"
#include "compiler/expr/visit.h"

namespace vdla::expr {
namespace {

Affine constant(std::int64_t value) { return {{}, value}; }

/// The terms (and part of the constant) that are multiples of g, divided by g, and the rest.
void partition(const Affine& a, std::int64_t g, Affine& multiples, Affine& rest) {
  for (const Affine::Term& t : a.terms) {
    if (t.coefficient % g == 0) {
      multiples = multiples + Affine{{{t.atom, t.coefficient / g}}, 0};
    } else {
      rest = rest + Affine{{t}, 0};
    }
  }
  multiples.constant = floor_div(a.constant, g);
  rest.constant = floor_mod(a.constant, g);
}

/// floor_div(floor_div(x, a), b) = floor_div(x, a * b).
Division opaque(const Affine& a, std::int64_t divisor) {
  ExprPtr dividend = to_expr(a);
  ExprPtr quotient = binary(BinaryOp::FloorDiv, dividend, int_imm(divisor));
  if (const auto* inner = dividend->as<Binary>(); inner && inner->op == BinaryOp::FloorDiv) {
    auto c = as_constant(inner->b);
    std::int64_t product = 0;
    if (c && *c > 0 && !__builtin_mul_overflow(*c, divisor, &product)) {
      quotient = binary(BinaryOp::FloorDiv, inner->a, int_imm(product));
    }
  }
  return {{{{quotient, 1}}, 0}, {{{binary(BinaryOp::FloorMod, dividend, int_imm(divisor)), 1}}, 0}};
}

/// Division of what has no term that is a multiple of the divisor.
Division divide_rest(const Affine& rest, std::int64_t divisor, const Ranges& ranges) {
  if (auto range = bounds(rest, ranges)) {
    std::int64_t quotient = floor_div(range->low, divisor);
    if (quotient == floor_div(range->high, divisor)) {
      return {constant(quotient), rest - constant(quotient) * divisor};
    }
  }
  std::vector<std::int64_t> factors;
  for (const Affine::Term& t : rest.terms) factors.push_back(std::gcd(t.coefficient, divisor));
  std::sort(factors.rbegin(), factors.rend());
  for (std::int64_t g : factors) {
    if (g <= 1) break;
    Affine x, small;
    partition(rest, g, x, small);
    auto range = bounds(small, ranges);
    if (!range || range->low < 0 || range->high >= g || !bounds(rest, ranges)) continue;
    Division inner = divide(x, divisor / g, ranges);
    return {inner.quotient, inner.remainder * g + small};
  }
  return opaque(rest, divisor);
}

/// The operands of op(x, c) with a constant c, or nothing.
struct ByConstant {
  ExprPtr dividend;
  std::int64_t divisor;
};
std::optional<ByConstant> match(BinaryOp op, const ExprPtr& e) {
  const auto* n = e->as<Binary>();
  if (!n || n->op != op) return std::nullopt;
  auto divisor = as_constant(n->b);
  if (!divisor) return std::nullopt;
  return ByConstant{n->a, *divisor};
}

}  // namespace

Division divide(const Affine& a, std::int64_t divisor, const Ranges& ranges) {
  if (divisor == 1) return {a, constant(0)};
  // Pulling multiples out is exact only where nothing wraps.
  if (!bounds(a, ranges)) return opaque(a, divisor);
  Affine multiples, rest;
  partition(a, divisor, multiples, rest);
  Division inner = divide_rest(rest, divisor, ranges);
  return {multiples + inner.quotient, inner.remainder};
}

Affine recombine_divisions(const Affine& a) {
  for (const Affine::Term& mod : a.terms) {
    auto m = match(BinaryOp::FloorMod, mod.atom);
    if (!m) continue;
    for (const Affine::Term& div : a.terms) {
      auto d = match(BinaryOp::FloorDiv, div.atom);
      if (!d || d->divisor != m->divisor || !equal(d->dividend, m->dividend)) continue;
      std::int64_t factor = 0;
      if (__builtin_mul_overflow(mod.coefficient, m->divisor, &factor) || div.coefficient != factor) continue;
      Affine both{{div, mod}, 0};
      return recombine_divisions(a - both + to_affine(m->dividend) * mod.coefficient);
    }
  }
  return a;
}

namespace {

/// floor_div(of, unit), of which only the remainder by `radix` where that is not 0.
struct Digit {
  ExprPtr of;
  std::int64_t unit, radix;
};

std::optional<std::int64_t> positive_constant(const ExprPtr& e) {
  const auto c = as_constant(e);
  return c && *c > 0 ? c : std::nullopt;
}

std::optional<Digit> digit_of(const ExprPtr& e) {
  const auto* n = e->as<Binary>();
  if (!n || (n->op != BinaryOp::FloorDiv && n->op != BinaryOp::FloorMod)) return std::nullopt;
  const auto divisor = positive_constant(n->b);
  if (!divisor) return std::nullopt;
  const auto inner = digit_of(n->a);
  const bool is_quotient = inner && inner->radix == 0;
  if (n->op == BinaryOp::FloorMod)
    return is_quotient ? Digit{inner->of, inner->unit, *divisor} : Digit{n->a, 1, *divisor};
  std::int64_t unit = *divisor;
  if (is_quotient && !__builtin_mul_overflow(inner->unit, *divisor, &unit)) return Digit{inner->of, unit, 0};
  return Digit{n->a, *divisor, 0};
}

Affine value_of(const Digit& d) {
  if (d.unit == 1 && d.radix == 0) return to_affine(d.of);
  ExprPtr e = d.unit == 1 ? d.of : binary(BinaryOp::FloorDiv, d.of, int_imm(d.unit));
  return to_affine(d.radix == 0 ? e : binary(BinaryOp::FloorMod, e, int_imm(d.radix)));
}

/// Two neighbouring digits, of which `high` stands in front of `low`, as one.
std::optional<Digit> joined(const Digit& low, std::int64_t low_factor, const Digit& high,
                            std::int64_t high_factor) {
  std::int64_t unit = 0, factor = 0, radix = 0;
  if (low.radix == 0 || !equal(low.of, high.of) || __builtin_mul_overflow(low.unit, low.radix, &unit) ||
      unit != high.unit || __builtin_mul_overflow(low_factor, low.radix, &factor) || factor != high_factor ||
      __builtin_mul_overflow(low.radix, high.radix, &radix))
    return std::nullopt;
  return Digit{low.of, low.unit, radix};
}

}  // namespace

Affine join_digits(Affine a) {
  for (std::size_t i = 0; i < a.terms.size(); ++i) {
    const auto low = digit_of(a.terms[i].atom);
    for (std::size_t j = 0; low && j < a.terms.size(); ++j) {
      if (i == j) continue;  // a remainder by 1 is its own neighbour
      const auto high = digit_of(a.terms[j].atom);
      const auto both =
          high ? joined(*low, a.terms[i].coefficient, *high, a.terms[j].coefficient) : std::nullopt;
      if (!both) continue;
      Affine rest = a;
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      return join_digits(rest + value_of(*both) * a.terms[i].coefficient);
    }
  }
  return a;
}

}  // namespace vdla::expr
