// SPDX-License-Identifier: Apache-2.0
#include "compiler/expr/difference.h"

#include <algorithm>

namespace vdla::expr {
namespace {

bool is_small(std::int64_t v) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  return -kLimit < v && v < kLimit;
}

}  // namespace

std::optional<Interval> difference_bounds(const ExprPtr& a, const ExprPtr& b, const Ranges& ranges) {
  auto r = bounds(a, ranges), s = bounds(b, ranges);
  std::int64_t low = 0, high = 0;
  if (!r || !s || __builtin_sub_overflow(r->low, s->high, &low) ||
      __builtin_sub_overflow(r->high, s->low, &high)) {
    return std::nullopt;
  }
  return bounds(to_affine(a) - to_affine(b), ranges);
}

bool has_room(const Affine& a) {
  return is_small(a.constant) &&
         std::all_of(a.terms.begin(), a.terms.end(), [](const auto& t) { return is_small(t.coefficient); });
}

bool has_room(const Interval& range) { return is_small(range.low) && is_small(range.high); }

}  // namespace vdla::expr
