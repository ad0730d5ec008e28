// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_vthreads.h"

#include <algorithm>

#include "compiler/expr/memory.h"
#include "compiler/loop/simplify.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::passes {
namespace {

using loop::ExprPtr;
using loop::ForKind;
using loop::StmtPtr;

class Interleaver {
 public:
  Interleaver(const loop::For& threads, std::int64_t count) : threads_(threads), count_(count) {}

  StmtPtr run(const StmtPtr& body) { return stmt(body); }

 private:
  /// All virtual threads execute `s`, one after the other.
  StmtPtr each(const StmtPtr& s) const {
    if (!depends(s)) {
      // The same for every thread; a statement twice is as good as once where it does not read what it
      // writes.
      Accesses a = accesses_of(s);
      bool repeats =
          std::none_of(a.writes.begin(), a.writes.end(), [&](const auto* b) { return a.reads.contains(b); });
      if (repeats) return s;
    }
    return loop::make_for(threads_.var, threads_.min, threads_.extent, ForKind::Unrolled, s);
  }

  /// From thread to thread, or with what they store.
  bool differs(const ExprPtr& e) const { return expr::uses(e, threads_.var) || expr::reads_memory(e); }
  bool depends(const StmtPtr& s) const {
    bool found = false;
    loop::visit_expressions(s, [&](const ExprPtr& e) {
      found |= e->as<expr::VarRef>() && e->as<expr::VarRef>()->var == threads_.var;
    });
    return found;
  }

  StmtPtr stmt(const StmtPtr& s) {
    return std::visit(overloaded{
                          [&](const loop::For& n) {
                            if (differs(n.min) || differs(n.extent)) return each(s);
                            return loop::with_children(s, {stmt(n.body)});
                          },
                          [&](const loop::Allocate& n) { return slice(n); },
                          [&](const loop::Store&) { return each(s); },
                          [&](const loop::IfThenElse& n) {
                            if (differs(n.condition)) return each(s);
                            std::vector<StmtPtr> inner = loop::children(s);
                            for (StmtPtr& child : inner) child = stmt(child);
                            return loop::with_children(s, inner);
                          },
                          [&](const loop::Seq& n) {
                            std::vector<StmtPtr> list;
                            for (const StmtPtr& child : n.body) list.push_back(stmt(child));
                            return loop::seq(list);
                          },
                          [&](const loop::IntrinsicCall&) { return each(s); },
                          [&](const loop::Tensorize&) { return each(s); },
                      },
                      s->node);
  }

  /// One buffer with a slice for each virtual thread.
  StmtPtr slice(const loop::Allocate& n) {
    const loop::Buffer& old = *n.buffer;
    std::vector<std::int64_t> shape{count_}, strides{expr::storage_size(old)};
    shape.insert(shape.end(), old.shape.begin(), old.shape.end());
    strides.insert(strides.end(), old.strides.begin(), old.strides.end());
    loop::BufferPtr slices = expr::make_buffer(old.name, old.dtype, shape, old.scope, strides);
    ExprPtr own = expr::to_expr(expr::to_affine(expr::var_ref(threads_.var)) - expr::to_affine(threads_.min));
    Replacements replacements;
    replacements.emplace(&old, Replacement{slices, [own](const std::vector<ExprPtr>& indices) {
                                             std::vector<ExprPtr> result{own};
                                             result.insert(result.end(), indices.begin(), indices.end());
                                             return result;
                                           }});
    return loop::allocate(slices, stmt(replace_buffers(n.body, replacements)), n.doubled);
  }

  const loop::For& threads_;
  std::int64_t count_;
};

StmtPtr lower_loop(const StmtPtr& s) {
  const auto* n = s->as<loop::For>();
  if (!n || n->kind != ForKind::VThread) return s;
  auto count = expr::as_constant(n->extent);
  VDLA_CHECK_USER(count && *count > 0)
      << "lower-vthreads: loop '" << n->var->name << "' needs a constant, positive number of virtual threads";
  return Interleaver(*n, *count).run(n->body);
}

}  // namespace

loop::Func lower_vthreads(const loop::Func& func) {
  StmtPtr body = loop::rewrite(func.body, lower_loop);
  return body == func.body ? func : loop::simplify(loop::Func{func.name, func.params, body});
}

}  // namespace vdla::passes
