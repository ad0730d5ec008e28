// SPDX-License-Identifier: Apache-2.0
// A copy nest becomes LOAD or STORE instructions: runs of whole pieces, then positions along x, rows along y,
// planes along z. What needs more dimensions than that is unrolled.
#pragma once

#include "compiler/codegen/vdla/compute.h"
#include "compiler/codegen/vdla/place.h"
#include "compiler/codegen/vdla/stream.h"
#include "compiler/codegen/vdla/task.h"

namespace vdla::codegen {

/// Appends to `out`, with its last source. A load of a constant reads nothing of `dram`.
void emit_copy(const Task& task, const NestInstance& nest, const SramPlace& sram, const DramPlace& dram,
               Stream& out);

}  // namespace vdla::codegen
