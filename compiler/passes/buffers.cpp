// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/buffers.h"

#include <algorithm>

#include "compiler/expr/memory.h"
#include "compiler/loop/visit.h"

namespace vdla::passes {
namespace {

using loop::ExprPtr;
using loop::StmtPtr;

bool meet(const std::set<const loop::Buffer*>& a, const std::set<const loop::Buffer*>& b) {
  return std::any_of(a.begin(), a.end(), [&](const loop::Buffer* buffer) { return b.contains(buffer); });
}

void replace_region(loop::Region& region, const Replacements& replacements) {
  auto found = replacements.find(region.buffer.get());
  if (found == replacements.end()) return;
  region.origin = found->second.map(region.origin);
  region.buffer = found->second.buffer;
}

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

bool independent(const Accesses& first, const Accesses& second) {
  return !meet(first.writes, second.reads) && !meet(first.reads, second.writes) &&
         !meet(first.writes, second.writes);
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

StmtPtr replace_buffers(const StmtPtr& s, const Replacements& replacements) {
  if (replacements.empty()) return s;
  auto in_expression = [&](const ExprPtr& e) {
    return expr::rewrite(e, [&](const ExprPtr& n) {
      const auto* load = n->as<expr::Load>();
      auto found = load ? replacements.find(load->buffer.get()) : replacements.end();
      return found == replacements.end() ? n
                                         : expr::load(found->second.buffer, found->second.map(load->indices));
    });
  };
  return loop::rewrite(s, [&](const StmtPtr& statement) {
    StmtPtr result = loop::map_expressions(statement, in_expression);
    if (const auto* store = result->as<loop::Store>()) {
      auto found = replacements.find(store->buffer.get());
      if (found == replacements.end()) return result;
      return loop::store(found->second.buffer, found->second.map(store->indices), store->value);
    }
    if (const auto* call = result->as<loop::IntrinsicCall>()) {
      loop::IntrinsicCall replaced = *call;
      for (loop::Region& region : replaced.outputs) replace_region(region, replacements);
      for (loop::Region& region : replaced.inputs) replace_region(region, replacements);
      return loop::intrinsic_call(std::move(replaced));
    }
    return result;
  });
}

std::vector<ExprPtr> flat_index(const loop::Buffer& buffer, const std::vector<ExprPtr>& indices) {
  return {expr::to_expr(expr::flat_offset(buffer, indices))};
}

}  // namespace vdla::passes
