// SPDX-License-Identifier: Apache-2.0
// The intrinsics of machines with a grid: those of a thread and those of a warp.
#pragma once

#include <vector>

#include "compiler/intrinsics/intrinsic.h"

namespace vdla::intrinsics {

const std::vector<Intrinsic>& grid_intrinsics();

/// A call of theirs, of buffers of one dimension, as the loops that it means, for machines that have no such
/// operation. UserError for a call that none of them is.
loop::StmtPtr loops_of_operation(const loop::IntrinsicCall& call);

/// UserError where no operation of that name has the call's operands.
void require_operation(const loop::IntrinsicCall& call);

}  // namespace vdla::intrinsics
