// SPDX-License-Identifier: Apache-2.0
// Refuses what kernels cannot have. The pass 'place-threads' refuses more: it decides which threads run what.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

/// Checks a function after 'place-threads'. UserError that names what a kernel of it cannot have: too many
/// threads in a block, too much memory, a grid that is no constant, a barrier that only some threads reach.
void check_kernels(const loop::Func& func);

}  // namespace vdla::passes
