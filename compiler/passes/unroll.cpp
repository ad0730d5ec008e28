// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/unroll.h"

#include "compiler/expr/memory.h"
#include "compiler/loop/simplify.h"
#include "compiler/loop/visit.h"

namespace vdla::passes {
namespace {

using loop::StmtPtr;

StmtPtr unroll_loop(const StmtPtr& s) {
  const auto* loop = s->as<loop::For>();
  if (!loop || loop->kind != loop::ForKind::Unrolled) return s;
  auto extent = expr::as_constant(loop->extent);
  if (!extent || expr::reads_memory(loop->min)) return s;  // each copy would read anew
  std::vector<StmtPtr> copies;
  for (std::int64_t i = 0; i < *extent; ++i) {
    loop::ExprPtr value = expr::to_expr(expr::to_affine(loop->min) + expr::Affine{{}, i});
    copies.push_back(loop::substitute(loop->body, {{loop->var, value}}));
  }
  return loop::seq(copies);
}

}  // namespace

loop::Func unroll(const loop::Func& func) {
  StmtPtr body = loop::rewrite(func.body, unroll_loop);
  return body == func.body ? func : loop::simplify(loop::Func{func.name, func.params, body});
}

}  // namespace vdla::passes
