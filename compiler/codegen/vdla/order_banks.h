// SPDX-License-Identifier: Apache-2.0
// For speed, not for the result: a matrix step also waits until the vector unit has read the accumulators of
// earlier tiles in its bank. Gemm goes first there in each cycle, so a tile that it overtook would lie until
// gemm leaves the bank again.
#pragma once

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Adds to StreamInsn::after. What its unit has waited for before for this reason is left out.
void order_banks(Stream& stream);

}  // namespace vdla::codegen
