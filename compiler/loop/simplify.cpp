// SPDX-License-Identifier: Apache-2.0
// Statement simplifier.
#include "compiler/loop/simplify.h"

#include "compiler/expr/memory.h"
#include "compiler/loop/visit.h"
#include "support/overloaded.h"

namespace vdla::loop {
namespace {

using expr::Ranges;

/// Nodes of a value that takes the place of a loop's variable, written out; a loop with a larger one stays.
constexpr std::size_t kMostOfValue = 1024;

class Simplifier {
 public:
  explicit Simplifier(Ranges ranges) : ranges_(std::move(ranges)) {}

  StmtPtr stmt(const StmtPtr& s) {
    return std::visit(overloaded{
                          [&](const For& n) { return for_loop(s, n); },
                          [&](const Allocate& n) {
                            StmtPtr body = stmt(n.body);
                            return is_nop(body) ? body : with_children(s, {body});
                          },
                          [&](const Store&) { return expressions(s); },
                          [&](const IfThenElse& n) { return conditional(s, n); },
                          [&](const Seq& n) { return sequence(s, n); },
                          [&](const IntrinsicCall&) { return call(s); },
                          [&](const Tensorize& n) { return marked(s, n); },
                      },
                      s->node);
  }

 private:
  ExprPtr simple(const ExprPtr& e) const { return expr::simplify(e, ranges_); }

  StmtPtr expressions(const StmtPtr& s) const {
    return map_expressions(s, [&](const ExprPtr& e) { return simple(e); });
  }

  StmtPtr call(const StmtPtr& s) const {
    StmtPtr result = expressions(s);
    const auto& n = *result->as<IntrinsicCall>();
    if (!n.reset || expr::as_constant(n.reset) != 0) return result;
    IntrinsicCall never = n;
    never.reset = nullptr;
    return intrinsic_call(std::move(never));
  }

  StmtPtr for_loop(const StmtPtr& s, const For& n) {
    ExprPtr min = simple(n.min), extent = simple(n.extent);
    auto count = expr::as_constant(extent);
    if (count && *count <= 0) return nop();
    // A value from memory may be another one where the body uses it; squares of squares double each time.
    if (count == 1 && !expr::reads_memory(min) && expr::written_size(min, kMostOfValue + 1) <= kMostOfValue &&
        !bounds_shared_memory(n)) {
      if (const auto body = try_substitute(n.body, {{n.var, min}})) return stmt(*body);
    }
    auto first = expr::bounds(min, ranges_);
    auto last = expr::bounds(expr::to_affine(min) + expr::to_affine(extent) - expr::Affine{{}, 1}, ranges_);
    if (first && last && last->high < first->low) return nop();
    if (first && last) ranges_[n.var] = {first->low, last->high};
    StmtPtr body = stmt(n.body);
    ranges_.erase(n.var);
    if (is_nop(body)) return body;
    StmtPtr loop =
        min == n.min && extent == n.extent && body == n.body ? s : make_for(n.var, min, extent, n.kind, body);
    return hoist_condition(loop);
  }

  /// A block has what memory its threads share: the innermost loop over blocks around it stays, also of one.
  static bool bounds_shared_memory(const For& n) {
    if (!expr::is_block(n.kind)) return false;
    bool allocates = false, has_blocks = false;
    visit(n.body, [&](const StmtPtr& s) {
      const auto* inner = s->as<For>();
      has_blocks |= inner && expr::is_block(inner->kind);
      const auto* memory = s->as<Allocate>();
      allocates |= memory && memory->buffer->scope == expr::kSharedScope;
    });
    return allocates && !has_blocks;
  }

  /// for i { if a & b(i) { body } } becomes if a { for i { if b(i) { body } } }.
  StmtPtr hoist_condition(const StmtPtr& loop) const {
    const auto& n = *loop->as<For>();
    const auto* guard = n.body->as<IfThenElse>();
    if (!guard || guard->else_body) return loop;
    std::vector<ExprPtr> fixed, varying;
    for (const ExprPtr& e : expr::operands_of(expr::BinaryOp::And, guard->condition)) {
      const bool stays = expr::uses(e, n.var) || expr::reads_memory(e);
      (stays ? varying : fixed).push_back(e);
    }
    if (fixed.empty()) return loop;
    StmtPtr body = guard->then_body;
    if (!varying.empty()) body = if_then_else(expr::conjunction(varying), body);
    return if_then_else(expr::conjunction(fixed), make_for(n.var, n.min, n.extent, n.kind, body));
  }

  /// A condition around the whole body does not depend on the loops inside, so the mark can go inside of it.
  StmtPtr marked(const StmtPtr& s, const Tensorize& n) {
    StmtPtr body = stmt(n.body);
    if (is_nop(body)) return body;
    const auto* guard = body->as<IfThenElse>();
    if (!guard || guard->else_body) return with_children(s, {body});
    return if_then_else(guard->condition, tensorize(n.intrinsic, guard->then_body));
  }

  StmtPtr conditional(const StmtPtr& s, const IfThenElse& n) {
    ExprPtr condition = simple(n.condition);
    if (auto constant = expr::as_constant(condition)) {
      if (*constant) return stmt(n.then_body);
      return n.else_body ? stmt(n.else_body) : nop();
    }
    Ranges outer = ranges_;
    ranges_ = expr::assume(condition, ranges_);
    StmtPtr then_body = stmt(n.then_body);
    ranges_ = std::move(outer);
    StmtPtr else_body = n.else_body ? stmt(n.else_body) : nullptr;
    if (else_body && is_nop(else_body)) else_body = nullptr;
    if (is_nop(then_body) && !else_body) return nop();
    if (condition == n.condition && then_body == n.then_body && else_body == n.else_body) return s;
    return if_then_else(condition, then_body, else_body);
  }

  StmtPtr sequence(const StmtPtr& s, const Seq& n) {
    std::vector<StmtPtr> body;
    for (const StmtPtr& child : n.body) body.push_back(stmt(child));
    return with_children(s, body);
  }

  Ranges ranges_;
};

}  // namespace

StmtPtr simplify(const StmtPtr& s, const expr::Ranges& ranges) { return Simplifier(ranges).stmt(s); }

Func simplify(const Func& func) { return {func.name, func.params, simplify(func.body)}; }

}  // namespace vdla::loop
