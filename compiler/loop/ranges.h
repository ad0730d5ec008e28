// SPDX-License-Identifier: Apache-2.0
// The values that variables of loops take.
#pragma once

#include <optional>

#include "compiler/expr/affine.h"
#include "compiler/loop/stmt.h"

namespace vdla::loop {

/// From the first to the last one, where `ranges` has those of variables in its bounds. Nothing where that is
/// not known, or the loop has no iteration.
std::optional<expr::Interval> values_of(const For& loop, const expr::Ranges& ranges);

/// Puts them into the ranges, where they are known.
void add_values_of(const For& loop, expr::Ranges& ranges);

}  // namespace vdla::loop
