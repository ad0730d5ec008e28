// SPDX-License-Identifier: Apache-2.0
// Making tasks from statements.
#include "compiler/codegen/vdla/folded_nest.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/expr/print.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/intrinsics/copy_call.h"
#include "compiler/intrinsics/table.h"
#include "support/error.h"

namespace vdla::codegen {

using expr::Linear;

namespace {

/// The chain of loops and ifs down to the call, outermost first.
bool take_chain(const loop::StmtPtr& nest, std::vector<const loop::Stmt*>& chain,
                const loop::IntrinsicCall*& call) {
  const loop::Stmt* at = nest.get();
  while (true) {
    if ((call = at->as<loop::IntrinsicCall>())) return true;
    const auto* branch = at->as<loop::IfThenElse>();
    if (branch && branch->else_body) return false;
    const auto* loop_ = at->as<loop::For>();
    if (!branch && !loop_) return false;
    chain.push_back(at);
    at = branch ? branch->then_body.get() : loop_->body.get();
  }
}

/// The symbolic pieces of a task while loops are taken in, from the inside outwards.
struct Draft {
  std::vector<Linear> operands;
  std::vector<Linear> bounds;
  std::vector<bool> pads;
  std::vector<expr::ExprPtr> reset;
  std::vector<const loop::For*> loops;  ///< innermost first
};

/// A reset term that says `var == 0`.
bool is_start_of(const expr::ExprPtr& term, const expr::VarPtr& var) {
  const auto* n = term->as<expr::Binary>();
  if (!n || n->op != expr::BinaryOp::Eq) return false;
  for (const auto& [a, b] : {std::pair{n->a, n->b}, std::pair{n->b, n->a}}) {
    const auto* ref = a->as<expr::VarRef>();
    const auto* zero = b->as<expr::IntImm>();
    if (ref && zero && ref->var == var && zero->value == 0) return true;
  }
  return false;
}

bool is_linear_in(const Linear& linear, const expr::VarPtr& var) {
  Linear rest = linear;
  rest.take(var);
  return !rest.uses(var);
}

bool can_fold(const Draft& draft, const loop::For& n) {
  const auto linear = [&](const Linear& l) { return is_linear_in(l, n.var); };
  const auto start = [&](const expr::ExprPtr& term) {
    return !expr::uses(term, n.var) || is_start_of(term, n.var);
  };
  const auto fixed = [&](const loop::For* inner) {
    return !expr::uses(inner->extent, n.var) && !expr::uses(inner->min, n.var);
  };
  const auto* zero = n.min->as<expr::IntImm>();
  return zero && zero->value == 0 && std::ranges::all_of(draft.operands, linear) &&
         std::ranges::all_of(draft.bounds, linear) && std::ranges::all_of(draft.reset, start) &&
         std::ranges::all_of(draft.loops, fixed);
}

Draft make_draft(const loop::IntrinsicCall& call) {
  Draft draft;
  for (const auto& regions : {call.outputs, call.inputs}) {
    for (const loop::Region& region : regions)
      draft.operands.push_back(expr::linear_offset(*region.buffer, region.origin));
  }
  if (call.reset) draft.reset = expr::operands_of(expr::BinaryOp::And, call.reset);
  return draft;
}

/// The dimensions and bounds of a copy's regions.
void take_copy(const loop::IntrinsicCall& call, FoldedNest& task, Draft& draft,
               std::vector<std::vector<std::int64_t>>& inner_bounds) {
  const loop::Region& out = call.outputs[0];
  for (std::size_t d = 0; d < out.extents.size(); ++d) {
    task.loops.push_back({nullptr, Index(0), Index(out.extents[d])});
  }
  for (const char* kind : {intrinsics::kBound, intrinsics::kGuard}) {
    for (int c = 0;; ++c) {
      const expr::ExprPtr base = loop::find_attribute(call, fmt::format("{}{}", kind, c));
      if (!base) break;
      std::vector<std::int64_t> coefficients;
      for (std::size_t d = 0; d < out.extents.size(); ++d) {
        const expr::ExprPtr value = loop::find_attribute(call, fmt::format("{}{}.{}", kind, c, d));
        coefficients.push_back(value ? expr::as_constant(value).value_or(0) : 0);
      }
      draft.bounds.push_back(expr::to_linear(base));
      draft.pads.push_back(kind == intrinsics::kBound);
      inner_bounds.push_back(std::move(coefficients));
    }
  }
}

std::string describe(const Draft& draft, const loop::IntrinsicCall& call) {
  std::string text = call.name + " " + call.outputs[0].buffer->name;
  for (auto it = draft.loops.rbegin(); it != draft.loops.rend(); ++it) {
    text += fmt::format("{}{}:{}", it == draft.loops.rbegin() ? " over " : " ", (*it)->var->name,
                        expr::to_string((*it)->extent));
  }
  return text;
}

void complete(FoldedNest& task, Draft& draft, const std::vector<std::vector<std::int64_t>>& inner_bounds,
              Environment& environment) {
  const loop::IntrinsicCall& call = *task.call;
  const std::size_t inner = task.loops.size();
  std::vector<FoldedLoop> loops;
  for (auto it = draft.loops.rbegin(); it != draft.loops.rend(); ++it) {
    environment.slot((*it)->var);
    loops.push_back({(*it)->var, Index(0), Index(expr::to_linear((*it)->extent), environment)});
  }
  const std::size_t outer = loops.size();
  task.loops.insert(task.loops.begin(), loops.begin(), loops.end());
  std::vector<const loop::Region*> regions;
  for (const loop::Region& region : call.outputs) regions.push_back(&region);
  for (const loop::Region& region : call.inputs) regions.push_back(&region);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    FoldedOperand operand{regions[i]->buffer, {}, {}};
    for (std::size_t l = 0; l < outer; ++l)
      operand.strides.push_back(draft.operands[i].take(task.loops[l].var));
    for (std::size_t l = 0; l < inner; ++l) operand.strides.push_back(regions[i]->strides[l]);
    operand.base = Index(draft.operands[i], environment);
    task.operands.push_back(std::move(operand));
  }
  for (std::size_t c = 0; c < draft.bounds.size(); ++c) {
    FoldedBound bound{{}, {}, draft.pads[c]};
    for (std::size_t l = 0; l < outer; ++l)
      bound.coefficients.push_back(draft.bounds[c].take(task.loops[l].var));
    for (std::size_t l = 0; l < inner; ++l)
      bound.coefficients.push_back(c < inner_bounds.size() ? inner_bounds[c][l] : 0);
    bound.base = Index(draft.bounds[c], environment);
    task.bounds.push_back(std::move(bound));
  }
  task.reduces.assign(task.loops.size(), false);
  for (const expr::ExprPtr& term : draft.reset) {
    const auto at = std::ranges::find_if(
        task.loops, [&](const FoldedLoop& l) { return l.var && is_start_of(term, l.var); });
    if (at == task.loops.end()) {
      task.reset.push_back(term);
    } else {
      task.reduces[static_cast<std::size_t>(at - task.loops.begin())] = true;
    }
  }
}

}  // namespace

