// SPDX-License-Identifier: Apache-2.0
// Micro-op residency: where in the uop buffer each gemm finds its micro-kernel, and the LOADs that bring
// kernels there. Few micro-ops are loaded once at the start; else a kernel is loaded before its first use, in
// place of those unused for longest.
#pragma once

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Sets uop_begin of every gemm and inserts loads from window uop, in which the kernels of the stream lie one
/// after the other. Needs a stream without marks.
void place_uops(Stream& stream);

}  // namespace vdla::codegen
