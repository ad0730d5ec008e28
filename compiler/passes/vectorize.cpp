// SPDX-License-Identifier: Apache-2.0
// Vectorisation: what is left of kind vectorized has as many iterations as lanes, which run at once, each
// statement for all of them before the next. Lanes are the largest power of two that divides the extent, 64
// at most; a longer loop becomes a serial one around. Such a loop is moved into loops, conditions and
// sequences that do not depend on it, towards the stores.
//
// A loop becomes serial where lanes could change the result or cannot be expressed: where its body allocates
// or calls an intrinsic, where its bounds or those of a loop inside are read from memory or differ between
// the iterations, and where an iteration could see what another one stored. For that, all accesses of a
// buffer that is written must move alike with the loop, by a step that keeps the lanes apart.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/expr/memory.h"
#include "compiler/form/form.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/rows.h"
#include "support/overloaded.h"

namespace vdla::passes {
namespace {

using loop::ExprPtr;
using loop::ForKind;
using loop::StmtPtr;

/// Most elements between lanes; no buffer is that long, and the product with the lanes is a number.
constexpr std::int64_t kLongestStep = std::int64_t{1} << 48;

/// One place where the body touches a buffer.
struct LaneAccess {
  expr::Affine offset;
  bool stores;
};

/// Body of a loop over lanes, with what they touch.
class LaneBody {
 public:
  LaneBody(const loop::For& loop, std::int64_t lanes) : loop_(loop), lanes_(lanes) { statement(loop.body); }

  bool fits() const {
    return fits_ && std::ranges::all_of(accesses_, [&](const auto& entry) { return apart(entry.second); });
  }

 private:
  void statement(const loop::StmtPtr& s) {
    if (s->as<loop::Allocate>() || s->as<loop::IntrinsicCall>() || s->as<loop::Tensorize>()) {
      fits_ = false;
      return;
    }
    if (const auto* inner = s->as<loop::For>()) {
      if (varies(inner->min) || varies(inner->extent)) fits_ = false;
      inner_.push_back(inner->var);
    }
    if (const auto* store = s->as<loop::Store>())
      accesses_[store->buffer.get()].push_back({flat_offset(*store->buffer, store->indices), true});
    loop::map_expressions(s, [&](const expr::ExprPtr& e) {
      expr::visit(e, [&](const expr::ExprPtr& part) {
        if (const auto* load = part->as<expr::Load>())
          accesses_[load->buffer.get()].push_back({flat_offset(*load->buffer, load->indices), false});
      });
      return e;
    });
    for (const loop::StmtPtr& child : loop::children(s)) statement(child);
  }

  bool varies(const expr::ExprPtr& e) const { return expr::uses(e, loop_.var) || expr::reads_memory(e); }

  bool is_inner(const expr::ExprPtr& atom) const {
    const auto* ref = atom->as<expr::VarRef>();
    return ref && std::ranges::find(inner_, ref->var) != inner_.end();
  }

  /// Two iterations never touch the same element: every offset is step * lane + multiples of step * lanes +
  /// what is common to all.
  bool apart(const std::vector<LaneAccess>& accesses) const {
    if (std::ranges::none_of(accesses, &LaneAccess::stores)) return true;
    const std::int64_t step = accesses[0].offset.coefficient(loop_.var);
    if (step == 0 || step > kLongestStep || step < -kLongestStep) return false;
    const std::int64_t period = std::abs(step) * lanes_;
    for (const LaneAccess& access : accesses) {
      if (access.offset.coefficient(loop_.var) != step) return false;
      const expr::Affine distance = access.offset - accesses[0].offset;
      if (distance.constant % period != 0) return false;
      for (const expr::Affine::Term& t : access.offset.terms) {
        const auto* ref = t.atom->as<expr::VarRef>();
        if (!ref && expr::uses(t.atom, loop_.var)) return false;
        if (ref && ref->var == loop_.var) continue;
        const bool inside = is_inner(t.atom) || std::ranges::any_of(inner_, [&](const expr::VarPtr& v) {
                              return expr::uses(t.atom, v);
                            });
        if (inside && t.coefficient % period != 0) return false;
      }
      for (const expr::Affine::Term& t : distance.terms) {
        if (t.coefficient % period != 0) return false;
      }
    }
    return true;
  }

