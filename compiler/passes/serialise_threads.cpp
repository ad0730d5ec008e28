// SPDX-License-Identifier: Apache-2.0
// Threads in order, for a machine without a grid: loops over blocks and threads, and parallel loops inside of
// parallel ones, run in order; barriers then wait for no thread and go.
#include "compiler/loop/visit.h"
#include "compiler/passes/rows.h"

namespace vdla::passes {
namespace {

using loop::ForKind;
using loop::StmtPtr;

StmtPtr in_order(const StmtPtr& s, bool in_parallel) {
  const auto* call = s->as<loop::IntrinsicCall>();
  if (call && loop::is_barrier(*call)) return loop::nop();
  const auto* n = s->as<loop::For>();
  const bool is_parallel = n && n->kind == ForKind::Parallel;
  std::vector<StmtPtr> inner = loop::children(s);
  for (StmtPtr& child : inner) child = in_order(child, in_parallel || is_parallel);
  const bool serial =
      n && (expr::is_block(n->kind) || expr::is_thread(n->kind) || (is_parallel && in_parallel));
  return serial ? loop::make_for(n->var, n->min, n->extent, ForKind::Serial, inner[0])
                : loop::with_children(s, inner);
}

}  // namespace

loop::Func serialise_threads(const loop::Func& func) {
  return {func.name, func.params, in_order(func.body, false)};
}

}  // namespace vdla::passes
