// SPDX-License-Identifier: Apache-2.0
// Unrolling: a loop of kind unrolled becomes its body, once for each iteration, so that what its iterations
// share can stay in registers. One that would give more than kMostUnrolled stores runs in order instead, and
// so does one whose bounds are read from memory, which each copy would read anew. What copies know is folded:
// constants of indices, conditions, quotients.
#include <algorithm>
#include <unordered_map>

#include "compiler/expr/memory.h"
#include "compiler/loop/simplify.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/rows.h"

namespace vdla::passes {
namespace {

/// Stores and calls that a loop becomes at most when it and every unrolled loop in it are written out.
constexpr std::int64_t kMostUnrolled = 4096;

using expr::Affine;
using loop::ExprPtr;
using loop::StmtPtr;

std::int64_t wrapping_sum(std::int64_t a, std::int64_t factor, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                   static_cast<std::uint64_t>(factor) * static_cast<std::uint64_t>(b));
}

/// Copies of the body of a loop that begins at a constant. An index that is a sum is the same in all of them
/// but for its constant; the copies share the rest.
class Copier {
 public:
  Copier(expr::VarPtr variable, std::int64_t min) : variable_(std::move(variable)), min_(min) {}

  StmtPtr copy(const StmtPtr& body, std::int64_t iteration) {
    value_ = wrapping_sum(min_, 1, iteration);
    made_.clear();
    return loop::rewrite(body, [&](const StmtPtr& s) {
      StmtPtr result = loop::map_expressions(s, [&](const ExprPtr& e) { return expression(e); });
      decides_ |= result != s && (s->as<loop::For>() || s->as<loop::IfThenElse>());
      return result;
    });
  }

  /// Whether a copy may know more than its constants: a condition, a quotient, an extent.
  bool decides() const { return decides_; }

 private:
  /// coefficient * variable + constant + rest.
  struct Sum {
    Affine rest;         ///< without its constant
    ExprPtr expression;  ///< expression of `rest`; null: it is 0
    std::int64_t coefficient, constant;
    bool is_linear;  ///< the variable is nowhere else in the sum
    /// Whether it is equal in all copies: the variable is not even in what the sum leaves out, as 0 *
    /// variable.
    bool is_same;
  };

  const Sum& sum_of(const ExprPtr& e) {
    const auto [found, is_new] = sums_.try_emplace(e.get());
    Sum& sum = found->second;
    if (!is_new) return sum;
    sum.rest = expr::to_affine(e);
    sum.coefficient = sum.rest.coefficient(variable_);
    sum.constant = std::exchange(sum.rest.constant, 0);
    std::erase_if(sum.rest.terms, [&](const Affine::Term& t) {
      const auto* ref = t.atom->as<expr::VarRef>();
      return ref && ref->var == variable_;
    });
    sum.is_linear = std::ranges::none_of(
        sum.rest.terms, [&](const Affine::Term& t) { return expr::uses(t.atom, variable_); });
    sum.is_same = sum.is_linear && sum.coefficient == 0 && !expr::uses(e, variable_);
    if (!sum.rest.terms.empty()) sum.expression = expr::to_expr(sum.rest);
    return sum;
  }

  ExprPtr with_constant(const Sum& sum, std::int64_t constant) const {
    if (!sum.expression) return expr::int_imm(constant);
    if (constant == 0) return sum.expression;
    const bool positive =
        std::ranges::any_of(sum.rest.terms, [](const Affine::Term& t) { return t.coefficient > 0; });
    if (!positive || constant == INT64_MIN) return expr::to_expr({sum.rest.terms, constant});
    return constant > 0 ? expr::binary(expr::BinaryOp::Add, sum.expression, expr::int_imm(constant))
                        : expr::binary(expr::BinaryOp::Sub, sum.expression, expr::int_imm(-constant));
  }

