// SPDX-License-Identifier: Apache-2.0
// Micro-op residency: where in the uop buffer each gemm finds its micro-kernel, and the LOADs that bring
// kernels there.
#pragma once

#include "compiler/codegen/vdla/stream.h"
#include "isa/spec/geometry.h"

namespace vdla::codegen {

/// Sets uop_begin of every gemm and inserts loads from window uop, in which the kernels of the table lie one
/// after the other. Few micro-ops are loaded once at the start; else a kernel is loaded before its first use,
/// in place of those unused for longest.
void place_uops(Stream& stream, const KernelTable& kernels, const isa::Geometry& geometry);

}  // namespace vdla::codegen
