// SPDX-License-Identifier: Apache-2.0
// Barriers for cooperative memory. Threads share what lives in memory @shared, so between a write and a read
// (or a second write) of it by other threads stands a barrier; also around the back edge of loops. A barrier
// where only some threads would arrive is refused. On a machine that runs threads one after the other a
// barrier does nothing.
#include <algorithm>
#include <set>

#include "compiler/expr/affine.h"
#include "compiler/loop/print.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "compiler/passes/rows.h"
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
  explicit Inserter(const StmtPtr& body) : written_(accesses_of(body).writes) {}

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
      if (threads_.contains(n.kind)) {
        require_together(s, "all threads of the loop around it");
        return leaf(s);
      }
      threads_.insert(n.kind);
      thread_variables_.insert(n.var);
      auto [body, edge] = visit(n.body);
      threads_.erase(n.kind);
      thread_variables_.erase(n.var);
      return {loop::with_children(s, {body}), edge};
    }
    const bool is_block = expr::is_block(n.kind), diverges = differs(n.min) || differs(n.extent);
    if (diverges)
      divergent_.push_back(
          "stands in a loop that threads run for different numbers of iterations; make its bounds the same "
          "for "
          "all threads");
    blocks_ += is_block;
    auto [body, edge] = visit(n.body);
    blocks_ -= is_block;
    // No thread may write what another one has yet to see in the bounds.
    Accesses bounds = shared_reads(n.min);
    add(bounds, shared_reads(n.extent));
    if (threads_meet() && divergent_.empty() && !independent(bounds, edge.first)) {
      body = loop::seq({loop::barrier(), body});
      edge.first = {};
      edge.has_barrier = true;
    }
    // The next iteration follows the end of this one; blocks do not follow each other.
    if (threads_meet() && !is_block && !independent(edge.last, edge.first)) {
      require_together(s, "a barrier");
      body = loop::seq({body, loop::barrier()});
      edge.last = {};
      edge.has_barrier = true;
    }
    if (diverges) divergent_.pop_back();
    auto extent = expr::as_constant(n.extent);
    if (!extent || *extent <= 0) edge.has_barrier = false;  // it may not be reached
    add(edge.first, bounds);
    if (!edge.has_barrier) add(edge.last, bounds);
    return {loop::with_children(s, {body}), edge};
  }

  std::pair<StmtPtr, Edge> sequence(const loop::Seq& n) {
    std::vector<StmtPtr> result;
    Edge edge;
    for (const StmtPtr& child : n.body) {
      auto [statement, inner] = visit(child);
      if (threads_meet() && !independent(edge.last, inner.first)) {
        require_together(child, "a barrier");
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
    const bool diverges = differs(n.condition);
    if (diverges)
      divergent_.push_back(
          "stands under a condition that only some threads pass; move the condition inside of the "
          "statements");
    const Accesses condition = shared_reads(n.condition);
    Edge edge;
    std::vector<StmtPtr> children = loop::children(s);
    for (StmtPtr& child : children) {
      auto [statement, inner] = visit(child);
      // No thread may write what another one has yet to see in the condition.
      const bool early = threads_meet() && divergent_.empty() && !independent(condition, inner.first);
      child = early ? loop::seq({loop::barrier(), statement}) : statement;
      if (!early) add(edge.first, inner.first);
      add(edge.last, inner.last);
      // A branch may be left out, so its barriers say nothing about what was pending before.
    }
    if (diverges) divergent_.pop_back();
    add(edge.first, condition);
    add(edge.last, edge.first);
    return {loop::with_children(s, children), edge};
  }

  /// Statements in order are run by several threads here: inside of a thread loop, and around the thread
  /// loops of a block, which are the same threads.
  bool threads_meet() const { return !threads_.empty() || blocks_ > 0; }

  /// Whether threads of a block may see different values: of their own variables, or in memory that is not
  /// shared and not constant.
  bool differs(const loop::ExprPtr& e) const {
    bool found = false;
    expr::visit(e, [&](const loop::ExprPtr& part) {
      const auto* ref = part->as<expr::VarRef>();
      const auto* load = part->as<expr::Load>();
      found |= ref && thread_variables_.contains(ref->var);
      found |= load && load->buffer->scope != expr::kSharedScope && written_.contains(load->buffer.get());
    });
    return found;
  }

  static Accesses shared_reads(const loop::ExprPtr& e) {
    Accesses accesses;
    expr::visit(e, [&](const loop::ExprPtr& part) {
      const auto* load = part->as<expr::Load>();
      if (load && load->buffer->scope == expr::kSharedScope) accesses.reads.insert(load->buffer.get());
    });
    return accesses;
  }

  void require_together(const StmtPtr& s, const char* need) const {
    if (divergent_.empty()) return;
    std::string text = loop::to_string(s);
    VDLA_CHECK_USER(false) << "insert-barriers: '" << text.substr(0, text.find('\n')) << "' needs " << need
                           << ", but " << divergent_.back();
  }

  const std::set<const loop::Buffer*> written_;  ///< by the function
  std::set<loop::ForKind> threads_;
  std::set<expr::VarPtr> thread_variables_;
  std::vector<const char*> divergent_;  ///< why threads may part, for each statement around where they may
  int blocks_ = 0;
};

}  // namespace

loop::Func insert_barriers(const loop::Func& func) {
  bool has_threads = false;
  loop::visit(func.body, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    has_threads |= n && (expr::is_thread(n->kind) || expr::is_block(n->kind));
  });
  if (!has_threads) return func;
  return {func.name, func.params, Inserter(func.body).run(func.body)};
}

}  // namespace vdla::passes
