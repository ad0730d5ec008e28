// SPDX-License-Identifier: Apache-2.0
// A copy nest becomes LOAD or STORE instructions: runs of whole pieces, then positions along x, rows along y,
// planes along z. A nest with more dimensions than that is split:
// each iteration of a dimension becomes a nest.
#pragma once

#include "compiler/codegen/vdla/compute.h"
#include "compiler/codegen/vdla/folded_nest.h"
#include "compiler/codegen/vdla/location.h"
#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Appends to `out`, with its last source. A load of a constant reads nothing of `dram`.
void emit_copy(const FoldedNest& task, const NestInstance& nest, const SramPlace& sram, const DramPlace& dram,
               Stream& out);

}  // namespace vdla::codegen
