// SPDX-License-Identifier: Apache-2.0
#include "compiler/expr/memory.h"

#include "compiler/expr/visit.h"

namespace vdla::expr {

bool reads_memory(const ExprPtr& e) {
  bool found = false;
  visit(e, [&](const ExprPtr& part) { found |= part->as<Load>() != nullptr; });
  return found;
}

Affine flat_offset(const Buffer& buffer, const std::vector<ExprPtr>& indices) {
  Affine sum;
  for (std::size_t d = 0; d < indices.size(); ++d) sum = sum + to_affine(indices[d]) * buffer.strides[d];
  return sum;
}

}  // namespace vdla::expr
