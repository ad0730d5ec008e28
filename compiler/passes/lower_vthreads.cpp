// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_vthreads.h"

#include <algorithm>
#include <set>
#include <string>

#include "compiler/expr/memory.h"
#include "compiler/grid/held.h"
#include "compiler/grid/thread.h"
#include "compiler/loop/replace_buffers.h"
#include "compiler/loop/simplify.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::passes {
namespace {

using loop::ExprPtr;
using loop::ForKind;
using loop::Replacement;
using loop::Replacements;
using loop::StmtPtr;

/// Names of a function's buffers and loops, and new ones beside them.
class BufferNames {
 public:
  explicit BufferNames(const loop::Func& func) : taken_(names_of(func)) {}

  /// "acc.1" of thread 1, or a longer one where that is taken.
  /// UserError for more than kMostBuffers of a function: each is a level of its text.
  std::string of_thread(const std::string& name, std::int64_t thread) {
    VDLA_CHECK_USER(++made_ <= kMostBuffers)
        << "virtual threads need more than " << kMostBuffers << " buffers, '" << name << "' among them";
    std::string own = name + "." + std::to_string(thread);
    while (!taken_.insert(own).second) own += "v";
    return own;
  }

 private:
  static constexpr int kMostBuffers = 512;
  std::set<std::string> taken_;
  int made_ = 0;
};

/// Serial loops and conditions around one call, which are one instruction of the device. What a thread of a
/// kernel calls is one itself.
bool is_nest_of_a_call(const loop::Stmt& s) {
  if (const auto* call = s.as<loop::IntrinsicCall>()) return !grid::is_of_thread(call->name);
  if (const auto* n = s.as<loop::For>())
    return (n->kind == ForKind::Serial || n->kind == ForKind::Unrolled) && is_nest_of_a_call(*n->body);
  const auto* branch = s.as<loop::IfThenElse>();
  return branch && !branch->else_body && is_nest_of_a_call(*branch->then_body);
}

class Interleaver {
 public:
  Interleaver(const loop::For& threads, std::int64_t count, BufferNames& names)
      : threads_(threads), names_(names), own_(static_cast<std::size_t>(count)) {}

  StmtPtr run(const StmtPtr& s) {
    if (is_nest_of_a_call(*s)) return each(s);
    return std::visit(overloaded{
                          [&](const loop::For& n) {
                            if (differs(n.min) || differs(n.extent)) return each(s);
                            return loop::with_children(s, {run(n.body)});
                          },
                          [&](const loop::Allocate& n) { return allocate_for_each(n); },
                          [&](const loop::IfThenElse& n) { return branch(s, n); },
                          [&](const loop::Seq& n) {
                            std::vector<StmtPtr> list;
                            for (const StmtPtr& child : n.body) list.push_back(run(child));
                            return loop::seq(list);
                          },
                          [&](const loop::Store&) { return each(s); },
                          [&](const loop::IntrinsicCall&) { return each(s); },
                          [&](const loop::Tensorize&) { return each(s); },
                      },
                      s->node);
  }

 private:
  /// All virtual threads execute `s`, one after the other.
  StmtPtr each(const StmtPtr& s) const {
    StmtPtr guarded = s;
    for (auto condition = conditions_.rbegin(); condition != conditions_.rend(); ++condition)
      guarded = loop::if_then_else(*condition, guarded);
    if (is_the_same_for_all(guarded)) return guarded;
    std::vector<StmtPtr> list;
    for (std::size_t t = 0; t < own_.size(); ++t) {
      expr::Affine thread = expr::to_affine(threads_.min);
      thread.constant += static_cast<std::int64_t>(t);
      list.push_back(
          loop::substitute(replace_buffers(guarded, own_[t]), {{threads_.var, expr::to_expr(thread)}}));
    }
    return loop::seq(list);
  }

  /// Once is as good as once for each thread: the statement does not tell them apart, and does not read what
  /// it writes.
  bool is_the_same_for_all(const StmtPtr& s) const {
    bool uses_thread = false;
    loop::visit_expressions(s, [&](const ExprPtr& e) {
      uses_thread |= e->as<expr::VarRef>() && e->as<expr::VarRef>()->var == threads_.var;
    });
    if (uses_thread) return false;
    const Accesses a = accesses_of(s);
    const auto is_own = [&](const loop::Buffer* b) { return own_[0].contains(b); };
    return std::ranges::none_of(a.reads, is_own) &&
           std::ranges::none_of(a.writes, [&](const auto* b) { return is_own(b) || a.reads.contains(b); });
  }

  /// From thread to thread, or with what they store.
  bool differs(const ExprPtr& e) const { return expr::uses(e, threads_.var) || expr::reads_memory(e); }

