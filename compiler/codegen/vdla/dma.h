// SPDX-License-Identifier: Apache-2.0
// A copy nest becomes LOAD or STORE instructions: runs of whole pieces, then positions along x, rows along y,
// planes along z. What needs more dimensions than that is unrolled.
#pragma once

#include "compiler/codegen/vdla/compute.h"
#include "compiler/codegen/vdla/place.h"
#include "compiler/codegen/vdla/stream.h"
#include "compiler/codegen/vdla/task.h"
#include "isa/spec/geometry.h"

namespace vdla::codegen {

/// Appends to `out`. A load of a constant reads nothing of `dram`.
void emit_copy(const Task& task, const NestInstance& nest, const SramPlace& sram, const DramPlace& dram,
               const isa::Geometry& geometry, std::size_t source, Stream& out);

}  // namespace vdla::codegen
