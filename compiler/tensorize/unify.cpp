// SPDX-License-Identifier: Apache-2.0
// Structural unification: sums and products in any order, constants of sums folded, everything else node by
// node.
#include "compiler/tensorize/unify.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/expr/print.h"
#include "compiler/expr/visit.h"

namespace vdla::tensorize {

using expr::Binary;
using expr::BinaryOp;
using expr::ExprPtr;

namespace {

bool is_integer_sum(const ExprPtr& e) {
  const auto* n = e->as<Binary>();
  return n && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub) && expr::is_int(e->dtype);
}

struct Sum {
  std::vector<ExprPtr> plus, minus;
  std::int64_t constant = 0;
};

void flatten(const ExprPtr& e, bool negative, Sum& out) {
  if (const auto* imm = e->as<expr::IntImm>()) {
    out.constant += negative ? -imm->value : imm->value;
  } else if (is_integer_sum(e)) {
    const auto* n = e->as<Binary>();
    flatten(n->a, negative, out);
    flatten(n->b, negative != (n->op == BinaryOp::Sub), out);
  } else {
    (negative ? out.minus : out.plus).push_back(e);
  }
}

bool is_commutative(BinaryOp op) {
  switch (op) {
    case BinaryOp::Mul:
    case BinaryOp::Min:
    case BinaryOp::Max:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
    case BinaryOp::Eq:
    case BinaryOp::Ne:
      return true;
    default:
      return false;
  }
}

/// The dimension that the axis alone is the index of, or none: the number of dimensions.
std::size_t row_along(const expr::IterVar& axis, const std::vector<ExprPtr>& pattern) {
  const auto is_axis = [&](const ExprPtr& index) {
    const auto* ref = index->as<expr::VarRef>();
    return ref && ref->var == axis.var();
  };
  return static_cast<std::size_t>(std::ranges::find_if(pattern, is_axis) - pattern.begin());
}

std::string brief(const ExprPtr& e) {
  std::string text = expr::to_string(e);
  return text.size() <= 160 ? text : text.substr(0, 157) + "...";
}

}  // namespace

Unifier::Unifier(const intrinsics::Intrinsic& intrinsic, const std::vector<expr::IterVar>& axes,
                 const std::vector<NestLoop>& loops)
    : intrinsic_(intrinsic), axes_(axes), loops_(loops) {
  bindings_.operands.resize(intrinsic.inputs.size() + 1);
}

bool Unifier::fail(std::string reason) {
  if (depth_ > best_) {
    best_ = depth_;
    reason_ = std::move(reason);
  }
  return false;
}

const intrinsics::FreeAttribute* Unifier::attribute_of(const ExprPtr& e) const {
  const auto* ref = e->as<expr::VarRef>();
  if (!ref) return nullptr;
  const auto it = std::ranges::find_if(
      intrinsic_.attributes, [&](const intrinsics::FreeAttribute& a) { return a.variable == ref->var; });
  return it == intrinsic_.attributes.end() ? nullptr : &*it;
}

bool Unifier::bind_attribute(const intrinsics::FreeAttribute& attribute, std::int64_t value) {
  const auto& [variable, min, max] = attribute;
  if (value < min || value > max) {
    return fail(fmt::format("attribute '{}' would be {}, needs {} to {}", variable->name, value, min, max));
  }
  const auto [it, fresh] = bindings_.attributes.emplace(variable->name, value);
  if (!fresh && it->second != value) {
    return fail(fmt::format("attribute '{}' would be both {} and {}", variable->name, it->second, value));
  }
  ++depth_;
  return true;
}

bool Unifier::step_attribute(const intrinsics::FreeAttribute& attribute, const ExprPtr& seen) {
  const auto* imm = seen->as<expr::IntImm>();
  if (!imm)
    return fail(fmt::format("'{}' must be a constant, sees {}", attribute.variable->name, brief(seen)));
  return bind_attribute(attribute, imm->value);
}

bool Unifier::bind_output(const loop::Store& store) {
  std::vector<ExprPtr> pattern;
  for (const expr::IterVar& axis : intrinsic_.behaviour.axes) pattern.push_back(expr::var_ref(axis.var()));
  return bind_operand(0, intrinsic_.output, pattern, store.buffer, store.indices);
}

