// SPDX-License-Identifier: Apache-2.0
// The row of the tables of machines with a grid: operations of warps (compiler/intrinsics/warp.h).
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::tensorize {

/// Marks of intrinsics::warp_intrinsics() become calls, and so does what sets sums to zero in front of them.
/// UserError where one does not match; marks of others stay.
loop::Func tensorize_for_warps(const loop::Func& func);

}  // namespace vdla::tensorize
