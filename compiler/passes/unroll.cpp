// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/unroll.h"

#include <algorithm>

#include "compiler/expr/memory.h"
#include "compiler/loop/simplify.h"
#include "compiler/loop/visit.h"

namespace vdla::passes {
namespace {

using loop::StmtPtr;

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
    const auto extent = expr::as_constant(loop->extent);
    const bool fits = extent && *extent <= kMostUnrolled && stores * *extent <= kMostUnrolled;
    if (!fits || expr::reads_memory(loop->min))
      return {loop::make_for(loop->var, loop->min, loop->extent, loop::ForKind::Serial, inner[0]),
              fits ? stores * *extent : kMostUnrolled + 1};
    return {copies(*loop, *extent, inner[0]), stores * *extent};
  }

  /// Whether a copy may have conditions that it decides.
  bool copies_conditions() const { return copies_conditions_; }

 private:
  StmtPtr copies(const loop::For& loop, std::int64_t extent, const StmtPtr& body) {
    loop::visit(body, [&](const StmtPtr& s) { copies_conditions_ |= s->as<loop::IfThenElse>() != nullptr; });
    const expr::Affine min = expr::to_affine(loop.min);
    std::vector<StmtPtr> result;
    for (std::int64_t i = 0; i < extent; ++i)
      result.push_back(loop::substitute(body, {{loop.var, expr::to_expr(min + expr::Affine{{}, i})}}));
    return loop::seq(result);
  }

  bool copies_conditions_ = false;
};

}  // namespace

loop::Func unroll(const loop::Func& func) {
  Unroller unroller;
  loop::Func result{func.name, func.params, unroller.run(func.body).stmt};
  // What stands behind a condition that never holds may be outside of its buffer, which no function may have.
  return unroller.copies_conditions() ? loop::simplify(result) : result;
}

}  // namespace vdla::passes
