// SPDX-License-Identifier: Apache-2.0
// The row of the tables of machines with a grid: operations of threads and warps
// (compiler/intrinsics/grid.h).
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::tensorize {

/// Marks of intrinsics::grid_intrinsics() become calls, and so does what sets sums to zero in front of those
/// of warps. UserError where one does not match; marks of others stay.
loop::Func tensorize_for_grid(const loop::Func& func);

}  // namespace vdla::tensorize