  const loop::For& loop_;
  std::int64_t lanes_;
  bool fits_ = true;
  std::vector<expr::VarPtr> inner_;
  std::unordered_map<const expr::Buffer*, std::vector<LaneAccess>> accesses_;
};

/// Nothing where the loop is to run in order.
std::optional<std::int64_t> lanes_of(const loop::For& loop) {
  const auto extent = expr::as_constant(loop.extent);
  if (!extent || *extent < 2 || expr::reads_memory(loop.min)) return std::nullopt;
  // A power of two: others have no registers.
  const std::int64_t lanes = std::min(*extent & -*extent, form::kMostLanes);
  if (lanes < 4 && lanes != *extent) return std::nullopt;
  if (!LaneBody(loop, lanes).fits()) return std::nullopt;
  return lanes;
}

/// Statement with its loops in order; unrolled ones stay.
StmtPtr without_kinds(const StmtPtr& s) {
  return loop::rewrite(s, [](const StmtPtr& inner) {
    const auto* n = inner->as<loop::For>();
    if (!n || n->kind == ForKind::Serial || n->kind == ForKind::Unrolled) return inner;
    return loop::make_for(n->var, n->min, n->extent, ForKind::Serial, n->body);
  });
}

/// Whether it is equal in all lanes, and after what they store.
bool is_common(const ExprPtr& e, const loop::For& lanes) {
  return !expr::uses(e, lanes.var) && !expr::reads_memory(e);
}

/// The loop `lanes` with `body` inside, as far inside of it as it goes.
StmtPtr move_inwards(const loop::For& lanes, const StmtPtr& body) {
  const auto again = [&](const StmtPtr& inner) { return move_inwards(lanes, inner); };
  const auto leaf = [&] {
    return loop::make_for(lanes.var, lanes.min, lanes.extent, ForKind::Vectorized, without_kinds(body));
  };
  return std::visit(overloaded{
                        [&](const loop::For& n) {
                          if (!is_common(n.min, lanes) || !is_common(n.extent, lanes)) return leaf();
                          const ForKind kind = n.kind == ForKind::Vectorized ? ForKind::Serial : n.kind;
                          return loop::make_for(n.var, n.min, n.extent, kind, again(n.body));
                        },
                        [&](const loop::Seq& n) {
                          std::vector<StmtPtr> list;
                          for (const StmtPtr& child : n.body) list.push_back(again(child));
                          return loop::seq(list);
                        },
                        [&](const loop::IfThenElse& n) {
                          if (!is_common(n.condition, lanes)) return leaf();
                          return loop::if_then_else(n.condition, again(n.then_body),
                                                    n.else_body ? again(n.else_body) : nullptr);
                        },
                        [&](const auto&) { return leaf(); },
                    },
                    body->node);
}

class Vectorizer {
 public:
  explicit Vectorizer(const loop::Func& func) {
    for (const loop::Param& param : func.params) names_.insert(param.buffer->name);
    loop::visit(func.body, [&](const StmtPtr& s) {
      if (const auto* n = s->as<loop::For>()) names_.insert(n->var->name);
      if (const auto* n = s->as<loop::Allocate>()) names_.insert(n->buffer->name);
    });
  }

  StmtPtr run(const StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    if (n && n->kind == ForKind::Vectorized) return vectorized(s, *n);
    std::vector<StmtPtr> inner = loop::children(s);
    for (StmtPtr& child : inner) child = run(child);
    return loop::with_children(s, inner);
  }

 private:
  StmtPtr vectorized(const StmtPtr& s, const loop::For& n) {
    const auto lanes = lanes_of(n);
    if (!lanes) return loop::make_for(n.var, n.min, n.extent, ForKind::Serial, run(n.body));
    const std::int64_t extent = *expr::as_constant(n.extent);
    if (extent == *lanes) return n.body->as<loop::Store>() ? s : move_inwards(n, n.body);
    const expr::VarPtr chunk = expr::make_var(fresh(n.var->name + ".v"));
    const expr::Affine first = expr::to_affine(expr::var_ref(chunk)) * *lanes + expr::to_affine(n.min);
    const loop::For one{n.var, expr::to_expr(first), expr::int_imm(*lanes), ForKind::Vectorized, n.body};
    return loop::make_for(chunk, extent / *lanes, move_inwards(one, n.body));
  }

  std::string fresh(std::string name) {
    while (!names_.insert(name).second) name += '_';
    return name;
  }

  std::unordered_set<std::string> names_;
};

}  // namespace

loop::Func vectorize(const loop::Func& func) {
  return {func.name, func.params, Vectorizer(func).run(func.body)};
}

}  // namespace vdla::passes
