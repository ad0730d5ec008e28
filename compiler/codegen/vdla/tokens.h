// SPDX-License-Identifier: Apache-2.0
// Dependence tokens for a straight-line stream, in one pass: read-after-write, write-after-read and
// write-after-write between different units, over entries of SRAM and bytes of DRAM, less what other tokens
// already order.
#pragma once

#include "compiler/codegen/vdla/stream.h"
#include "isa/spec/geometry.h"

namespace vdla::codegen {

/// Sets pop and push of every instruction. Channels never hold more than token_depth tokens when the stream
/// runs in program order, so that order is one that the machine can always take: the stream is free of
/// deadlock for every queue depth.
void insert_tokens(Stream& stream, const KernelTable& kernels, const isa::Geometry& geometry);

}  // namespace vdla::codegen
