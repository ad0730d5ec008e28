// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/rolling_buffer.h"

#include <algorithm>
#include <string>

#include "compiler/expr/simplify.h"
#include "support/error.h"

namespace vdla::lower {
namespace {

using expr::ExprPtr;

std::string rolling_prefix(const StagePlan& p) { return "rolling_buffer: stage '" + p.stage->name() + "' "; }

void check_turns(const StagePlan& p) {
  VDLA_CHECK_USER(p.consumer) << rolling_prefix(p)
                              << "is computed at the root, once; compute it at a loop of its reader";
  VDLA_CHECK_USER(!p.stage->is_double_buffered())
      << rolling_prefix(p)
      << "is double buffered, which is two places that take turns; leave one of them out";
  for (const StagePlan* at = &p; at->consumer; at = at->consumer) {
    const schedule::Stage& around = *at->consumer->stage;
    for (std::size_t depth = 0; depth <= at->depth; ++depth) {
      const expr::IterVar& axis = at->consumer->loops[depth].axis;
      const expr::ForKind kind = around.annotation(axis);
      VDLA_CHECK_USER(kind == expr::ForKind::Serial || kind == expr::ForKind::Unrolled)
          << rolling_prefix(p) << "is computed in loop '" << axis.name() << "' of '" << around.name()
          << "', which is " << expr::name(kind)
          << "; its iterations would use a place at the same time, leave one of them out";
    }
  }
}

ExprPtr iteration_of(const StagePlan& p) {
  ExprPtr iteration = expr::int_imm(0);
  for (const Loop* loop : loops_around(p)) {
    const ExprPtr before = expr::binary(expr::BinaryOp::Mul, iteration, expr::int_imm(loop->extent));
    iteration = expr::binary(expr::BinaryOp::Add, before, expr::var_ref(loop->var));
  }
  return iteration;
}

/// The condition holds wherever the stage in the middle stores.
bool holds_in_the_middle(const ExprPtr& inside, const StagePlan& padded) {
  const StagePlan& inner = *padded.padding->inner;
  expr::Ranges ranges;
  expr::Substitution indices;
  for (std::size_t d = 0; d < padded.compute.axes.size(); ++d) {
    const expr::IterVar& axis = inner.compute.axes[d];
    ranges[axis.var()] = {0, axis.extent() - 1};
    indices[padded.compute.axes[d].var()] = expr::to_expr(expr::to_affine(expr::var_ref(axis.var())) -
                                                          expr::Affine{{}, padded.padding->shift[d]});
  }
  return expr::as_constant(expr::simplify(expr::substitute(inside, indices), ranges)) == 1;
}

/// Loops around whose iteration the place tells: with two places, one over two strips that is innermost.
std::vector<const Loop*> loops_of_the_place(const StagePlan& p) {
  std::vector<const Loop*> loops = loops_around(p), told;
  std::int64_t iterations = 1;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    iterations *= (*loop)->extent;
    if ((*loop)->extent == 1 || p.stage->places() % iterations == 0) told.push_back(*loop);
  }
  return told;
}

/// Whether the condition on an element of a place is equal in all iterations that take the place.
bool is_the_same_in_all(const ExprPtr& inside, const StagePlan& padded, const expr::Ranges& ranges) {
  const std::vector<const Loop*> told = loops_of_the_place(padded);
  const ExprPtr of_loops = expr::simplify(expr::substitute(inside, padded.axis_values), ranges);
  return std::ranges::all_of(expr::variables_of(of_loops), [&](const auto& var) {
    return std::ranges::find(padded.loops, var, &Loop::var) != padded.loops.end() ||
           std::ranges::find(told, var, &Loop::var) != told.end();
  });
}

void add_place(const Plan& plan, const Rolling& rolling, StagePlan& p) {
  const ExprPtr place =
      expr::binary(expr::BinaryOp::FloorMod, rolling.iteration, expr::int_imm(rolling.places));
  p.rolling = rolling;
  p.local_indices.insert(p.local_indices.begin(), expr::simplify(place, plan.ranges));
}

}  // namespace

void roll_buffers(Plan& plan) {
  for (const auto& p : plan.stages) {
    if (p->stage->places() == 0) continue;
    check_turns(*p);
    const Rolling rolling{p->stage->places(), expr::simplify(iteration_of(*p), plan.ranges)};
    add_place(plan, rolling, *p);
    if (!p->padding) continue;
    for (PaddingSide& side : p->padding->sides)
      side.stays = holds_in_the_middle(side.inside, *p) && is_the_same_in_all(side.inside, *p, plan.ranges);
    add_place(plan, rolling, *p->padding->inner);
  }
}

}  // namespace vdla::lower