std::optional<FoldedNest> fold_nest(const loop::StmtPtr& nest, std::span<const intrinsics::Intrinsic> table,
                                    Environment& environment, std::vector<const loop::Stmt*>& outside) {
  std::vector<const loop::Stmt*> chain;
  FoldedNest task;
  if (!take_chain(nest, chain, task.call)) return std::nullopt;
  const std::string& name = task.call->name;
  const bool copy = name == intrinsics::kLoad || name == intrinsics::kStore;
  task.intrinsic = copy ? nullptr : intrinsics::find(table, *task.call);
  const std::size_t inputs = task.call->inputs.size();
  const bool copies =
      copy && task.call->outputs.size() == 1 && (inputs == 1 || (inputs == 0 && name == intrinsics::kLoad));
  VDLA_CHECK_USER(copies || task.intrinsic)
      << "no intrinsic '" << name << "' of this device has these operands";
  Draft draft = make_draft(*task.call);
  std::vector<std::vector<std::int64_t>> inner_bounds;
  if (copy) take_copy(*task.call, task, draft, inner_bounds);
  while (!chain.empty()) {
    if (const auto* n = chain.back()->as<loop::For>()) {
      if (!can_fold(draft, *n)) break;
      draft.loops.push_back(n);
    } else {
      auto terms = expr::conjunction(chain.back()->as<loop::IfThenElse>()->condition);
      const auto linear = [&](const Linear& l) {
        return std::ranges::all_of(draft.loops, [&](const loop::For* f) { return is_linear_in(l, f->var); });
      };
      if (!terms || !std::ranges::all_of(*terms, linear)) break;
      for (Linear& term : *terms) {
        draft.bounds.push_back(std::move(term));
        draft.pads.push_back(false);
      }
    }
    chain.pop_back();
  }
  // Loops beyond a condition that cannot be folded, but inside of it: the condition would be decided too
  // late.
  outside = std::move(chain);
  task.text = describe(draft, *task.call);
  complete(task, draft, inner_bounds, environment);
  return task;
}

}  // namespace vdla::codegen
