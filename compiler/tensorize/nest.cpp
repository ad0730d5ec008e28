// SPDX-License-Identifier: Apache-2.0
// Taking a perfect nest apart.
#include "compiler/tensorize/nest.h"

#include <fmt/format.h>

#include "compiler/expr/print.h"
#include "compiler/expr/visit.h"

namespace vdla::tensorize {
namespace {

loop::StmtPtr substituted_store(const loop::Store& store, const expr::Substitution& values) {
  if (values.empty()) return loop::store(store.buffer, store.indices, store.value);
  std::vector<loop::ExprPtr> indices;
  for (const loop::ExprPtr& index : store.indices) indices.push_back(expr::substitute(index, values));
  return loop::store(store.buffer, std::move(indices), expr::substitute(store.value, values));
}

}  // namespace

std::optional<Nest> take_nest(const loop::StmtPtr& s, std::string& reason) {
  Nest nest;
  expr::Substitution fixed;
  const loop::Stmt* at = s.get();
  while (true) {
    if (const auto* loop_ = at->as<loop::For>()) {
      const auto* min = loop_->min->as<expr::IntImm>();
      const auto* extent = loop_->extent->as<expr::IntImm>();
      if (!min || !extent) {
        reason = fmt::format("loop '{}' has no constant extent: {}", loop_->var->name,
                             expr::to_string(loop_->extent));
        return std::nullopt;
      }
      if (extent->value == 1) {
        fixed[loop_->var] = expr::int_imm(min->value);
      } else if (min->value != 0) {
        reason = fmt::format("loop '{}' starts at {}, needs 0", loop_->var->name, min->value);
        return std::nullopt;
      } else {
        nest.loops.push_back({loop_->var, extent->value});
      }
      at = loop_->body.get();
    } else if (const auto* branch = at->as<loop::IfThenElse>(); branch && !branch->else_body) {
      nest.conditions.push_back(expr::substitute(branch->condition, fixed));
      at = branch->then_body.get();
    } else if (const auto* store = at->as<loop::Store>()) {
      nest.holder = substituted_store(*store, fixed);
      nest.store = nest.holder->as<loop::Store>();
      return nest;
    } else {
      reason =
          "more than one statement stands inside the tensorized axis; compute the other stages outside it";
      return std::nullopt;
    }
  }
}

}  // namespace vdla::tensorize