  ExprPtr expression(const ExprPtr& e) {
    if (const auto* ref = e->as<expr::VarRef>()) return ref->var == variable_ ? expr::int_imm(value_) : e;
    if (e->as<expr::IntImm>() || e->as<expr::FloatImm>()) return e;
    if (const auto found = made_.find(e.get()); found != made_.end()) return found->second;
    return made_[e.get()] = copied(e);
  }

  ExprPtr copied(const ExprPtr& e) {
    if (e->dtype == expr::kIndex && e->as<expr::Binary>()) {
      const Sum& sum = sum_of(e);
      if (sum.is_same) return e;
      if (sum.is_linear) return with_constant(sum, wrapping_sum(sum.constant, sum.coefficient, value_));
    }
    std::vector<ExprPtr> operands = expr::children(e);
    bool changed = false;
    for (ExprPtr& operand : operands) {
      ExprPtr own = expression(operand);
      changed |= own != operand;
      operand = std::move(own);
    }
    if (!changed) return e;
    const auto* n = e->as<expr::Binary>();
    decides_ |= e->as<expr::Select>() || (n && (e->dtype == expr::kIndex || e->dtype == expr::DType::Bool));
    return expr::with_children(e, operands);
  }

  const expr::VarPtr variable_;
  const std::int64_t min_;
  std::int64_t value_ = 0;  ///< value of the variable, in this copy
  bool decides_ = false;
  std::unordered_map<const expr::Expr*, Sum> sums_;
  std::unordered_map<const expr::Expr*, ExprPtr> made_;  ///< expressions of this copy
};

class Unroller {
 public:
  /// The statement written out, and its stores and calls: when every unrolled loop is, as long as they are no
  /// more than kMostUnrolled.
  struct Result {
    StmtPtr stmt;
    std::int64_t stores;
  };

  Result run(const StmtPtr& s) {
    if (s->as<loop::Store>() || s->as<loop::IntrinsicCall>()) return {s, 1};
    std::int64_t stores = 0;
    std::vector<StmtPtr> inner = loop::children(s);
    for (StmtPtr& child : inner) {
      const Result result = run(child);
      child = result.stmt;
      stores = std::min(stores + result.stores, kMostUnrolled + 1);
    }
    const auto* loop = s->as<loop::For>();
    if (!loop || loop->kind != loop::ForKind::Unrolled) return {loop::with_children(s, inner), stores};
    stores = std::max<std::int64_t>(stores, 1);  // at least one, for a body without any, too
    auto extent = expr::as_constant(loop->extent);
    if (extent) extent = std::max<std::int64_t>(*extent, 0);
    const bool fits = extent && *extent <= kMostUnrolled && stores * *extent <= kMostUnrolled;
    if (!fits || expr::reads_memory(loop->min))
      return {loop::make_for(loop->var, loop->min, loop->extent, loop::ForKind::Serial, inner[0]),
              fits ? stores * *extent : kMostUnrolled + 1};
    return {loop::seq(copies(*loop, *extent, inner[0])), stores * *extent};
  }

  /// Whether copies may know more than their constants.
  bool decides() const { return decides_; }

 private:
  std::vector<StmtPtr> copies(const loop::For& loop, std::int64_t extent, const StmtPtr& body) {
    std::vector<StmtPtr> result;
    if (const auto min = expr::as_constant(loop.min)) {
      Copier copier(loop.var, *min);
      for (std::int64_t i = 0; i < extent; ++i) result.push_back(copier.copy(body, i));
      decides_ |= copier.decides();
      return result;
    }
    const Affine min = expr::to_affine(loop.min);
    for (std::int64_t i = 0; i < extent; ++i)
      result.push_back(loop::substitute(body, {{loop.var, expr::to_expr(min + Affine{{}, i})}}));
    decides_ = true;
    return result;
  }

  bool decides_ = false;
};

}  // namespace

loop::Func unroll(const loop::Func& func) {
  Unroller unroller;
  loop::Func result{func.name, func.params, unroller.run(func.body).stmt};
  // A store behind a condition that does not hold any more may be outside of its buffer, which is not to be
  // seen.
  return unroller.decides() ? loop::simplify(result) : result;
}

}  // namespace vdla::passes
