// SPDX-License-Identifier: Apache-2.0
// Matching a loop nest with a declaration: takes the nest apart, tries the loops as the declaration's axes,
// unifies, builds the call.
#include "compiler/tensorize/match.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "compiler/expr/linear.h"
#include "compiler/expr/print.h"
#include "compiler/expr/visit.h"
#include "compiler/tensorize/copy.h"
#include "compiler/tensorize/nest.h"
#include "compiler/tensorize/unify.h"
#include "support/error.h"

namespace vdla::tensorize {

using expr::BinaryOp;
using expr::ExprPtr;

namespace {

/// The store split into what accumulation means: the value of one step and the reset predicate.
struct Update {
  ExprPtr value;
  ExprPtr reset;  ///< null: never
  bool accumulates = false;
};

bool is_load_of(const ExprPtr& e, const loop::Store& store) {
  const auto* load = e->as<expr::Load>();
  if (!load || load->buffer != store.buffer) return false;
  return equal(expr::linear_offset(*load->buffer, load->indices),
               expr::linear_offset(*store.buffer, store.indices));
}

/// The destination itself, or select(reset, identity, destination).
bool is_previous(const ExprPtr& e, const loop::Store& store, expr::Reducer reducer, Update& out) {
  if (is_load_of(e, store)) {
    out.reset = expr::bool_imm(false);
    return true;
  }
  const auto* choice = e->as<expr::Select>();
  if (!choice || !is_load_of(choice->on_false, store)) return false;
  if (!expr::equal(choice->on_true, expr::identity(reducer, e->dtype))) return false;
  out.reset = choice->condition;
  return true;
}

BinaryOp op_of(expr::Reducer reducer) {
  switch (reducer) {
    case expr::Reducer::Sum:
      return BinaryOp::Add;
    case expr::Reducer::Max:
      return BinaryOp::Max;
    case expr::Reducer::Min:
      return BinaryOp::Min;
    case expr::Reducer::Prod:
      return BinaryOp::Mul;
  }
  return BinaryOp::Add;
}

/// Finds the previous value as one operand of a chain of the reducer's operation; the rest is the value of a
/// step.
bool split_chain(const ExprPtr& e, const loop::Store& store, expr::Reducer reducer, Update& out) {
  const auto* n = e->as<expr::Binary>();
  if (!n || n->op != op_of(reducer)) return false;
  for (const auto& [previous, rest] : {std::pair{n->a, n->b}, std::pair{n->b, n->a}}) {
    if (is_previous(previous, store, reducer, out)) {
      out.value = rest;
      return true;
    }
    if (split_chain(previous, store, reducer, out)) {
      out.value = expr::binary(n->op, out.value, rest);
      return true;
    }
  }
  return false;
}

Update split_update(const loop::Store& store, std::optional<expr::Reducer> reducer) {
  Update update{store.value, nullptr, false};
  if (reducer && split_chain(store.value, store, *reducer, update)) {
    update.accumulates = true;
  } else {
    update.value = store.value;
  }
  return update;
}

/// Drops the terms that only speak of loops inside the step. Every inner reduce loop must take part in the
/// predicate.
std::optional<ExprPtr> outer_reset(const ExprPtr& reset, const std::vector<NestLoop>& inner,
                                   const std::vector<expr::VarPtr>& reduced, std::string& reason) {
  std::vector<ExprPtr> terms;
  std::vector<ExprPtr> pending{reset};
  std::vector<expr::VarPtr> seen;
  while (!pending.empty()) {
    ExprPtr e = pending.back();
    pending.pop_back();
    const auto* n = e->as<expr::Binary>();
    if (n && n->op == BinaryOp::And) {
      pending.insert(pending.end(), {n->b, n->a});
      continue;
    }
    const auto used = std::ranges::find_if(inner, [&](const NestLoop& l) { return expr::uses(e, l.var); });
    if (used == inner.end()) {
      terms.push_back(e);
      continue;
    }
    const auto* ref = n ? n->a->as<expr::VarRef>() : nullptr;
    const auto* zero = n ? n->b->as<expr::IntImm>() : nullptr;
    if (!n || n->op != BinaryOp::Eq || !ref || ref->var != used->var || !zero || zero->value != 0) {
      reason = fmt::format("the reset '{}' must be `{} == 0` inside the step", expr::to_string(e),
                           used->var->name);
      return std::nullopt;
    }
    seen.push_back(used->var);
  }
  for (const expr::VarPtr& var : reduced) {
    const bool constant = terms.size() == 1 && terms[0]->as<expr::IntImm>();
    if (!constant && std::ranges::find(seen, var) == seen.end()) {
      reason = fmt::format("the reset '{}' does not depend on the reduce loop '{}'", expr::to_string(reset),
                           var->name);
      return std::nullopt;
    }
  }
  ExprPtr all = terms.empty() ? expr::bool_imm(true) : terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) all = expr::binary(BinaryOp::And, all, terms[i]);
  return all;
}

/// One attempt: the loops of the nest stand for the axes in the given order.
class Attempt {
 public:
  Attempt(const Nest& nest, const intrinsics::Intrinsic& intrinsic, const std::vector<std::size_t>& order)
      : nest_(nest), intrinsic_(intrinsic) {
    const expr::Compute& compute = intrinsic.behaviour;
    for (const expr::IterVar& axis : compute.axes) axes_.push_back(axis);
    for (const expr::IterVar& axis : compute.reduce_axes()) axes_.push_back(axis);
    for (std::size_t i = 0; i < axes_.size(); ++i) loops_.push_back(nest.loops[order[i]]);
  }