bool Unifier::bind_operand(std::size_t slot, const intrinsics::Operand& operand,
                           const std::vector<ExprPtr>& pattern, const expr::BufferPtr& buffer,
                           const std::vector<ExprPtr>& indices) {
  if (buffer->scope != operand.scope()) {
    return fail(fmt::format("operand '{}' must be in scope '{}', buffer '{}' is in '{}'", operand.role,
                            operand.scope(), buffer->name, buffer->scope));
  }
  if (buffer->dtype != operand.tensor.dtype()) {
    return fail(fmt::format("operand '{}' must be {}, buffer '{}' is {}", operand.role,
                            expr::name(operand.tensor.dtype()), buffer->name, expr::name(buffer->dtype)));
  }
  const std::vector<std::int64_t>& shape = operand.tensor.shape();
  const std::vector<std::int64_t> dense = expr::dense_strides(shape);
  std::vector<std::int64_t> strides = dense;
  expr::Linear origin = expr::linear_offset(*buffer, indices);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    std::int64_t wanted = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const auto* ref = pattern[d]->as<expr::VarRef>();
      if (ref && ref->var == axes_[i].var()) wanted += dense[d];
    }
    const std::int64_t stride = origin.take(loops_[i].var);
    if (origin.uses(loops_[i].var)) {
      return fail(
          fmt::format("the index of '{}' is not linear in loop '{}'", buffer->name, loops_[i].var->name));
    }
    const std::size_t row = operand.place.empty() ? shape.size() : row_along(axes_[i], pattern);
    if (row + 1 < shape.size() && stride > 0) {
      strides[row] = stride;
    } else if (stride != wanted) {
      return fail(fmt::format("operand '{}' needs stride {} of '{}' along loop '{}', sees {}", operand.role,
                              wanted, buffer->name, loops_[i].var->name, stride));
    }
  }
  std::int64_t row = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (const auto* imm = pattern[d]->as<expr::IntImm>()) row += imm->value * dense[d];
  }
  origin.constant -= row;
  std::optional<Bound>& bound = bindings_.operands[slot];
  if (bound) {
    if (bound->region.buffer == buffer && equal(bound->origin, origin)) {
      ++depth_;
      return true;
    }
    return fail(fmt::format("operand '{}' is not one block: '{}[{}]' does not follow '{}[{}]'", operand.role,
                            buffer->name, expr::to_string(origin.to_expr()), bound->region.buffer->name,
                            expr::to_string(bound->origin.to_expr())));
  }
  expr::Substitution zero;
  for (const NestLoop& l : loops_) zero[l.var] = expr::int_imm(0);
  loop::Region region{buffer, {}, shape, strides};
  for (const ExprPtr& index : indices)
    region.origin.push_back(expr::to_linear(expr::substitute(index, zero)).to_expr());
  // A read of a later row came first: step back along the dimension whose stride the rows have.
  for (std::size_t d = 0; d < indices.size() && row != 0; ++d) {
    if (buffer->strides[d] != dense[0]) continue;
    expr::Linear index = expr::to_linear(region.origin[d]);
    index.constant -= row / dense[0];
    region.origin[d] = index.to_expr();
    row = 0;
  }
  if (row != 0)
    return fail(fmt::format("rows of operand '{}' are not a dimension of '{}'", operand.role, buffer->name));
  bound = Bound{std::move(region), std::move(origin)};
  ++depth_;
  return true;
}

bool Unifier::unify(const ExprPtr& pattern, const ExprPtr& seen) { return step(pattern, seen); }

bool Unifier::step(const ExprPtr& pattern, const ExprPtr& seen) {
  if (const intrinsics::FreeAttribute* attribute = attribute_of(pattern))
    return step_attribute(*attribute, seen);
  if (pattern->dtype != seen->dtype) {
    return fail(fmt::format("expected {} `{}`, sees {} `{}`", expr::name(pattern->dtype), brief(pattern),
                            expr::name(seen->dtype), brief(seen)));
  }
  if (is_integer_sum(pattern)) return step_sum(pattern, seen);
  return step_node(pattern, seen);
}

