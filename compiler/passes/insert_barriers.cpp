// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/insert_barriers.h"

#include <algorithm>
#include <set>

#include "compiler/expr/affine.h"
#include "compiler/loop/print.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "support/error.h"

namespace vdla::passes {
namespace {

using loop::StmtPtr;

Accesses shared_accesses(const StmtPtr& s) {
  Accesses accesses = accesses_of(s);
  auto is_private = [](const loop::Buffer* buffer) { return buffer->scope != expr::kSharedScope; };
  std::erase_if(accesses.reads, is_private);
  std::erase_if(accesses.writes, is_private);
  return accesses;
}

void add(Accesses& to, const Accesses& more) {
  to.reads.insert(more.reads.begin(), more.reads.end());
  to.writes.insert(more.writes.begin(), more.writes.end());
}

/// Shared accesses of a piece of the program: before its first barrier, and since its last one.
struct Edge {
  Accesses first, last;
  bool has_barrier = false;
};

class Inserter {
 public:
  StmtPtr run(const StmtPtr& s) { return visit(s).first; }

 private:
  std::pair<StmtPtr, Edge> leaf(const StmtPtr& s) const {
    Accesses accesses = shared_accesses(s);
    return {s, {accesses, accesses, false}};
  }

  std::pair<StmtPtr, Edge> visit(const StmtPtr& s) {
    if (const auto* n = s->as<loop::For>()) return for_loop(s, *n);
    if (const auto* n = s->as<loop::Seq>()) return sequence(*n);
    if (const auto* n = s->as<loop::IfThenElse>()) return conditional(s, *n);
    if (s->as<loop::Allocate>()) {
      auto [body, edge] = visit(loop::children(s)[0]);
      return {loop::with_children(s, {body}), edge};
    }
    return leaf(s);
  }

  std::pair<StmtPtr, Edge> for_loop(const StmtPtr& s, const loop::For& n) {
    if (expr::is_thread(n.kind)) {
      // A loop over threads inside of one over the same threads: each does its share of the work.
      if (!threads_.insert(n.kind).second) return leaf(s);
      thread_variables_.insert(n.var);
      auto [body, edge] = visit(n.body);
      threads_.erase(n.kind);
      thread_variables_.erase(n.var);
      return {loop::with_children(s, {body}), edge};
    }
    auto [body, edge] = visit(n.body);
    // The next iteration follows the end of this one.
    if (!threads_.empty() && !independent(edge.last, edge.first)) {
      require_together(s);
      body = loop::seq({body, loop::barrier()});
      edge.last = {};
      edge.has_barrier = true;
    }
    auto extent = expr::as_constant(n.extent);
    if (!extent || *extent <= 0) edge.has_barrier = false;  // it may not be reached
    return {loop::with_children(s, {body}), edge};
  }

  std::pair<StmtPtr, Edge> sequence(const loop::Seq& n) {
    std::vector<StmtPtr> result;
    Edge edge;
    for (const StmtPtr& child : n.body) {
      auto [statement, inner] = visit(child);
      if (!threads_.empty() && !independent(edge.last, inner.first)) {
        require_together(child);
        result.push_back(loop::barrier());
        edge.last = {};
        edge.has_barrier = true;
      }
      result.push_back(statement);
      if (!edge.has_barrier) add(edge.first, inner.first);
      if (inner.has_barrier) edge.last = {};
      edge.has_barrier |= inner.has_barrier;
      add(edge.last, inner.last);
    }
    return {loop::seq(result), edge};
  }

  std::pair<StmtPtr, Edge> conditional(const StmtPtr& s, const loop::IfThenElse& n) {
    bool diverges = std::any_of(thread_variables_.begin(), thread_variables_.end(),
                                [&](const expr::VarPtr& var) { return expr::uses(n.condition, var); });
    divergent_ += diverges;
    Edge edge;
    std::vector<StmtPtr> children = loop::children(s);
    for (StmtPtr& child : children) {
      auto [statement, inner] = visit(child);
      child = statement;
      add(edge.first, inner.first);
      add(edge.last, inner.last);
      // A branch may be left out, so its barriers say nothing about what was pending before.
    }
    divergent_ -= diverges;
    add(edge.first, shared_reads(n.condition));
    add(edge.last, edge.first);
    return {loop::with_children(s, children), edge};
  }

  static Accesses shared_reads(const loop::ExprPtr& e) {
    Accesses accesses;
    expr::visit(e, [&](const loop::ExprPtr& part) {
      const auto* load = part->as<expr::Load>();
      if (load && load->buffer->scope == expr::kSharedScope) accesses.reads.insert(load->buffer.get());
    });
    return accesses;
  }

  void require_together(const StmtPtr& s) const {
    std::string text = loop::to_string(s);
    VDLA_CHECK_USER(divergent_ == 0)
        << "insert-barriers: '" << text.substr(0, text.find('\n'))
        << "' needs a barrier, but stands under a condition that only some threads pass; "
           "move the condition inside of the statements";
  }

  std::set<loop::ForKind> threads_;
  std::set<expr::VarPtr> thread_variables_;
  int divergent_ = 0;
};

}  // namespace

loop::Func insert_barriers(const loop::Func& func) {
  return {func.name, func.params, Inserter().run(func.body)};
}

}  // namespace vdla::passes
