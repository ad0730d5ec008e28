// SPDX-License-Identifier: Apache-2.0
// Box analysis over affine forms, with floor division and remainder by constants; other atoms by their
// bounds.
#include "compiler/lower/region.h"

#include <algorithm>

#include "compiler/expr/arith.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/simplify_division.h"
#include "compiler/expr/visit.h"

namespace vdla::lower {
namespace {

using expr::Affine;
using expr::BinaryOp;
using expr::ExprPtr;

class RangeFinder {
 public:
  RangeFinder(const expr::Ranges& ranges, const std::unordered_set<expr::VarPtr>& running)
      : ranges_(ranges), running_(running) {}

  std::optional<Range> sum(const Affine& a) const {
    Range result{{{}, a.constant}, 0};
    for (const Affine::Term& term : a.terms) {
      auto range = atom(term.atom);
      if (!range) return std::nullopt;
      std::int64_t c = term.coefficient;
      Affine first = range->min;
      if (c < 0) first.constant += range->span;
      result.min = result.min + first * c;
      result.span += std::abs(c) * range->span;
    }
    return result;
  }

 private:
  std::optional<Range> atom(const ExprPtr& e) const {
    if (stands_still(e)) return Range{expr::to_affine(e), 0};
    if (const auto* n = e->as<expr::Binary>()) {
      auto divisor = expr::as_constant(n->b);
      if (divisor && *divisor > 0 && n->op == BinaryOp::FloorDiv) return quotient(n->a, *divisor);
      if (divisor && *divisor > 0 && n->op == BinaryOp::FloorMod) return remainder(n->a, *divisor);
    }
    auto known = expr::bounds(e, ranges_);
    if (!known) return std::nullopt;
    return Range{{{}, known->low}, known->high - known->low};
  }

  bool stands_still(const ExprPtr& e) const {
    bool still = true;
    expr::visit(e, [&](const ExprPtr& part) {
      const auto* ref = part->as<expr::VarRef>();
      still &= !(ref && running_.contains(ref->var)) && !part->as<expr::Read>();
    });
    return still;
  }

  std::optional<Range> quotient(const ExprPtr& dividend, std::int64_t divisor) const {
    auto range = sum(expr::to_affine(dividend));
    if (!range) return std::nullopt;
    expr::Division division = expr::divide(range->min, divisor, ranges_);
    bool known = division.remainder.is_constant();
    std::int64_t offset = known ? division.remainder.constant : divisor - 1;
    return Range{division.quotient, expr::floor_div(offset + range->span, divisor)};
  }

  std::optional<Range> remainder(const ExprPtr& dividend, std::int64_t divisor) const {
    auto range = sum(expr::to_affine(dividend));
    if (range) {
      Affine offset = expr::divide(range->min, divisor, ranges_).remainder;
      if (offset.is_constant() && offset.constant + range->span < divisor) return Range{offset, range->span};
    }
    return Range{{{}, 0}, divisor - 1};
  }

  const expr::Ranges& ranges_;
  const std::unordered_set<expr::VarPtr>& running_;
};

}  // namespace

std::optional<Range> range_of(const ExprPtr& index, const expr::Ranges& ranges,
                              const std::unordered_set<expr::VarPtr>& running) {
  return RangeFinder(ranges, running).sum(expr::to_affine(expr::simplify(index, ranges)));
}

std::optional<Range> unite(const Range& a, const Range& b, const expr::Ranges& ranges) {
  auto distance = expr::bounds(b.min - a.min, ranges);
  if (!distance) return std::nullopt;
  std::int64_t low = std::min<std::int64_t>(0, distance->low);
  std::int64_t high = std::max(a.span, distance->high + b.span);
  return Range{a.min + Affine{{}, low}, high - low};
}

}  // namespace vdla::lower
