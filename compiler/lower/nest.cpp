// SPDX-License-Identifier: Apache-2.0
// Loop nests. A reduction is initialised just outside its first reduce loop; a tensorized one resets in its
// update where the schedule does not want otherwise.
#include "compiler/lower/nest.h"

#include <algorithm>

#include "compiler/expr/print.h"
#include "compiler/expr/simplify.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::lower {
namespace {

using expr::ExprPtr;
using expr::Tensor;
using loop::StmtPtr;

// Long: a method for each kind of loop over the statement being made.
class NestBuilder {
 public:
  NestBuilder(const Plan& plan, const std::vector<std::pair<Tensor, expr::BufferPtr>>& params,
              UniqueNames& names)
      : plan_(plan), params_(params), names_(names) {}

  StmtPtr run() const {
    StmtPtr body = with_producers(nullptr, 0, loop::nop());
    for (const auto& p : plan_.stages)
      if (p->rolling && p->has_own_storage) body = loop::allocate(p->buffers[0], body);
    check_threads(body, {});
    return body;
  }

 private:
  /// Checks that threads do their share of a loop inside of their loop: at most as many of them, into shared
  /// memory.
  void check_threads(const StmtPtr& s, std::vector<const loop::For*> around) const {
    if (const auto* n = s->as<loop::For>(); n && (expr::is_thread(n->kind) || expr::is_block(n->kind))) {
      for (const loop::For* outer : around) {
        if (outer->kind == n->kind) check_cooperation(*outer, *n);
      }
      around.push_back(n);
    }
    for (const StmtPtr& child : loop::children(s)) check_threads(child, around);
  }

  static void check_cooperation(const loop::For& outer, const loop::For& inner) {
    VDLA_CHECK_USER(expr::as_constant(outer.extent).value() >= expr::as_constant(inner.extent).value())
        << "bind: '" << inner.var->name << "' with extent " << expr::to_string(inner.extent) << " and '"
        << outer.var->name << "' around it with extent " << expr::to_string(outer.extent) << " are both "
        << expr::name(inner.kind) << "; split the inner one by at most the extent of the outer one";
    loop::visit(inner.body, [&](const StmtPtr& s) {
      const auto* store = s->as<loop::Store>();
      VDLA_CHECK_USER(!store || (expr::is_thread(inner.kind) && store->buffer->scope == expr::kSharedScope))
          << "bind: '" << inner.var->name << "' inside of '" << outer.var->name << "' is "
          << expr::name(inner.kind) << " too, and '" << store->buffer->name << "' is in memory '"
          << store->buffer->scope << "'; threads share work only into '" << expr::kSharedScope << "'";
    });
  }

  /// Stages placed at this loop (null: at the root), each before `body`, in an allocation around both.
  StmtPtr with_producers(const StagePlan* consumer, std::size_t depth, StmtPtr body) const {
    for (auto p = plan_.stages.rbegin(); p != plan_.stages.rend(); ++p) {
      if ((*p)->consumer != consumer || (consumer && (*p)->depth != depth)) continue;
      body = loop::seq({produce(**p), body});
      if (!(*p)->has_own_storage || (*p)->rolling) continue;
      for (auto buffer = (*p)->buffers.rbegin(); buffer != (*p)->buffers.rend(); ++buffer) {
        if (!is_param(*buffer))
          body = loop::allocate(*buffer, body, (*p)->stage->buffer_parts(), (*p)->stage->is_held());
      }
    }
    return body;
  }

  bool is_param(const expr::BufferPtr& buffer) const {
    return std::any_of(params_.begin(), params_.end(),
                       [&](const auto& param) { return param.second == buffer; });
  }

  StmtPtr produce(const StagePlan& p) const {
    if (p.padding) return padding(p);
    return p.compute.recurrence ? loop::seq({given_steps(p), nest(p)}) : nest(p);
  }

