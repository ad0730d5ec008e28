// SPDX-License-Identifier: Apache-2.0
// Storage rewrite: allocations of one block with the same element type and memory, whose first and last use
// do not overlap, share one memory of the larger one's size.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func rewrite_storage(const loop::Func& func);

}  // namespace vdla::passes
