// SPDX-License-Identifier: Apache-2.0
// rfactor: the source of a reduction with its original axes written in terms of the loops that splits and
// fuses made of them.
#include <algorithm>

#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/schedule/schedule.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::schedule {
namespace {

using expr::BinaryOp;
using expr::ExprPtr;

/// Values of the parents of a relation from those of its children, and the guard of an uneven split.
void solve(const Relation& relation, expr::Substitution& values, std::vector<ExprPtr>& guards) {
  std::visit(overloaded{
                 [&](const Split& r) {
                   std::int64_t inner = r.inner.extent();
                   ExprPtr offset =
                       expr::binary(BinaryOp::Mul, values.at(r.outer.var()), expr::int_imm(inner));
                   ExprPtr value = expr::binary(BinaryOp::Add, offset, values.at(r.inner.var()));
                   values[r.parent.var()] = value;
                   if (r.parent.extent() % inner == 0) return;
                   guards.push_back(expr::binary(BinaryOp::Lt, value, expr::int_imm(r.parent.extent())));
                 },
                 [&](const Fuse& r) {
                   ExprPtr size = expr::int_imm(r.inner.extent()), fused = values.at(r.fused.var());
                   values[r.outer.var()] = expr::binary(BinaryOp::FloorDiv, fused, size);
                   values[r.inner.var()] = expr::binary(BinaryOp::FloorMod, fused, size);
                 },
             },
             relation);
}

bool is_of_reduce_axes(const Relation& relation) {
  return std::visit(overloaded{[](const Split& r) { return r.parent.is_reduce(); },
                               [](const Fuse& r) { return r.outer.is_reduce(); }},
                    relation);
}

ExprPtr part_of(const expr::Reduce& like, const std::vector<ExprPtr>& sources,
                const std::vector<IterVar>& axes, std::size_t part) {
  if (const auto* builtin = std::get_if<expr::Reducer>(&like.how))
    return expr::reduce(*builtin, sources[0], axes);
  return expr::reduce(std::get<expr::CombinerPtr>(like.how), sources, axes, part);
}

std::vector<ExprPtr> references(const std::vector<IterVar>& axes) {
  std::vector<ExprPtr> list;
  for (const IterVar& axis : axes) list.push_back(expr::var_ref(axis.var()));
  return list;
}

void check(const Stage& stage, const IterVar& axis) {
  VDLA_CHECK_USER(stage.has_reduction())
      << "rfactor: stage '" << stage.name() << "' has no reduction to factor";
  const std::vector<IterVar>& leaves = stage.leaves();
  VDLA_CHECK_USER(axis.defined() && std::find(leaves.begin(), leaves.end(), axis) != leaves.end())
      << "rfactor: axis '" << (axis.defined() ? axis.name() : "") << "' is not a loop of stage '"
      << stage.name() << "'";
  VDLA_CHECK_USER(axis.is_reduce()) << "rfactor: axis '" << axis.name() << "' of stage '" << stage.name()
                                    << "' is a spatial axis; choose a reduce axis";
  bool plain = std::all_of(stage.relations().begin(), stage.relations().end(), is_of_reduce_axes) &&
               std::all_of(leaves.begin(), leaves.end(),
                           [&](const IterVar& leaf) { return stage.annotation(leaf) == ForKind::Serial; }) &&
               stage.attachment().placement == Placement::Root && !stage.tensorization();
  VDLA_CHECK_USER(plain) << "rfactor of stage '" << stage.name()
                         << "' comes before anything but splits and fuses of its reduce axes; rfactor first";
}

}  // namespace

Tensor Schedule::rfactor(const Tensor& tensor, const IterVar& axis) {
  Stage& stage = (*this)[tensor];
  check(stage, axis);
  const expr::Reduce reduction = *stage.compute().reduction();
  std::string line = "rfactor " + stage.label() + " " + stage.label(axis);
  // The new tensor: the factored axis first, own copies of all axes.
  std::vector<IterVar> axes{IterVar(axis.name(), axis.extent(), expr::IterKind::Spatial)}, reduced;
  expr::Substitution values;
  values[axis.var()] = expr::var_ref(axes[0].var());
  for (const IterVar& spatial : stage.compute().axes) {
    axes.emplace_back(spatial.name(), spatial.extent(), expr::IterKind::Spatial);
    values[spatial.var()] = expr::var_ref(axes.back().var());
  }
  for (const IterVar& leaf : stage.leaves()) {
    if (!leaf.is_reduce() || leaf == axis) continue;
    reduced.push_back(expr::reduce_axis(leaf.extent(), leaf.name()));
    values[leaf.var()] = expr::var_ref(reduced.back().var());
  }
  std::vector<ExprPtr> guards;
  for (auto relation = stage.relations().rbegin(); relation != stage.relations().rend(); ++relation) {
    solve(*relation, values, guards);
  }
  std::vector<ExprPtr> sources, bodies, rest;
  const std::vector<ExprPtr> identity = expr::identities(reduction);
  for (std::size_t i = 0; i < reduction.sources.size(); ++i) {
    ExprPtr source = expr::substitute(reduction.sources[i], values);
    sources.push_back(guards.empty() ? source : expr::select(expr::conjunction(guards), source, identity[i]));
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    bodies.push_back(reduced.empty() ? sources[i] : part_of(reduction, sources, reduced, i));
  }
  Tensor factored = expr::compute_together(part_names(tensor, ".rf"), axes, bodies)[0];
  // The rest is the same reduction, over the factored axis.
  const std::vector<IterVar> own = stage.compute().axes;
  const IterVar left = expr::reduce_axis(axis.extent(), axis.name());
  std::vector<ExprPtr> indices = references(own);
  indices.insert(indices.begin(), expr::var_ref(left.var()));
  std::vector<ExprPtr> partial;
  for (std::size_t i = 0; i < sources.size(); ++i) partial.push_back(expr::read(factored.part(i), indices));
  for (std::size_t i = 0; i < sources.size(); ++i) rest.push_back(part_of(reduction, partial, {left}, i));
  stage.relations_.clear();
  stage.reset(Compute{own, rest[0], {rest.begin() + 1, rest.end()}});
  log_->push_back(line);
  add_stage(factored, expr::kGlobalScope);
  return factored.part(tensor.part());
}

}  // namespace vdla::schedule