  /// The first steps of a recurrence, which are no business of its schedule.
  StmtPtr given_steps(const StagePlan& p) const {
    const expr::Recurrence& recurrence = *p.compute.recurrence;
    expr::Substitution values;
    std::vector<ExprPtr> indices;
    std::vector<expr::VarPtr> vars;
    for (const expr::IterVar& axis : recurrence.init_axes) {
      vars.push_back(expr::make_var(names_(axis.name())));
      indices.push_back(expr::var_ref(vars.back()));
      values[axis.var()] = indices.back();
    }
    std::vector<StmtPtr> stores;
    for (std::size_t i = 0; i < p.buffers.size(); ++i) {
      ExprPtr value = lowered(recurrence.init[i], values);
      stores.push_back(loop::store(p.buffers[i], indices, value));
    }
    StmtPtr body = loop::seq(stores);
    for (std::size_t d = vars.size(); d-- > 0;)
      body = loop::make_for(vars[d], recurrence.init_axes[d].extent(), body);
    return body;
  }

  StmtPtr nest(const StagePlan& p) const {
    const auto& loops = p.loops;
    bool reset_in_update = resets_in_step(p);
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

  /// A nest for each side: where its condition does not hold, and those of the sides before do. What stays is
  /// stored in the first iteration of each place, wherever the region lies then.
  StmtPtr padding(const StagePlan& p) const {
    std::vector<StmtPtr> nests;
    std::vector<ExprPtr> stays = p.split_guards, others = p.guards;
    if (p.rolling)
      stays.push_back(
          expr::binary(expr::BinaryOp::Lt, p.rolling->iteration, expr::int_imm(p.rolling->places)));
    const auto add_sides = [&](bool that_stay, std::vector<ExprPtr>& guards) {
      for (const PaddingSide& side : p.padding->sides) {
        if (side.stays != that_stay) continue;
        const ExprPtr inside = lowered(side.inside, p.axis_values);
        guards.push_back(expr::logical_not(inside));
        nests.push_back(padding_nest(p, guards));
        guards.back() = inside;
        if (that_stay) others.push_back(inside);
      }
    };
    add_sides(true, stays);
    add_sides(false, others);
    return loop::seq(nests);
  }

  StmtPtr padding_nest(const StagePlan& p, const std::vector<ExprPtr>& guards) const {
    expr::Substitution fresh;
    std::vector<expr::VarPtr> vars;
    for (const Loop& l : p.loops) {
      vars.push_back(expr::make_var(names_(l.axis.name())));
      fresh[l.var] = expr::var_ref(vars.back());
    }
    std::vector<ExprPtr> indices;
    for (const ExprPtr& index : p.local_indices) indices.push_back(expr::substitute(index, fresh));
    StmtPtr body = loop::if_then_else(expr::substitute(expr::conjunction(guards), fresh),
                                      loop::store(p.buffers[0], indices, p.padding->value));
    for (std::size_t i = p.loops.size(); i-- > 0;) body = wrap(p, i, vars[i], body);
    return body;
  }

  static bool resets_in_step(const StagePlan& p) {
    const auto& tensorized = p.stage->tensorization();
    return tensorized && tensorized->reset == schedule::Reset::InStep;
  }

  StmtPtr wrap(const StagePlan& p, std::size_t i, StmtPtr body) const {
    return wrap(p, i, p.loops[i].var, std::move(body));
  }
  StmtPtr wrap(const StagePlan& p, std::size_t i, const expr::VarPtr& var, StmtPtr body) const {
    const Loop& l = p.loops[i];
    body = loop::make_for(var, l.extent, body, p.stage->annotation(l.axis));
    const auto& tensorized = p.stage->tensorization();
    return tensorized && tensorized->axis == l.axis ? loop::tensorize(tensorized->intrinsic, body) : body;
  }

  static StmtPtr guarded(const std::vector<ExprPtr>& guards, StmtPtr body) {
    return guards.empty() ? body : loop::if_then_else(expr::conjunction(guards), std::move(body));
  }

  StmtPtr innermost(const StagePlan& p) const { return guarded(p.guards, store_all(p, values_of(p))); }

  /// One for each tensor of the stage.
  std::vector<ExprPtr> values_of(const StagePlan& p) const {
    std::vector<ExprPtr> values;
    const expr::Reduce* reduction = p.compute.reduction();
    for (const ExprPtr& e : reduction ? reduction->sources : p.compute.bodies()) {
      values.push_back(lowered(e, p.axis_values));
    }
    if (!reduction) return values;
    std::vector<ExprPtr> own, identity = expr::identities(*reduction);
    for (std::size_t i = 0; i < p.buffers.size(); ++i) {
      own.push_back(expr::load(p.buffers[i], p.local_indices));
      if (resets_in_step(p)) own[i] = expr::select(at_start(p), identity[i], own[i]);
    }
    return expr::combine(*reduction, own, values);
  }

  /// All values are computed before any is stored: the parts of a reduction read each other's old values.
  StmtPtr store_all(const StagePlan& p, const std::vector<ExprPtr>& values) const {
    if (values.size() == 1) return loop::store(p.buffers[0], p.local_indices, values[0]);
    std::vector<expr::BufferPtr> kept;
    std::vector<StmtPtr> body;
    const std::vector<ExprPtr> origin{expr::int_imm(0)};
    for (std::size_t i = 0; i + 1 < values.size() && p.compute.reduction(); ++i) {
      kept.push_back(expr::make_buffer(names_(p.buffers[i]->name + ".new"), values[i]->dtype, {1}));
      body.push_back(loop::store(kept[i], origin, values[i]));
    }
    for (std::size_t i = values.size(); i-- > 0;) {
      ExprPtr value = i < kept.size() ? expr::load(kept[i], origin) : values[i];
      body.push_back(loop::store(p.buffers[i], p.local_indices, value));
    }
    StmtPtr result = loop::seq(body);
    for (auto buffer = kept.rbegin(); buffer != kept.rend(); ++buffer)
      result = loop::allocate(*buffer, result);
    return result;
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
    std::vector<ExprPtr> identity = expr::identities(*p.compute.reduction());
    std::vector<StmtPtr> stores;
    for (std::size_t i = 0; i < p.buffers.size(); ++i)
      stores.push_back(loop::store(p.buffers[i], indices, identity[i]));
    StmtPtr body = guarded(guards, loop::seq(stores));
    for (auto entry = own.rbegin(); entry != own.rend(); ++entry) {
      const Loop& l = *entry->first;
      body = loop::make_for(entry->second, l.extent, body, p.stage->annotation(l.axis));
    }
    return body;
  }

  /// An expression of a stage's body in loop variables and buffers.
  ExprPtr lowered(const ExprPtr& e, const expr::Substitution& axis_values) const {
    return expr::rewrite(expr::substitute(e, axis_values), [&](const ExprPtr& n) {
      const auto* read = n->as<expr::Read>();
      return read ? load_of(expr::tensor_of(*read), read->indices) : n;
    });
  }

  ExprPtr load_of(const Tensor& tensor, std::vector<ExprPtr> indices) const {
    const StagePlan* producer = plan_.find(tensor);
    if (producer) {
      for (std::size_t d = 0; d < indices.size(); ++d) {
        if (producer->origin[d].is_constant() && producer->origin[d].constant == 0) continue;
        indices[d] = expr::to_expr(expr::to_affine(indices[d]) - producer->origin[d]);
      }
      if (producer->rolling) indices.insert(indices.begin(), producer->local_indices[0]);
      return expr::load(producer->buffers[tensor.part()], std::move(indices));
    }
    if (auto [scan, state] = plan_.find_state(tensor); scan)
      return expr::load(scan->buffers[state], std::move(indices));
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
  return NestBuilder(plan, params, names).run();
}

}  // namespace vdla::lower
