// SPDX-License-Identifier: Apache-2.0
#include "compiler/expr/width.h"

#include <algorithm>

#include "compiler/expr/arith.h"
#include "compiler/expr/visit.h"

namespace vdla::expr {
namespace {

/// A shift of 32 bits takes fewer bits of the amount than one of an index.
bool shifts_alike(const Binary& n, const Ranges& ranges) {
  const auto amount = bounds(n.b, ranges);
  return amount && amount->low >= 0 && amount->high < 32;
}

}  // namespace

bool fits_32_bits(const Interval& range) { return range.low >= INT32_MIN && range.high <= INT32_MAX; }

bool fits_32_bits(const ExprPtr& e, const Ranges& ranges) {
  if (e->dtype == kIndex) {
    const auto range = bounds(e, ranges);
    if (!range || !fits_32_bits(*range)) return false;
    if (const auto* n = e->as<Binary>(); n && is_shift(n->op) && !shifts_alike(*n, ranges)) return false;
  }
  // Values of another type, and indices of their own, are no steps on the way.
  if (e->as<Load>() || e->as<Cast>()) return true;
  const std::vector<ExprPtr> operands = children(e);
  return std::ranges::all_of(operands, [&](const ExprPtr& operand) {
    return operand->dtype != kIndex || fits_32_bits(operand, ranges);
  });
}

}  // namespace vdla::expr
