// SPDX-License-Identifier: Apache-2.0
// Walking and rewriting. Expressions are graphs in memory (inlining shares operands), so each node is visited
// once.
#include "compiler/expr/visit.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "compiler/expr/tensor_node.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::expr {
namespace {

void visit_once(const ExprPtr& e, const std::function<void(const ExprPtr&)>& f,
                std::unordered_set<const Expr*>& seen) {
  if (!seen.insert(e.get()).second) return;
  f(e);
  for (const ExprPtr& child : children(e)) visit_once(child, f, seen);
}

using Memo = std::unordered_map<const Expr*, ExprPtr>;

ExprPtr rewrite_once(const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& f, Memo& memo) {
  if (auto found = memo.find(e.get()); found != memo.end()) return found->second;
  std::vector<ExprPtr> operands = children(e);
  bool changed = false;
  for (ExprPtr& operand : operands) {
    ExprPtr now = rewrite_once(operand, f, memo);
    changed |= now != operand;
    operand = std::move(now);
  }
  ExprPtr result = f(changed ? with_children(e, operands) : e);
  memo.emplace(e.get(), result);
  return result;
}

using Sizes = std::unordered_map<const Expr*, std::size_t>;

std::size_t size_once(const ExprPtr& e, std::size_t most, Sizes& memo) {
  if (auto found = memo.find(e.get()); found != memo.end()) return found->second;
  std::size_t size = 1;
  for (const ExprPtr& child : children(e)) size = std::min(size + size_once(child, most, memo), most);
  memo.emplace(e.get(), size);
  return size;
}

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

template <class Pointer>
int order_named(const Pointer& a, const Pointer& b) {
  if (a == b) return 0;
  if (int by_name = order(a->name, b->name)) return by_name;
  return order(a.get(), b.get());
}

/// Order of two nodes of the same kind, operands left aside.
int compare_payload(const Expr& a, const Expr& b) {
  return std::visit(overloaded{
                        [&](const IntImm& n) { return order(n.value, b.as<IntImm>()->value); },
                        [&](const FloatImm& n) {
                          // Numbers are not in a total order: NaN is not less than any, nor any than it.
                          return order(std::bit_cast<std::uint64_t>(n.value),
                                       std::bit_cast<std::uint64_t>(b.as<FloatImm>()->value));
                        },
                        [&](const VarRef& n) { return order_named(n.var, b.as<VarRef>()->var); },
                        [&](const Binary& n) { return order(n.op, b.as<Binary>()->op); },
                        [&](const Read& n) {
                          if (int by_tensor = order_named(n.tensor, b.as<Read>()->tensor)) return by_tensor;
                          return order(n.part, b.as<Read>()->part);
                        },
                        [&](const Load& n) { return order_named(n.buffer, b.as<Load>()->buffer); },
                        [&](const Call& n) { return order(n.function, b.as<Call>()->function); },
                        [&](const Reduce& n) {
                          const Reduce& m = *b.as<Reduce>();
                          if (int by_reducer = order(n.how, m.how)) return by_reducer;
                          if (int by_part = order(n.part, m.part)) return by_part;
                          if (int by_rank = order(n.axes.size(), m.axes.size())) return by_rank;
                          for (std::size_t i = 0; i < n.axes.size(); ++i) {
                            if (int by_axis = order_named(n.axes[i].var(), m.axes[i].var())) return by_axis;
                          }
                          return 0;
                        },
                        [](const Not&) { return 0; },
                        [](const Select&) { return 0; },
                        [](const Cast&) { return 0; },
                    },
                    a.node);
}

}  // namespace

std::vector<ExprPtr> children(const ExprPtr& e) {
  return std::visit(
      overloaded{
          [](const IntImm&) { return std::vector<ExprPtr>{}; },
          [](const FloatImm&) { return std::vector<ExprPtr>{}; },
          [](const VarRef&) { return std::vector<ExprPtr>{}; },
          [](const Binary& n) { return std::vector<ExprPtr>{n.a, n.b}; },
          [](const Not& n) { return std::vector<ExprPtr>{n.a}; },
          [](const Select& n) { return std::vector<ExprPtr>{n.condition, n.on_true, n.on_false}; },
          [](const Cast& n) { return std::vector<ExprPtr>{n.a}; },
          [](const Read& n) { return n.indices; },
          [](const Load& n) { return n.indices; },
          [](const Call& n) { return n.arguments; },
          [](const Reduce& n) { return n.sources; },
      },
      e->node);
}

ExprPtr with_children(const ExprPtr& e, const std::vector<ExprPtr>& o) {
  return std::visit(overloaded{
                        [&](const IntImm&) { return e; },
                        [&](const FloatImm&) { return e; },
                        [&](const VarRef&) { return e; },
                        [&](const Binary& n) { return binary(n.op, o[0], o[1]); },
                        [&](const Not&) { return logical_not(o[0]); },
                        [&](const Select&) { return select(o[0], o[1], o[2]); },
                        [&](const Cast&) { return cast(e->dtype, o[0]); },
                        [&](const Read& n) { return read(tensor_of(n), o); },
                        [&](const Load& n) { return load(n.buffer, o); },
                        [&](const Call& n) { return call(n.function, o); },
                        [&](const Reduce& n) {
                          if (const auto* builtin = std::get_if<Reducer>(&n.how))
                            return reduce(*builtin, o[0], n.axes);
                          return reduce(std::get<CombinerPtr>(n.how), o, n.axes, n.part);
                        },
                    },
                    e->node);
}

void visit(const ExprPtr& e, const std::function<void(const ExprPtr&)>& f) {
  std::unordered_set<const Expr*> seen;
  visit_once(e, f, seen);
}

ExprPtr rewrite(const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& f) {
  Memo memo;
  return rewrite_once(e, f, memo);
}

ExprPtr substitute(const ExprPtr& e, const Substitution& values) {
  if (values.empty()) return e;
  return rewrite(e, [&](const ExprPtr& n) {
    const auto* ref = n->as<VarRef>();
    if (!ref) return n;
    auto found = values.find(ref->var);
    return found == values.end() ? n : found->second;
  });
}

bool uses(const ExprPtr& e, const VarPtr& var) {
  bool found = false;
  visit(e, [&](const ExprPtr& n) {
    const auto* ref = n->as<VarRef>();
    found |= ref && ref->var == var;
  });
  return found;
}

std::vector<VarPtr> variables_of(const ExprPtr& e) {
  std::vector<VarPtr> variables;
  visit(e, [&](const ExprPtr& n) {
    const auto* ref = n->as<VarRef>();
    if (ref && std::find(variables.begin(), variables.end(), ref->var) == variables.end()) {
      variables.push_back(ref->var);
    }
  });
  return variables;
}

std::size_t written_size(const ExprPtr& e, std::size_t most) {
  Sizes memo;
  return size_once(e, most, memo);
}

bool equal(const ExprPtr& a, const ExprPtr& b) { return compare(a, b) == 0; }

int compare(const ExprPtr& a, const ExprPtr& b) {
  if (a == b) return 0;
  if (int by_kind = order(a->node.index(), b->node.index())) return by_kind;
  if (int by_type = order(a->dtype, b->dtype)) return by_type;
  if (int by_payload = compare_payload(*a, *b)) return by_payload;
  std::vector<ExprPtr> x = children(a), y = children(b);
  if (int by_count = order(x.size(), y.size())) return by_count;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (int by_child = compare(x[i], y[i])) return by_child;
  }
  return 0;
}

}  // namespace vdla::expr
