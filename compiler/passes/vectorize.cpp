// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/vectorize.h"

#include "compiler/expr/memory.h"
#include "compiler/loop/visit.h"
#include "support/overloaded.h"

namespace vdla::passes {
namespace {

using loop::ForKind;
using loop::StmtPtr;

bool is_only_stores(const StmtPtr& s) {
  bool result = true;
  loop::visit(s, [&](const StmtPtr& inner) {
    result &=
        !inner->as<loop::Allocate>() && !inner->as<loop::IntrinsicCall>() && !inner->as<loop::Tensorize>();
  });
  return result;
}

/// The same in all iterations of `around`, and after what they store.
bool is_common(const loop::ExprPtr& e, const loop::For& around) {
  return !expr::uses(e, around.var) && !expr::reads_memory(e);
}

/// The loop `around` with `body` inside.
StmtPtr vectors_of(const loop::For& around, const StmtPtr& body) {
  auto again = [&](const StmtPtr& inner) { return vectors_of(around, inner); };
  auto leaf = [&] {
    return loop::make_for(around.var, around.min, around.extent, ForKind::Vectorized, body);
  };
  return std::visit(overloaded{
                        [&](const loop::For& n) {
                          bool moves = is_common(n.min, around) && is_common(n.extent, around);
                          return moves ? loop::with_children(body, {again(n.body)}) : leaf();
                        },
                        [&](const loop::Seq& n) {
                          std::vector<StmtPtr> list;
                          for (const StmtPtr& child : n.body) list.push_back(again(child));
                          return loop::seq(list);
                        },
                        [&](const loop::IfThenElse& n) {
                          if (!is_common(n.condition, around)) return leaf();
                          return loop::if_then_else(n.condition, again(n.then_body),
                                                    n.else_body ? again(n.else_body) : nullptr);
                        },
                        [&](const auto&) { return leaf(); },
                    },
                    body->node);
}

}  // namespace

loop::Func vectorize(const loop::Func& func) {
  StmtPtr body = loop::rewrite(func.body, [](const StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    if (!n || n->kind != ForKind::Vectorized) return s;
    if (!is_only_stores(n->body)) return loop::make_for(n->var, n->min, n->extent, ForKind::Serial, n->body);
    return n->body->as<loop::Store>() ? s : vectors_of(*n, n->body);
  });
  return {func.name, func.params, body};
}

}  // namespace vdla::passes
