// SPDX-License-Identifier: Apache-2.0
// Loop partitioning: where guards below a loop hold for all iterations of a part of its range, that part
// becomes a loop of its own, without them. An uneven split leaves a main part without guards and a remainder.
// Only serial and unrolled loops are cut: lanes of a vectorized one are masked, and the iterations of the
// others are handed out, once.
#include <algorithm>
#include <optional>

#include "compiler/expr/arith.h"
#include "compiler/expr/difference.h"
#include "compiler/expr/simplify.h"
#include "compiler/loop/ranges.h"
#include "compiler/loop/simplify.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/rows.h"

namespace vdla::passes {
namespace {

using expr::Affine;
using expr::BinaryOp;
using expr::Interval;
using expr::Ranges;
using loop::StmtPtr;

/// The part of a loop's values where all guards that bound it hold, whatever the other variables are.
struct Part {
  std::int64_t first, last;
};

/// Narrows `part` by "coefficient * var + rest < 0 (or >= 0)".
void narrow(Part& part, std::int64_t coefficient, const Interval& rest, bool less) {
  // Upper bound of the sum below 0, or lower bound at least 0.
  if (less) {
    std::int64_t limit = -rest.high - 1;  // coefficient * var <= limit
    if (coefficient > 0) part.last = std::min(part.last, expr::floor_div(limit, coefficient));
    if (coefficient < 0) part.first = std::max(part.first, -expr::floor_div(limit, -coefficient));
  } else {
    std::int64_t limit = -rest.low;  // coefficient * var >= limit
    if (coefficient > 0) part.first = std::max(part.first, -expr::floor_div(-limit, coefficient));
    if (coefficient < 0) part.last = std::min(part.last, expr::floor_div(-limit, -coefficient));
  }
}

/// Lanes are masked, and iterations that are handed out stay one lot.
bool may_be_cut(loop::ForKind kind) {
  return kind == loop::ForKind::Serial || kind == loop::ForKind::Unrolled;
}

class Partitioner {
 public:
  StmtPtr stmt(const StmtPtr& s) {
    if (s->as<loop::Tensorize>()) return s;
    if (const auto* n = s->as<loop::For>()) return for_loop(s, *n);
    std::vector<StmtPtr> inner = loop::children(s);
    for (StmtPtr& child : inner) child = stmt(child);
    return loop::with_children(s, inner);
  }

 private:
  StmtPtr for_loop(const StmtPtr& s, const loop::For& n) {
    auto min = expr::as_constant(n.min), extent = expr::as_constant(n.extent);
    if (!min || !extent || *extent <= 0) {
      loop::add_values_of(n, ranges_);
      return leave(n, loop::with_children(s, {stmt(n.body)}));
    }
    const Part whole{*min, *min + *extent - 1};
    Part part = whole;
    if (*extent > 1 && may_be_cut(n.kind)) find_part(n, part);
    bool useful = part.first <= part.last && (part.first > whole.first || part.last < whole.last);
    if (!useful || pieces_ >= kMostPieces) {
      ranges_[n.var] = {whole.first, whole.last};
      return leave(n, loop::with_children(s, {stmt(n.body)}));
    }
    pieces_ += 3;
    const StmtPtr front = part.first > whole.first ? piece(n, whole.first, part.first - 1) : loop::nop();
    return loop::seq({front, piece(n, part.first, part.last), piece(n, part.last + 1, whole.last)});
  }

  StmtPtr leave(const loop::For& n, StmtPtr result) {
    ranges_.erase(n.var);
    return result;
  }

  /// The loop from first to last, simplified under the ranges here, and partitioned further inside.
  StmtPtr piece(const loop::For& n, std::int64_t first, std::int64_t last) {
    if (last < first) return loop::nop();
    StmtPtr part =
        loop::make_for(n.var, expr::int_imm(first), expr::int_imm(last - first + 1), n.kind, n.body);
    // Simplifying may have removed the loop; what is left is walked as it is.
    return stmt(loop::simplify(part, ranges_));
  }

  /// Bounds of every conjunct of every guard below.
  void find_part(const loop::For& n, Part& part) {
    Ranges inner = ranges_;
    inner[n.var] = {part.first, part.last};
    visit_guards(n.body, n.var, inner, part);
  }

  void visit_guards(const StmtPtr& s, const expr::VarPtr& var, Ranges& ranges, Part& part) const {
    if (s->as<loop::Tensorize>()) return;
    if (const auto* n = s->as<loop::For>()) {
      auto min = expr::as_constant(n->min), extent = expr::as_constant(n->extent);
      if (min && extent && *extent > 0) ranges[n->var] = {*min, *min + *extent - 1};
      visit_guards(n->body, var, ranges, part);
      ranges.erase(n->var);
      return;
    }
    if (const auto* n = s->as<loop::IfThenElse>()) {
      for (const loop::ExprPtr& e : expr::operands_of(BinaryOp::And, n->condition))
        bound(e, var, ranges, part);
    }
    for (const StmtPtr& child : loop::children(s)) visit_guards(child, var, ranges, part);
  }

  static void bound(const loop::ExprPtr& condition, const expr::VarPtr& var, const Ranges& ranges,
                    Part& part) {
    const auto* n = condition->as<expr::Binary>();
    if (!n || n->a->dtype != expr::kIndex) return;
    Affine sum = expr::to_affine(n->a) - expr::to_affine(n->b);
    std::int64_t coefficient = sum.coefficient(var);
    if (coefficient == 0 || !has_room(sum) || !expr::difference_bounds(n->a, n->b, ranges)) return;
    Affine rest = sum - Affine{{{expr::var_ref(var), coefficient}}, 0};
    auto known = expr::bounds(rest, ranges);
    if (!known || !has_room(*known) ||
        std::any_of(rest.terms.begin(), rest.terms.end(),
                    [&](const Affine::Term& t) { return expr::uses(t.atom, var); })) {
      return;
    }
    Part narrowed = part;
    if (n->op == BinaryOp::Lt) narrow(narrowed, coefficient, *known, true);
    if (n->op == BinaryOp::Le) narrow(narrowed, coefficient, {known->low - 1, known->high - 1}, true);
    if (n->op == BinaryOp::Ge) narrow(narrowed, coefficient, *known, false);
    if (n->op == BinaryOp::Gt) narrow(narrowed, coefficient, {known->low - 1, known->high - 1}, false);
    // A guard that no value of the loop decides is left to loops inside.
    if (narrowed.first <= narrowed.last) part = narrowed;
  }

  /// Most pieces of a function: loops in each other would be cut into pieces by the power of their number.
  static constexpr int kMostPieces = 1024;
  int pieces_ = 0;
  Ranges ranges_;
};

}  // namespace

loop::Func partition_loops(const loop::Func& func) {
  return {func.name, func.params, Partitioner().stmt(func.body)};
}

}  // namespace vdla::passes
