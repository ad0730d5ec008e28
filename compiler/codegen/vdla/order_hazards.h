// SPDX-License-Identifier: Apache-2.0
// What instructions must wait for: read after write, write after read and write after write between different
// units, over entries of SRAM and bytes of DRAM.
#pragma once

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Adds to StreamInsn::after. What its unit has waited for before is left out.
void order_hazards(Stream& stream);

}  // namespace vdla::codegen