  bool possible() const {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i].extent() != loops_[i].extent) return false;
    }
    return true;
  }

  Match run() {
    const Update update = split_update(*nest_.store, intrinsic_.accumulates);
    Unifier unifier(intrinsic_, axes_, loops_);
    Match match;
    if (!unifier.bind_output(*nest_.store)) return failed(unifier);
    const expr::Compute& compute = intrinsic_.behaviour;
    const expr::Reduce* reduction = compute.reduction();
    if (reduction && !update.accumulates) {
      return {nullptr, fmt::format("'{}' accumulates with {}, the store to '{}' does not read its old value",
                                   intrinsic_.name, expr::name(*reduction), nest_.store->buffer->name)};
    }
    if (!unifier.unify(reduction ? reduction->sources[0] : compute.body, update.value))
      return failed(unifier);
    loop::IntrinsicCall call = unifier.call();
    if (intrinsic_.accumulates) {
      std::vector<expr::VarPtr> reduced;
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        if (axes_[i].is_reduce()) reduced.push_back(loops_[i].var);
      }
      const ExprPtr reset = update.accumulates ? update.reset : expr::bool_imm(true);
      const auto outer = outer_reset(reset, loops_, reduced, match.reason);
      if (!outer) return match;
      call.reset = *outer;
    }
    match.call = loop::intrinsic_call(std::move(call));
    progress_ = unifier.progress();
    return match;
  }

  int progress() const { return progress_; }

 private:
  Match failed(const Unifier& unifier) {
    progress_ = unifier.progress();
    return {nullptr, unifier.reason()};
  }

  const Nest& nest_;
  const intrinsics::Intrinsic& intrinsic_;
  std::vector<expr::IterVar> axes_;
  std::vector<NestLoop> loops_;
  int progress_ = 0;
};

std::string describe_loops(const Nest& nest) {
  std::string text;
  for (const NestLoop& l : nest.loops)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", l.var->name, l.extent);
  return text;
}

struct Ranked {
  Match match;
  int progress = -1;
};

Ranked match_nest(const Nest& nest, const intrinsics::Intrinsic& intrinsic) {
  const expr::Compute& compute = intrinsic.behaviour;
  const std::size_t axes = compute.axes.size() + compute.reduce_axes().size();
  std::string wanted;
  for (const auto& list : {compute.axes, compute.reduce_axes()}) {
    for (const expr::IterVar& axis : list) {
      wanted += fmt::format("{}{}:{}", wanted.empty() ? "" : ", ", axis.name(), axis.extent());
    }
  }
  const std::string shape_reason =
      fmt::format("needs loops {} inside the tensorized axis, sees {}", wanted, describe_loops(nest));
  if (nest.loops.size() != axes) return {{nullptr, shape_reason}, -1};
  std::vector<std::size_t> order(axes);
  std::iota(order.begin(), order.end(), 0);
  Ranked best{{nullptr, shape_reason}, -1};
  do {
    Attempt attempt(nest, intrinsic, order);
    if (!attempt.possible()) continue;
    Match match = attempt.run();
    if (match.call) return {match, attempt.progress()};
    if (attempt.progress() > best.progress) best = {std::move(match), attempt.progress()};
  } while (std::ranges::next_permutation(order).found);
  return best;
}

}  // namespace

Match match(const loop::StmtPtr& nest, const intrinsics::Intrinsic& intrinsic) {
  std::string reason;
  const std::optional<Nest> taken = take_nest(nest, reason);
  if (!taken) return {nullptr, reason};
  if (!taken->conditions.empty())
    return {nullptr, "a condition stands inside the tensorized axis; only copies may have one"};
  return match_nest(*taken, intrinsic).match;
}

loop::StmtPtr match_any(const loop::StmtPtr& nest, const std::string& name,
                        std::span<const intrinsics::Intrinsic> table) {
  Ranked best;
  if (name == intrinsics::kLoad || name == intrinsics::kStore) {
    best.match = match_copy(nest, name);
    if (best.match.call) return best.match.call;
  } else {
    bool known = false;
    std::string reason;
    const std::optional<Nest> taken = take_nest(nest, reason);
    if (!taken || !taken->conditions.empty()) {
      best.match.reason =
          taken ? "a condition stands inside the tensorized axis; only copies may have one" : reason;
    }
    for (const intrinsics::Intrinsic& intrinsic : table) {
      if (intrinsic.name != name) continue;
      known = true;
      if (!taken || !taken->conditions.empty()) continue;
      Ranked ranked = match_nest(*taken, intrinsic);
      if (ranked.match.call) return ranked.match.call;
      if (best.match.reason.empty() || ranked.progress > best.progress) {
        best = std::move(ranked);
        best.match.reason = fmt::format("({}) {}", intrinsic.variant, best.match.reason);
      }
    }
    VDLA_CHECK_USER(known) << "no intrinsic is named '" << name << "'";
  }
  const auto* axis = nest->as<loop::For>();
  VDLA_CHECK_USER(false) << "axis '" << (axis ? axis->var->name : "?") << "' cannot be tensorized with '"
                         << name << "': " << best.match.reason;
  return nullptr;
}

}  // namespace vdla::tensorize
