// SPDX-License-Identifier: Apache-2.0
// Evaluation of index expressions.
#include "compiler/codegen/vdla/index.h"

#include "compiler/expr/arith.h"
#include "compiler/expr/print.h"
#include "support/error.h"

namespace vdla::codegen {

using expr::ExprPtr;

std::size_t Environment::slot(const expr::VarPtr& var) {
  const auto [it, fresh] = slots_.emplace(var.get(), values_.size());
  if (fresh) values_.push_back(0);
  return it->second;
}

std::int64_t Environment::evaluate(const ExprPtr& e) const {
  if (const auto* imm = e->as<expr::IntImm>()) return imm->value;
  if (const auto* ref = e->as<expr::VarRef>()) {
    const auto it = slots_.find(ref->var.get());
    VDLA_CHECK(it != slots_.end()) << "variable '" << ref->var->name << "' has no value here";
    return values_[it->second];
  }
  if (const auto* n = e->as<expr::Binary>())
    return expr::evaluate(n->op, n->a->dtype, evaluate(n->a), evaluate(n->b));
  if (const auto* n = e->as<expr::Not>())
    return expr::wrap(e->dtype, e->dtype == expr::DType::Bool ? !evaluate(n->a) : ~evaluate(n->a));
  if (const auto* n = e->as<expr::Select>())
    return evaluate(n->condition) != 0 ? evaluate(n->on_true) : evaluate(n->on_false);
  if (const auto* n = e->as<expr::Cast>()) return expr::wrap(e->dtype, evaluate(n->a));
  VDLA_CHECK_USER(false) << "`" << expr::to_string(e)
                         << "` cannot be evaluated at compile time; indices and conditions around "
                         << "intrinsics may only use loop variables and integer arithmetic";
  return 0;
}

Index::Index(const expr::Linear& linear, Environment& environment) : constant_(linear.constant) {
  for (const auto& [atom, coefficient] : linear.terms) {
    if (const auto* ref = atom->as<expr::VarRef>()) {
      terms_.emplace_back(environment.slot(ref->var), coefficient);
    } else {
      others_.emplace_back(atom, coefficient);
    }
  }
}

std::int64_t Index::evaluate(const Environment& environment) const {
  std::int64_t value = constant_;
  for (const auto& [slot, coefficient] : terms_) value += coefficient * environment.value(slot);
  for (const auto& [other, coefficient] : others_) value += coefficient * environment.evaluate(other);
  return value;
}

}  // namespace vdla::codegen
