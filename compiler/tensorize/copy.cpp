// SPDX-License-Identifier: Apache-2.0
// Matching copy nests.
#include "compiler/tensorize/copy.h"

#include <fmt/format.h>

#include "compiler/expr/linear.h"
#include "compiler/expr/print.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/tensorize/nest.h"

namespace vdla::tensorize {

using expr::ExprPtr;

namespace {

Match refuse(std::string reason) { return {nullptr, std::move(reason)}; }

/// The value of the store: the element read, the padding, the condition.
struct CopyValue {
  const expr::Load* load = nullptr;
  ExprPtr pad;
  ExprPtr inside;
  bool widens = false;
};

bool take_value(const ExprPtr& value, CopyValue& out) {
  if (const auto* load = value->as<expr::Load>()) {
    out.load = load;
    return true;
  }
  if (value->as<expr::IntImm>() && !out.widens && !out.inside) {
    out.pad = value;
    return true;
  }
  if (const auto* widening = value->as<expr::Cast>()) {
    out.widens = value->dtype == expr::DType::I32 && widening->a->dtype == expr::DType::I8;
    return out.widens && take_value(widening->a, out);
  }
  const auto* choice = value->as<expr::Select>();
  if (!choice || out.inside || !choice->on_false->as<expr::IntImm>()) return false;
  out.inside = choice->condition;
  out.pad = choice->on_false;
  return take_value(choice->on_true, out);
}

/// The region that the loops walk over; the origin has every loop at 0.
bool take_region(const Nest& nest, const expr::BufferPtr& buffer, const std::vector<ExprPtr>& indices,
                 loop::Region& out, std::string& reason) {
  out.buffer = buffer;
  std::vector<expr::Linear> origin;
  for (const ExprPtr& index : indices) origin.push_back(expr::to_linear(index));
  for (const NestLoop& l : nest.loops) {
    std::int64_t stride = 0;
    for (std::size_t d = 0; d < origin.size(); ++d) stride += origin[d].take(l.var) * buffer->strides[d];
    out.extents.push_back(l.extent);
    out.strides.push_back(stride);
  }
  for (const expr::Linear& index : origin) {
    for (const NestLoop& l : nest.loops) {
      if (!index.uses(l.var)) continue;
      reason = fmt::format("an index of '{}' is not linear in loop '{}'; split the loop, or copy outside it",
                           buffer->name, l.var->name);
      return false;
    }
    out.origin.push_back(index.to_expr());
  }
  return true;
}

/// bound<c> + sum(bound<c>.<d> * e_d) >= 0.
bool append_bounds(const Nest& nest, const ExprPtr& condition, std::string_view kind,
                   loop::IntrinsicCall& call, int& count, std::string& reason) {
  const auto terms = expr::conjunction(condition);
  if (!terms) {
    reason = fmt::format("the condition `{}` is not a conjunction of bounds", expr::to_string(condition));
    return false;
  }
  for (expr::Linear term : *terms) {
    const std::string name = fmt::format("{}{}", kind, count++);
    std::vector<loop::Attribute> coefficients;
    for (std::size_t d = 0; d < nest.loops.size(); ++d) {
      const std::int64_t coefficient = term.take(nest.loops[d].var);
      if (term.uses(nest.loops[d].var)) {
        reason = fmt::format("the condition `{}` is not linear in loop '{}'", expr::to_string(condition),
                             nest.loops[d].var->name);
        return false;
      }
      if (coefficient != 0)
        coefficients.push_back({fmt::format("{}.{}", name, d), expr::int_imm(coefficient)});
    }
    call.attributes.push_back({name, term.to_expr()});
    call.attributes.insert(call.attributes.end(), coefficients.begin(), coefficients.end());
  }
  return true;
}

std::string check_places(const std::string& name, const loop::Store& store, const CopyValue& value) {
  const expr::Buffer& dst = *store.buffer;
  const expr::Buffer* src = value.load ? value.load->buffer.get() : nullptr;
  if (name == intrinsics::kStore) {
    if (!src) return "a store reads an element of scope 'out', not a constant";
    if (dst.scope != expr::kGlobalScope)
      return fmt::format("a store writes to DRAM, '{}' is in scope '{}'", dst.name, dst.scope);
    if (src->scope != "out")
      return fmt::format("a store reads from scope 'out', '{}' is in '{}'", src->name, src->scope);
    if (value.pad) return "a store has no padding; use `if`";
    return {};
  }
  const auto buffer = intrinsics::buffer_of(dst.scope);
  if (!buffer || *buffer == isa::Buffer::Acc || *buffer == isa::Buffer::Uop) {
    return fmt::format("a load writes to scope 'inp', 'wgt', 'out' or 'par', '{}' is in '{}'", dst.name,
                       dst.scope);
  }
  if (src && src->scope != expr::kGlobalScope)
    return fmt::format("a load reads from DRAM, '{}' is in scope '{}'", src->name, src->scope);
  if (dst.dtype != intrinsics::dtype_of(*buffer)) {
    return fmt::format("'{}' in scope '{}' must be {}, is {}", dst.name, dst.scope,
                       expr::name(intrinsics::dtype_of(*buffer)), expr::name(dst.dtype));
  }
  return {};
}

}  // namespace

Match match_copy(const loop::StmtPtr& s, const std::string& name) {
  std::string reason;
  const std::optional<Nest> nest = take_nest(s, reason);
  if (!nest) return refuse(reason);
  const loop::Store& store = *nest->store;
  CopyValue value;
  if (!take_value(store.value, value)) {
    return refuse(
        fmt::format("not a copy: `{}`; a copy is an element, i32(element) into par, select(inside, element, "
                    "constant), or "
                    "a constant",
                    expr::to_string(store.value)));
  }
  reason = check_places(name, store, value);
  if (!reason.empty()) return refuse(reason);
  loop::IntrinsicCall call{name, {loop::Region{}}, {}, {}, nullptr};
  if (!take_region(*nest, store.buffer, store.indices, call.outputs[0], reason)) return refuse(reason);
  if (value.load &&
      !take_region(*nest, value.load->buffer, value.load->indices, call.inputs.emplace_back(), reason)) {
    return refuse(reason);
  }
  if (value.pad) call.attributes.push_back({"pad", value.pad});
  int guards = 0, bounds = 0;
  for (const ExprPtr& condition : nest->conditions) {
    if (!append_bounds(*nest, condition, intrinsics::kGuard, call, guards, reason)) return refuse(reason);
  }
  if (value.inside && !append_bounds(*nest, value.inside, intrinsics::kBound, call, bounds, reason))
    return refuse(reason);
  return {loop::intrinsic_call(std::move(call)), ""};
}

}  // namespace vdla::tensorize
