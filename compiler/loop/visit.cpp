// SPDX-License-Identifier: Apache-2.0
// Walking and rewriting statements.
#include "compiler/loop/visit.h"

#include <algorithm>

#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::loop {
namespace {

using Map = std::function<ExprPtr(const ExprPtr&)>;

std::vector<ExprPtr> map_all(const std::vector<ExprPtr>& list, const Map& f, bool& changed) {
  std::vector<ExprPtr> result;
  for (const ExprPtr& e : list) {
    result.push_back(f(e));
    changed |= result.back() != e;
  }
  return result;
}

StmtPtr map_call(const StmtPtr& s, const IntrinsicCall& n, const Map& f) {
  IntrinsicCall call = n;
  bool changed = false;
  for (Region& region : call.outputs) region.origin = map_all(region.origin, f, changed);
  for (Region& region : call.inputs) region.origin = map_all(region.origin, f, changed);
  for (Attribute& attribute : call.attributes) {
    ExprPtr value = f(attribute.value);
    changed |= value != attribute.value;
    attribute.value = value;
  }
  if (n.reset) {
    call.reset = f(n.reset);
    changed |= call.reset != n.reset;
  }
  return changed ? intrinsic_call(std::move(call)) : s;
}

StmtPtr map_store(const StmtPtr& s, const Store& n, const Map& f) {
  bool changed = false;
  std::vector<ExprPtr> indices = map_all(n.indices, f, changed);
  ExprPtr value = f(n.value);
  return changed || value != n.value ? store(n.buffer, std::move(indices), std::move(value)) : s;
}

}  // namespace

std::vector<StmtPtr> children(const StmtPtr& s) {
  return std::visit(overloaded{
                        [](const For& n) { return std::vector<StmtPtr>{n.body}; },
                        [](const Allocate& n) { return std::vector<StmtPtr>{n.body}; },
                        [](const Store&) { return std::vector<StmtPtr>{}; },
                        [](const IfThenElse& n) {
                          std::vector<StmtPtr> list{n.then_body};
                          if (n.else_body) list.push_back(n.else_body);
                          return list;
                        },
                        [](const Seq& n) { return n.body; },
                        [](const IntrinsicCall&) { return std::vector<StmtPtr>{}; },
                        [](const Tensorize& n) { return std::vector<StmtPtr>{n.body}; },
                    },
                    s->node);
}

StmtPtr with_children(const StmtPtr& s, const std::vector<StmtPtr>& inner) {
  if (children(s) == inner) return s;
  return std::visit(overloaded{
                        [&](const For& n) { return make_for(n.var, n.min, n.extent, n.kind, inner[0]); },
                        [&](const Allocate& n) { return allocate(n.buffer, inner[0], n.parts, n.held); },
                        [&](const Store&) { return s; },
                        [&](const IfThenElse& n) {
                          return if_then_else(n.condition, inner[0], inner.size() > 1 ? inner[1] : nullptr);
                        },
                        [&](const Seq&) { return seq(inner); },
                        [&](const IntrinsicCall&) { return s; },
                        [&](const Tensorize& n) { return tensorize(n.intrinsic, inner[0]); },
                    },
                    s->node);
}

StmtPtr map_expressions(const StmtPtr& s, const Map& f) {
  return std::visit(overloaded{
                        [&](const For& n) {
                          ExprPtr min = f(n.min), extent = f(n.extent);
                          if (min == n.min && extent == n.extent) return s;
                          return make_for(n.var, min, extent, n.kind, n.body);
                        },
                        [&](const Allocate&) { return s; },
                        [&](const Store& n) { return map_store(s, n, f); },
                        [&](const IfThenElse& n) {
                          ExprPtr condition = f(n.condition);
                          return condition == n.condition ? s
                                                          : if_then_else(condition, n.then_body, n.else_body);
                        },
                        [&](const Seq&) { return s; },
                        [&](const IntrinsicCall& n) { return map_call(s, n, f); },
                        [&](const Tensorize&) { return s; },
                    },
                    s->node);
}

void visit(const StmtPtr& s, const std::function<void(const StmtPtr&)>& f) {
  f(s);
  for (const StmtPtr& child : children(s)) visit(child, f);
}

void visit_expressions(const StmtPtr& s, const std::function<void(const ExprPtr&)>& f) {
  visit(s, [&](const StmtPtr& inner) {
    map_expressions(inner, [&](const ExprPtr& e) {
      expr::visit(e, f);
      return e;
    });
  });
}

StmtPtr rewrite(const StmtPtr& s, const std::function<StmtPtr(const StmtPtr&)>& f) {
  std::vector<StmtPtr> inner = children(s);
  for (StmtPtr& child : inner) child = rewrite(child, f);
  return f(with_children(s, inner));
}

std::optional<StmtPtr> try_substitute(const StmtPtr& s, const expr::Substitution& values) {
  const bool grows =
      std::ranges::any_of(values, [](const auto& v) { return !expr::children(v.second).empty(); });
  bool fits = true;
  StmtPtr whole = rewrite(s, [&](const StmtPtr& inner) {
    if (!fits) return inner;
    return map_expressions(inner, [&](const ExprPtr& e) {
      ExprPtr result = expr::substitute(e, values);
      fits &= !grows || result == e ||
              expr::written_size(result, kMostNodesOfExpression + 1) <= kMostNodesOfExpression;
      return result;
    });
  });
  return fits ? std::optional(whole) : std::nullopt;
}

StmtPtr substitute(const StmtPtr& s, const expr::Substitution& values) {
  const std::optional<StmtPtr> result = try_substitute(s, values);
  VDLA_CHECK_USER(result)
      << "what stands in the place of loop variable '" << values.begin()->first->name
      << "' makes an expression of more than " << kMostNodesOfExpression
      << " nodes; needs a loop with a simpler start, or whose body uses the variable less";
  return *result;
}

}  // namespace vdla::loop
