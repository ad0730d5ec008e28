// SPDX-License-Identifier: Apache-2.0
// Affine forms and interval bounds.
#include "compiler/expr/affine.h"

#include <algorithm>
#include <bit>

#include "compiler/expr/arith.h"
#include "compiler/expr/visit.h"
#include "support/overloaded.h"

namespace vdla::expr {
namespace {

using Wide = __int128;

std::uint64_t magnitude(std::int64_t v) { return v < 0 ? 0 - static_cast<std::uint64_t>(v) : v; }

std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

bool before(const Affine::Term& a, const Affine::Term& b) {
  std::uint64_t x = magnitude(a.coefficient), y = magnitude(b.coefficient);
  return x != y ? x > y : compare(a.atom, b.atom) < 0;
}

void normalise(Affine& a) {
  std::erase_if(a.terms, [](const Affine::Term& t) { return t.coefficient == 0; });
  std::sort(a.terms.begin(), a.terms.end(), before);
}

/// a + factor * b, terms merged but not yet in order.
Affine accumulate(Affine a, const Affine& b, std::int64_t factor) {
  a.constant = wrapping_add(a.constant, wrapping_mul(b.constant, factor));
  for (const Affine::Term& term : b.terms) {
    std::int64_t coefficient = wrapping_mul(term.coefficient, factor);
    auto same = std::find_if(a.terms.begin(), a.terms.end(),
                             [&](const Affine::Term& t) { return equal(t.atom, term.atom); });
    if (same == a.terms.end()) {
      a.terms.push_back({term.atom, coefficient});
    } else {
      same->coefficient = wrapping_add(same->coefficient, coefficient);
    }
  }
  normalise(a);
  return a;
}

std::optional<Interval> fit(Wide low, Wide high, DType dtype) {
  Wide limit_high = dtype == DType::U64 ? Wide{INT64_MAX} : Wide{max_value(dtype)};
  if (low < Wide{min_value(dtype)} || high > limit_high) return std::nullopt;
  return Interval{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

std::optional<Interval> product(const Interval& a, const Interval& b, DType dtype) {
  Wide corners[] = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low, Wide{a.high} * b.high};
  return fit(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4), dtype);
}

std::optional<Interval> divided(BinaryOp op, const Interval& a, const Interval& b) {
  if (b.low <= 0) return std::nullopt;
  if (op == BinaryOp::FloorDiv) {
    std::int64_t corners[] = {floor_div(a.low, b.low), floor_div(a.low, b.high), floor_div(a.high, b.low),
                              floor_div(a.high, b.high)};
    return Interval{*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
  }
  if (op == BinaryOp::FloorMod) {
    if (b.low == b.high && floor_div(a.low, b.low) == floor_div(a.high, b.low)) {
      return Interval{floor_mod(a.low, b.low), floor_mod(a.high, b.low)};
    }
    return Interval{0, b.high - 1};
  }
  if (op == BinaryOp::Div) {
    std::int64_t corners[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
    return Interval{*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
  }
  return Interval{a.low >= 0 ? 0 : std::max(a.low, 1 - b.high),
                  a.high <= 0 ? 0 : std::min(a.high, b.high - 1)};
}

std::optional<Interval> shifted(BinaryOp op, const Interval& a, const Interval& b, DType dtype) {
  if (b.low != b.high || b.low < 0 || b.low >= bits(dtype)) return std::nullopt;
  if (op == BinaryOp::Shl) return fit(Wide{a.low} << b.low, Wide{a.high} << b.low, dtype);
  return Interval{a.low >> b.low, a.high >> b.low};
}

std::optional<Interval> combine_bounds(BinaryOp op, const Interval& a, const Interval& b, DType dtype) {
  switch (op) {
    case BinaryOp::Add:
      return fit(Wide{a.low} + b.low, Wide{a.high} + b.high, dtype);
    case BinaryOp::Sub:
      return fit(Wide{a.low} - b.high, Wide{a.high} - b.low, dtype);
    case BinaryOp::Mul:
      return product(a, b, dtype);
    case BinaryOp::Min:
      return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
    case BinaryOp::Max:
      return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
    case BinaryOp::Div:
    case BinaryOp::Rem:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
      return divided(op, a, b);
    case BinaryOp::Shl:
    case BinaryOp::Shr:
      return shifted(op, a, b, dtype);
    case BinaryOp::And:
      if (a.low >= 0 && b.low >= 0) return Interval{0, std::min(a.high, b.high)};
      return std::nullopt;
    case BinaryOp::Or:
    case BinaryOp::Xor:
      // No bit above the highest one of both.
      if (a.low >= 0 && b.low >= 0)
        return Interval{op == BinaryOp::Or ? std::max(a.low, b.low) : 0,
                        static_cast<std::int64_t>(
                            std::bit_ceil(static_cast<std::uint64_t>(std::max(a.high, b.high)) + 1) - 1)};
      return std::nullopt;
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Interval> type_range(DType dtype) {
  if (is_float(dtype) || bits(dtype) == 64) return std::nullopt;
  return Interval{min_value(dtype), max_value(dtype)};
}

/// Bounds of one expression. Each node is looked at once: operands are shared, and sums have the same atoms
/// on every level.
class Bounds {
 public:
  explicit Bounds(const Ranges& ranges) : ranges_(ranges) {}

  std::optional<Interval> of(const ExprPtr& e) {
    if (auto found = memo_.find(e.get()); found != memo_.end()) return found->second;
    auto result = uncached(e);
    if (!result) result = type_range(e->dtype);
    memo_.emplace(e.get(), result);
    return result;
  }

  std::optional<Interval> of(const Affine& a) {
    constexpr Wide kFar = Wide{1} << 100;  // no sum of products of 64 bits beyond it comes back
    Wide low = a.constant, high = a.constant;
    for (const Affine::Term& term : a.terms) {
      auto range = of(term.atom);
      if (!range) return std::nullopt;
      Wide x = Wide{range->low} * term.coefficient, y = Wide{range->high} * term.coefficient;
      low += std::min(x, y);
      high += std::max(x, y);
      if (low < -kFar || high > kFar) return std::nullopt;
    }
    return fit(low, high, kIndex);
  }

 private:
  std::optional<Interval> uncached(const ExprPtr& e) {
    if (e->dtype == kIndex && e->as<Binary>()) {
      // The sum's bounds lie within what its operands' bounds would give.
      Affine a = to_affine(e);
      if (a.terms.size() != 1 || a.terms[0].atom != e) return of(a);
    }
    return structural(e);
  }

  /// Bounds by the node and its operands, without the help of the affine form.
  std::optional<Interval> structural(const ExprPtr& e) {
    return std::visit(overloaded{
                          [&](const IntImm& n) -> std::optional<Interval> {
                            // The upper half of u64 is stored as negative numbers.
                            if (e->dtype == DType::U64 && n.value < 0) return std::nullopt;
                            return Interval{n.value, n.value};
                          },
                          [&](const VarRef& n) -> std::optional<Interval> {
                            auto found = ranges_.find(n.var);
                            if (found == ranges_.end()) return std::nullopt;
                            return found->second;
                          },
                          [&](const Binary& n) -> std::optional<Interval> {
                            if (is_float(n.a->dtype) || is_comparison(n.op) || e->dtype == DType::U64)
                              return std::nullopt;
                            auto a = of(n.a), b = of(n.b);
                            if (!a || !b) return std::nullopt;
                            return combine_bounds(n.op, *a, *b, e->dtype);
                          },
                          [&](const Not& n) -> std::optional<Interval> {
                            auto a = of(n.a);
                            if (!a || e->dtype == DType::Bool || e->dtype == DType::U64) return std::nullopt;
                            return fit(~Wide{a->high}, ~Wide{a->low}, e->dtype);
                          },
                          [&](const Select& n) -> std::optional<Interval> {
                            auto a = of(n.on_true), b = of(n.on_false);
                            if (!a || !b) return std::nullopt;
                            return Interval{std::min(a->low, b->low), std::max(a->high, b->high)};
                          },
                          [&](const Cast& n) -> std::optional<Interval> {
                            if (is_float(n.a->dtype) || e->dtype == DType::Bool) return std::nullopt;
                            auto a = of(n.a);
                            return a ? fit(a->low, a->high, e->dtype) : std::nullopt;
                          },
                          [](const auto&) -> std::optional<Interval> { return std::nullopt; },
                      },
                      e->node);
  }

  const Ranges& ranges_;
  std::unordered_map<const Expr*, std::optional<Interval>> memo_;
};

}  // namespace

std::int64_t Affine::coefficient(const VarPtr& var) const {
  for (const Term& term : terms) {
    const auto* ref = term.atom->as<VarRef>();
    if (ref && ref->var == var) return term.coefficient;
  }
  return 0;
}

bool Affine::is_linear() const {
  return std::all_of(terms.begin(), terms.end(),
                     [](const Term& t) { return t.atom->as<VarRef>() != nullptr; });
}

Affine to_affine(const ExprPtr& e) {
  if (auto constant = as_constant(e)) return {{}, *constant};
  if (const auto* n = e->as<Binary>(); n && e->dtype == kIndex) {
    if (n->op == BinaryOp::Add) return to_affine(n->a) + to_affine(n->b);
    if (n->op == BinaryOp::Sub) return to_affine(n->a) - to_affine(n->b);
    if (n->op == BinaryOp::Mul) {
      Affine a = to_affine(n->a), b = to_affine(n->b);
      if (b.is_constant()) return a * b.constant;
      if (a.is_constant()) return b * a.constant;
    }
    if (n->op == BinaryOp::Shl) {
      auto amount = as_constant(n->b);
      if (amount && *amount >= 0 && *amount < 63) return to_affine(n->a) * (std::int64_t{1} << *amount);
    }
  }
  if (const auto* n = e->as<Not>(); n && e->dtype == kIndex) return Affine{{}, -1} - to_affine(n->a);
  return {{{e, 1}}, 0};
}

ExprPtr to_expr(const Affine& a) {
  // A positive term goes first, so that the sum does not start with a negation.
  ExprPtr sum;
  auto append = [&](const Affine::Term& t) {
    bool minus = sum && t.coefficient < 0 && t.coefficient != INT64_MIN;
    std::int64_t factor = minus ? -t.coefficient : t.coefficient;
    ExprPtr term = factor == 1 ? t.atom : binary(BinaryOp::Mul, t.atom, int_imm(factor));
    sum = sum ? binary(minus ? BinaryOp::Sub : BinaryOp::Add, sum, term) : term;
  };
  auto first = std::find_if(a.terms.begin(), a.terms.end(), [](const auto& t) { return t.coefficient > 0; });
  if (first == a.terms.end()) first = a.terms.begin();
  bool constant_first = !a.terms.empty() && first->coefficient < 0 && a.constant != 0;
  if (constant_first || a.terms.empty()) sum = int_imm(a.constant);
  if (first != a.terms.end()) append(*first);
  for (auto term = a.terms.begin(); term != a.terms.end(); ++term) {
    if (term != first) append(*term);
  }
  if (constant_first || a.terms.empty() || a.constant == 0) return sum;
  if (a.constant < 0 && a.constant != INT64_MIN) return binary(BinaryOp::Sub, sum, int_imm(-a.constant));
  return binary(BinaryOp::Add, sum, int_imm(a.constant));
}

Affine operator+(const Affine& a, const Affine& b) { return accumulate(a, b, 1); }
Affine operator-(const Affine& a, const Affine& b) { return accumulate(a, b, -1); }
Affine operator*(const Affine& a, std::int64_t factor) { return accumulate({}, a, factor); }

std::optional<std::int64_t> as_constant(const ExprPtr& e) {
  const auto* literal = e->as<IntImm>();
  if (!literal) return std::nullopt;
  return literal->value;
}

std::optional<Interval> bounds(const Affine& a, const Ranges& ranges) { return Bounds(ranges).of(a); }

std::optional<Interval> bounds(const ExprPtr& e, const Ranges& ranges) { return Bounds(ranges).of(e); }

}  // namespace vdla::expr
