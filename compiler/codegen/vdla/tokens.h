// SPDX-License-Identifier: Apache-2.0
// Dependence tokens for a straight-line stream, in one pass: read-after-write, write-after-read and
// write-after-write between different units, over entries of SRAM and bytes of DRAM, less what other tokens
// already order.
//
// A matrix step also waits until the vector unit has read the accumulators of earlier tiles in its bank: gemm
// goes first there in each cycle, so a tile that it overtook would lie until gemm leaves the bank again.
#pragma once

#include <cstdint>

#include "compiler/codegen/vdla/stream.h"
#include "isa/spec/geometry.h"

namespace vdla::codegen {

/// Whether units work at the same time.
enum class Latency : std::uint8_t {
  Hidden,   ///< an instruction waits for what it needs
  Exposed,  ///< and for all before it on other units: one unit works at a time
};

/// Sets pop and push of every instruction. Channels never hold more than token_depth tokens when the stream
/// runs in program order, so that order is one that the machine can always take: the stream is free of
/// deadlock for every queue depth.
void insert_tokens(Stream& stream, const KernelTable& kernels, const isa::Geometry& geometry,
                   Latency latency = Latency::Hidden);

}  // namespace vdla::codegen
