// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/buffers.h"

#include "compiler/expr/memory.h"
#include "compiler/loop/visit.h"

namespace vdla::passes {
namespace {

using loop::ExprPtr;
using loop::StmtPtr;

}  // namespace

Accesses accesses_of(const StmtPtr& s) {
  Accesses result;
  loop::visit_expressions(s, [&](const ExprPtr& e) {
    if (const auto* load = e->as<expr::Load>()) result.reads.insert(load->buffer.get());
  });
  loop::visit(s, [&](const StmtPtr& inner) {
    if (const auto* store = inner->as<loop::Store>()) result.writes.insert(store->buffer.get());
    if (const auto* call = inner->as<loop::IntrinsicCall>()) {
      for (const loop::Region& region : call->inputs) result.reads.insert(region.buffer.get());
      for (const loop::Region& region : call->outputs) {
        result.reads.insert(region.buffer.get());
        result.writes.insert(region.buffer.get());
      }
    }
  });
  return result;
}

std::set<std::string> names_of(const StmtPtr& s) {
  std::set<std::string> names;
  loop::visit(s, [&](const StmtPtr& inner) {
    if (const auto* a = inner->as<loop::Allocate>()) names.insert(a->buffer->name);
    if (const auto* n = inner->as<loop::For>()) names.insert(n->var->name);
  });
  return names;
}

std::set<std::string> names_of(const loop::Func& func) {
  std::set<std::string> names = names_of(func.body);
  for (const loop::Param& param : func.params) names.insert(param.buffer->name);
  return names;
}

std::vector<ExprPtr> flat_index(const loop::Buffer& buffer, const std::vector<ExprPtr>& indices) {
  return {expr::to_expr(expr::flat_offset(buffer, indices))};
}

}  // namespace vdla::passes
