// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/bursts.h"

#include <algorithm>

#include "isa/semantics/nest.h"
#include "sim/dram/dram.h"

namespace vdla::sim {

std::vector<DmaBurst> bursts_of(const isa::MemoryInsn& insn, const isa::Geometry& geometry,
                                std::uint64_t window_base) {
  constexpr std::uint64_t kOffsetMask = (1ull << 48) - 1;
  const std::uint64_t run_bytes = std::uint64_t{insn.run} * isa::piece_bytes(insn, geometry);
  std::vector<DmaBurst> bursts;
  for (unsigned z = 0; z < insn.z_count; ++z)
    for (unsigned y = 0; y < insn.y_count; ++y)
      for (unsigned x = 0; x < insn.x_count; ++x) {
        const std::uint64_t offset = insn.dram_offset + std::uint64_t{z} * insn.z_dram_stride +
                                     std::uint64_t{y} * insn.y_dram_stride +
                                     std::uint64_t{x} * insn.x_dram_stride;
        std::uint64_t address = window_base + (offset & kOffsetMask);
        for (std::uint64_t left = run_bytes; left > 0;) {
          const auto part = static_cast<unsigned>(
              std::min<std::uint64_t>(left, dram::kBusBurstBytes - address % dram::kBusBurstBytes));
          const bool joins = !bursts.empty() && bursts.back().address + bursts.back().bytes == address &&
                             address % dram::kBusBurstBytes != 0;
          if (!joins) bursts.push_back({address, 0, 0});
          bursts.back().bytes += part;
          ++bursts.back().parts;
          address += part;
          left -= part;
        }
      }
  return bursts;
}

}  // namespace vdla::sim