  /// A condition that only the loops decide may stand around each statement instead.
  StmtPtr branch(const StmtPtr& s, const loop::IfThenElse& n) {
    if (differs(n.condition)) {
      if (n.else_body || expr::reads_memory(n.condition)) return each(s);
      conditions_.push_back(n.condition);
      StmtPtr body = run(n.then_body);
      conditions_.pop_back();
      return body;
    }
    std::vector<StmtPtr> inner = loop::children(s);
    for (StmtPtr& child : inner) child = run(child);
    return loop::with_children(s, inner);
  }

  /// One for all threads of a block.
  static bool is_of_block(const loop::Buffer& buffer) {
    return buffer.scope == expr::kSharedScope || buffer.scope == grid::kHeldScope;
  }

  /// Whether some thread stores something of its own to the buffer: what is stored, where, or under which
  /// condition depends on the thread, or on what one has allocated for itself.
  bool is_filled_apart(const loop::Buffer& buffer, const StmtPtr& s, bool depends) const {
    loop::map_expressions(s, [&](const ExprPtr& e) {
      depends |= expr::uses(e, threads_.var);
      expr::visit(e, [&](const ExprPtr& part) {
        const auto* load = part->as<expr::Load>();
        depends |= load && (load->buffer.get() == &buffer || own_[0].contains(load->buffer.get()));
      });
      return e;
    });
    const auto* store = s->as<loop::Store>();
    if (store) return depends && store->buffer.get() == &buffer;
    if (s->as<loop::IntrinsicCall>() || s->as<loop::Tensorize>()) {
      const Accesses accesses = accesses_of(s);
      return accesses.writes.contains(&buffer);
    }
    const auto* inner_memory = s->as<loop::Allocate>();
    if (inner_memory && inner_memory->buffer->scope != expr::kSharedScope) {
      const loop::Buffer& from = *inner_memory->buffer;
      const Accesses accesses = accesses_of(s);
      // Memory of a thread's own is not yet known to be the same for all.
      if (accesses.reads.contains(&from) && accesses.writes.contains(&buffer) &&
          fills_from(buffer, from, inner_memory->body) &&
          (!is_of_block(from) || is_filled_apart(from, inner_memory->body, depends)))
        return true;
    }
    const std::vector<StmtPtr> inner = loop::children(s);
    return std::ranges::any_of(inner,
                               [&](const StmtPtr& child) { return is_filled_apart(buffer, child, depends); });
  }

  /// Whether a store to `buffer` reads `from`.
  static bool fills_from(const loop::Buffer& buffer, const loop::Buffer& from, const StmtPtr& body) {
    bool found = false;
    loop::visit(body, [&](const StmtPtr& s) {
      const auto* store = s->as<loop::Store>();
      found |= store && store->buffer.get() == &buffer && accesses_of(s).reads.contains(&from);
    });
    return found;
  }

  StmtPtr allocate_for_each(const loop::Allocate& n) {
    const loop::Buffer& old = *n.buffer;
    if (is_of_block(old) && !is_filled_apart(old, n.body, !conditions_.empty()))
      return loop::allocate(n.buffer, run(n.body), n.parts, n.held);
    std::vector<loop::BufferPtr> buffers;
    for (std::size_t t = 0; t < own_.size(); ++t) {
      buffers.push_back(expr::make_buffer(names_.of_thread(old.name, static_cast<std::int64_t>(t)), old.dtype,
                                          old.shape, old.scope, old.strides));
      own_[t].insert_or_assign(&old,
                               Replacement{buffers[t], [](const std::vector<ExprPtr>& i) { return i; }});
    }
    StmtPtr body = run(n.body);
    for (auto b = buffers.rbegin(); b != buffers.rend(); ++b)
      body = loop::allocate(*b, body, n.parts, n.held);
    return body;
  }

  const loop::For& threads_;
  BufferNames& names_;
  std::vector<Replacements> own_;    ///< buffers by thread
  std::vector<ExprPtr> conditions_;  ///< around what is interleaved, outermost first
};

}  // namespace

loop::Func lower_vthreads(const loop::Func& func) {
  BufferNames names(func);
  const StmtPtr body = loop::rewrite(func.body, [&](const StmtPtr& s) -> StmtPtr {
    const auto* n = s->as<loop::For>();
    if (!n || n->kind != ForKind::VThread) return s;
    const auto count = expr::as_constant(n->extent);
    VDLA_CHECK_USER(count && *count > 0 && *count <= kMostVthreads)
        << "lower-vthreads: loop '" << n->var->name
        << "' needs a constant number of virtual threads from 1 to " << kMostVthreads
        << ", since each is written out; it has " << (count ? std::to_string(*count) : "no constant number")
        << ", split its axis and bind the inner part";
    return Interleaver(*n, *count, names).run(n->body);
  });
  return body == func.body ? func : loop::simplify(loop::Func{func.name, func.params, body});
}

}  // namespace vdla::passes
