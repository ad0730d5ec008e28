// SPDX-License-Identifier: Apache-2.0
// The DRAM side of a LOAD or STORE as bursts: runs of bytes in the order of the pattern, contiguous ones
// joined, cut at 256-byte boundaries, as the RTL's vdla_dma_request does. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"

namespace vdla::sim {

struct DmaBurst {
  std::uint64_t address = 0;
  unsigned bytes = 0;
  unsigned parts = 0;  ///< pieces of runs that were joined; the walker takes a cycle for each
};

std::vector<DmaBurst> bursts_of(const isa::MemoryInsn& insn, const isa::Geometry& geometry,
                                std::uint64_t window_base);

}  // namespace vdla::sim