bool Unifier::step_node(const ExprPtr& pattern, const ExprPtr& seen) {
  const auto mismatch = [&] {
    return fail(fmt::format("expected `{}`, sees `{}`", brief(pattern), brief(seen)));
  };
  if (const auto* read = pattern->as<expr::Read>()) {
    const auto* load = seen->as<expr::Load>();
    for (std::size_t i = 0; i < intrinsic_.inputs.size(); ++i) {
      if (intrinsic_.inputs[i].tensor.node() != read->tensor) continue;
      if (!load)
        return fail(fmt::format("operand '{}' must be an element of a buffer, sees `{}`",
                                intrinsic_.inputs[i].role, brief(seen)));
      return bind_operand(i + 1, intrinsic_.inputs[i], read->indices, load->buffer, load->indices);
    }
    return mismatch();
  }
  if (pattern->node.index() != seen->node.index()) return mismatch();
  if (const auto* binary = pattern->as<Binary>()) return step_binary(*binary, pattern, seen);
  if (const auto* imm = pattern->as<expr::IntImm>()) {
    if (seen->as<expr::IntImm>()->value != imm->value) return mismatch();
  } else if (const auto* number = pattern->as<expr::FloatImm>()) {
    if (seen->as<expr::FloatImm>()->value != number->value) return mismatch();
  } else if (const auto* call = pattern->as<expr::Call>()) {
    if (seen->as<expr::Call>()->function != call->function) return mismatch();
  } else if (!pattern->as<expr::Cast>() && !pattern->as<expr::Select>() && !pattern->as<expr::Not>()) {
    return mismatch();
  }
  ++depth_;
  const std::vector<ExprPtr> a = expr::children(pattern);
  const std::vector<ExprPtr> b = expr::children(seen);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!step(a[i], b[i])) return false;
  }
  return true;
}

bool Unifier::step_binary(const Binary& pattern, const ExprPtr& whole, const ExprPtr& seen) {
  const auto* n = seen->as<Binary>();
  if (n->op != pattern.op) return fail(fmt::format("expected `{}`, sees `{}`", brief(whole), brief(seen)));
  ++depth_;
  const Bindings before = bindings_;
  const int depth = depth_;
  if (step(pattern.a, n->a) && step(pattern.b, n->b)) return true;
  if (!is_commutative(pattern.op)) return false;
  bindings_ = before;
  depth_ = depth;
  return step(pattern.a, n->b) && step(pattern.b, n->a);
}

bool Unifier::step_sum(const ExprPtr& pattern, const ExprPtr& seen) {
  Sum wanted, found;
  flatten(pattern, false, wanted);
  flatten(seen, false, found);
  std::vector<const intrinsics::FreeAttribute*> free;
  std::erase_if(wanted.plus, [&](const ExprPtr& term) {
    const intrinsics::FreeAttribute* attribute = attribute_of(term);
    if (attribute) free.push_back(attribute);
    return attribute != nullptr;
  });
  if (wanted.plus.size() != found.plus.size() || wanted.minus.size() != found.minus.size()) {
    return fail(fmt::format("expected the sum `{}`, sees `{}`", brief(pattern), brief(seen)));
  }
  std::int64_t rest = expr::wrap(seen->dtype, found.constant - wanted.constant);
  if (free.empty() && rest != 0) {
    return fail(fmt::format("expected the constant {} in `{}`, sees {}", wanted.constant, brief(seen),
                            found.constant));
  }
  for (const intrinsics::FreeAttribute* attribute : free) {
    if (!bind_attribute(*attribute, rest)) return false;
    rest = 0;
  }
  ++depth_;
  return step_terms(wanted.minus, found.minus, 0) && step_terms(wanted.plus, found.plus, 0);
}

bool Unifier::step_terms(const std::vector<ExprPtr>& patterns, std::vector<ExprPtr> seen, std::size_t at) {
  if (at == patterns.size()) return true;
  const Bindings before = bindings_;
  const int depth = depth_;
  for (std::size_t i = at; i < seen.size(); ++i) {
    std::swap(seen[at], seen[i]);
    if (step(patterns[at], seen[at]) && step_terms(patterns, seen, at + 1)) return true;
    std::swap(seen[at], seen[i]);
    bindings_ = before;
    depth_ = depth;
  }
  return false;
}

loop::IntrinsicCall Unifier::call() const {
  loop::IntrinsicCall call;
  call.name = intrinsic_.name;
  call.outputs.push_back(bindings_.operands[0]->region);
  for (std::size_t i = 1; i < bindings_.operands.size(); ++i)
    call.inputs.push_back(bindings_.operands[i]->region);
  for (const intrinsics::FreeAttribute& attribute : intrinsic_.attributes) {
    const std::string& name = attribute.variable->name;
    call.attributes.push_back(
        {name, expr::int_imm(bindings_.attributes.at(name), attribute.variable->dtype)});
  }
  return call;
}

}  // namespace vdla::tensorize
