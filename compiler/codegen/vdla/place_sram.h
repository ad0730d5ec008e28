// SPDX-License-Identifier: Apache-2.0
// Each instance gets entries of its buffer, in the order in which instances begin: those given back longest
// ago, so that consecutive tiles alternate and loads run ahead as far as there is room; accumulators in turn
// in both banks (compiler/codegen/vdla/sram.h). Nothing else is needed for double buffering. In a layer whose
// instances find no room that way, they take the first entries that are free.
#pragma once

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Leaves no instance and no mark. UserError where a buffer has no room: names it, need, have, layer and a
/// remedy.
void place_sram(Stream& stream);

}  // namespace vdla::codegen
