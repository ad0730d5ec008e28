// SPDX-License-Identifier: Apache-2.0
// Boxes of index values: what part of a tensor is read when some loop variables stand still and others run.
#pragma once

#include <optional>
#include <unordered_set>

#include "compiler/expr/affine.h"

namespace vdla::lower {

/// The values min, ..., min + span.
struct Range {
  expr::Affine min;
  std::int64_t span;
};

/// The smallest box that the analysis finds around `index` while the `running` variables take all values of
/// their ranges; `min` uses the others only. Nothing where no finite bound is known.
std::optional<Range> range_of(const expr::ExprPtr& index, const expr::Ranges& ranges,
                              const std::unordered_set<expr::VarPtr>& running);

/// A range around both.
std::optional<Range> unite(const Range& a, const Range& b, const expr::Ranges& ranges);

}  // namespace vdla::lower
