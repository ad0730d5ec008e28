// SPDX-License-Identifier: Apache-2.0
#include "compiler/expr/memory.h"

#include "compiler/expr/visit.h"

namespace vdla::expr {

bool reads_memory(const ExprPtr& e) {
  bool found = false;
  visit(e, [&](const ExprPtr& part) { found |= part->as<Load>() != nullptr; });
  return found;
}

bool may_divide_by_zero(const ExprPtr& e) {
  const auto* n = e->as<Binary>();
  if (!n || is_float(e->dtype)) return false;
  if (auto divisor = as_constant(n->b); divisor && *divisor != 0) return false;
  return n->op == BinaryOp::Div || n->op == BinaryOp::Rem || n->op == BinaryOp::FloorDiv ||
         n->op == BinaryOp::FloorMod;
}

bool may_trap(const ExprPtr& e) {
  bool found = false;
  visit(e, [&](const ExprPtr& part) { found |= may_divide_by_zero(part); });
  return found;
}

Affine flat_offset(const Buffer& buffer, const std::vector<ExprPtr>& indices) {
  Affine sum;
  for (std::size_t d = 0; d < indices.size(); ++d) sum = sum + to_affine(indices[d]) * buffer.strides[d];
  return sum;
}

}  // namespace vdla::expr
