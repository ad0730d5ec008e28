// SPDX-License-Identifier: Apache-2.0
// Loop nests. A reduction is initialised just outside its first reduce loop; a tensorized one resets in its
// update.
#include "compiler/lower/nest.h"

#include <algorithm>

#include "compiler/expr/simplify.h"
#include "support/error.h"

namespace vdla::lower {
namespace {

using expr::ExprPtr;
using expr::Tensor;
using loop::StmtPtr;

loop::ForKind kind_of(schedule::Annotation annotation) {
  switch (annotation) {
    case schedule::Annotation::None:
      return loop::ForKind::Serial;
    case schedule::Annotation::Parallel:
      return loop::ForKind::Parallel;
    case schedule::Annotation::Unrolled:
      return loop::ForKind::Unrolled;
    case schedule::Annotation::Vectorized:
      return loop::ForKind::Vectorized;
  }
  return loop::ForKind::Serial;
}

class Builder {
 public:
  Builder(const Plan& plan, const std::vector<std::pair<Tensor, expr::BufferPtr>>& params, UniqueNames& names)
      : plan_(plan), params_(params), names_(names) {}

  StmtPtr run() const { return with_producers(nullptr, 0, loop::nop()); }

 private:
  /// Stages placed at this loop (null: at the root), each before `body`, in an allocation around both.
  StmtPtr with_producers(const StagePlan* consumer, std::size_t depth, StmtPtr body) const {
    for (auto p = plan_.stages.rbegin(); p != plan_.stages.rend(); ++p) {
      if ((*p)->consumer != consumer || (consumer && (*p)->depth != depth)) continue;
      body = loop::seq({produce(**p), body});
      if (!is_param(**p)) body = loop::allocate((*p)->buffer, body);
    }
    return body;
  }

  bool is_param(const StagePlan& p) const {
    return std::any_of(params_.begin(), params_.end(),
                       [&](const auto& param) { return param.second == p.buffer; });
  }

  StmtPtr produce(const StagePlan& p) const {
    const auto& loops = p.loops;
    bool reset_in_update = p.stage->tensorization().has_value();
    std::size_t first_reduce =
        std::find_if(loops.begin(), loops.end(), [](const Loop& l) { return l.axis.is_reduce(); }) -
        loops.begin();
    StmtPtr body = innermost(p);
    for (std::size_t i = loops.size(); i-- > 0;) {
      body = wrap(p, i, with_producers(&p, i, body));
      if (i == first_reduce && !reset_in_update) body = loop::seq({initialise(p, first_reduce), body});
    }
    return body;
  }

  StmtPtr wrap(const StagePlan& p, std::size_t i, StmtPtr body) const {
    const Loop& l = p.loops[i];
    body = loop::make_for(l.var, l.extent, body, kind_of(p.stage->annotation(l.axis)));
    const auto& tensorized = p.stage->tensorization();
    return tensorized && tensorized->axis == l.axis ? loop::tensorize(tensorized->intrinsic, body) : body;
  }

  static StmtPtr guarded(const std::vector<ExprPtr>& guards, StmtPtr body) {
    return guards.empty() ? body : loop::if_then_else(expr::conjunction(guards), std::move(body));
  }

  StmtPtr innermost(const StagePlan& p) const {
    const expr::Reduce* reduction = p.compute.reduction();
    ExprPtr value = lowered(p, reduction ? reduction->source : p.compute.body);
    if (reduction) {
      ExprPtr self = expr::load(p.buffer, p.local_indices);
      if (p.stage->tensorization()) {
        ExprPtr first = at_start(p);
        self = expr::select(first, expr::identity(reduction->reducer, p.buffer->dtype), self);
      }
      value = expr::combine(reduction->reducer, self, value);
    }
    return guarded(p.guards, loop::store(p.buffer, p.local_indices, value));
  }

  static ExprPtr at_start(const StagePlan& p) {
    std::vector<ExprPtr> conditions;
    for (const Loop& l : p.loops) {
      if (!l.axis.is_reduce()) continue;
      conditions.push_back(expr::binary(expr::BinaryOp::Eq, expr::var_ref(l.var), expr::int_imm(0)));
    }
    return expr::conjunction(conditions);
  }

  /// The identity, over the spatial loops inside the first reduce loop, with variables of their own.
  StmtPtr initialise(const StagePlan& p, std::size_t first_reduce) const {
    expr::Substitution fresh;
    std::vector<std::pair<const Loop*, expr::VarPtr>> own;
    for (std::size_t i = first_reduce; i < p.loops.size(); ++i) {
      if (p.loops[i].axis.is_reduce()) continue;
      own.emplace_back(&p.loops[i], expr::make_var(names_(p.loops[i].axis.name() + ".init")));
      fresh[p.loops[i].var] = expr::var_ref(own.back().second);
    }
    std::vector<ExprPtr> indices, guards;
    for (const ExprPtr& index : p.local_indices) indices.push_back(expr::substitute(index, fresh));
    for (const ExprPtr& guard : p.spatial_guards) guards.push_back(expr::substitute(guard, fresh));
    ExprPtr identity = expr::identity(p.compute.reduction()->reducer, p.buffer->dtype);
    StmtPtr body = guarded(guards, loop::store(p.buffer, indices, identity));
    for (auto entry = own.rbegin(); entry != own.rend(); ++entry) {
      const Loop& l = *entry->first;
      body = loop::make_for(entry->second, l.extent, body, kind_of(p.stage->annotation(l.axis)));
    }
    return body;
  }

  /// An expression of the stage's body in loop variables and buffers.
  ExprPtr lowered(const StagePlan& p, const ExprPtr& e) const {
    return expr::rewrite(expr::substitute(e, p.axis_values), [&](const ExprPtr& n) {
      const auto* read = n->as<expr::Read>();
      return read ? load_of(Tensor(read->tensor), read->indices) : n;
    });
  }

  ExprPtr load_of(const Tensor& tensor, std::vector<ExprPtr> indices) const {
    const StagePlan* producer = plan_.find(tensor);
    if (producer) {
      for (std::size_t d = 0; d < indices.size(); ++d) {
        if (producer->min[d].is_constant() && producer->min[d].constant == 0) continue;
        indices[d] = expr::to_expr(expr::to_affine(indices[d]) - producer->min[d]);
      }
      return expr::load(producer->buffer, std::move(indices));
    }
    auto param = std::find_if(params_.begin(), params_.end(),
                              [&](const auto& entry) { return entry.first == tensor; });
    VDLA_CHECK_USER(param != params_.end())
        << "lowering needs placeholder '" << tensor.name() << "' among the arguments";
    return expr::load(param->second, std::move(indices));
  }

  const Plan& plan_;
  const std::vector<std::pair<Tensor, expr::BufferPtr>>& params_;
  UniqueNames& names_;
};

}  // namespace

StmtPtr build_nests(const Plan& plan, const std::vector<std::pair<Tensor, expr::BufferPtr>>& params,
                    UniqueNames& names) {
  return Builder(plan, params, names).run();
}

}  // namespace vdla::lower
