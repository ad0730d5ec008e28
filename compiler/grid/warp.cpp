// SPDX-License-Identifier: Apache-2.0
#include "compiler/grid/warp.h"

#include "compiler/expr/memory.h"
#include "support/ceil_div.h"

namespace vdla::grid {

bool is_fragment(const expr::Buffer& buffer) {
  return buffer.scope == kLeftScope || buffer.scope == kRightScope || buffer.scope == kSumScope;
}

bool is_of_warp(std::string_view intrinsic) {
  return intrinsic == kLoadLeft || intrinsic == kLoadRight || intrinsic == kFillSums ||
         intrinsic == kMultiply;
}

Owner owner_of_sum(std::int64_t row, std::int64_t column) {
  return {row % 8 * 4 + column / 2, row / 8 * 2 + column % 2};
}

std::int64_t bytes_of_thread(const expr::Buffer& buffer) {
  const std::int64_t bytes = expr::storage_size(buffer) * expr::bytes(buffer.dtype);
  return is_fragment(buffer) ? ceil_div(bytes, kWarpLanes) : bytes;
}

expr::ExprPtr offset_of(const loop::Region& region, expr::Ranges& ranges) {
  expr::Affine sum = expr::flat_offset(*region.buffer, region.origin);
  for (std::size_t d = 0; d < region.extents.size(); ++d) {
    const expr::VarPtr axis = expr::make_var("e" + std::to_string(d));
    ranges[axis] = {0, region.extents[d] - 1};
    sum = sum + expr::to_affine(expr::var_ref(axis)) * region.strides[d];
  }
  return expr::to_expr(sum);
}

expr::ExprPtr common_row_of(const loop::Region& region, const expr::Ranges& ranges) {
  const expr::Buffer& buffer = *region.buffer;
  if (buffer.shape.size() < 2) return nullptr;
  loop::Region within = region;
  within.origin[0] = expr::int_imm(0);
  expr::Ranges own = ranges;
  const auto reach = expr::bounds(offset_of(within, own), own);
  return reach && reach->low >= 0 && reach->high < buffer.strides[0] ? region.origin[0] : nullptr;
}

}  // namespace vdla::grid
