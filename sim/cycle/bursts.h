// SPDX-License-Identifier: Apache-2.0
// The DRAM side of a LOAD or STORE as bursts: runs of bytes in the order of the pattern, contiguous ones
// joined, cut at multiples of the longest burst, as the RTL's vdla_dma_request does. Plain C++.
#pragma once

#include <cstdint>

#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"

namespace vdla::sim {

struct DmaBurst {
  std::uint64_t address = 0;
  unsigned bytes = 0;
  unsigned parts = 0;  ///< pieces of runs that were joined; the walker takes a cycle for each
};

/// Gives the bursts of one instruction in their order.
class BurstWalker {
 public:
  /// Has none.
  BurstWalker() = default;
  /// `burst_bytes` is a power of two.
  BurstWalker(const isa::MemoryInsn& insn, const isa::Geometry& geometry, std::uint64_t window_base,
              unsigned burst_bytes);

  bool done() const { return left_ == 0; }
  /// Needs one that is left.
  DmaBurst next();

 private:
  /// Nothing is left behind the last.
  void begin_run();

  unsigned burst_bytes_ = 0;  ///< bytes of the longest burst
  std::uint64_t base_ = 0, offset_ = 0, run_bytes_ = 0;
  std::uint64_t x_stride_ = 0, y_stride_ = 0, z_stride_ = 0;
  unsigned x_count_ = 0, y_count_ = 0, z_count_ = 0;
  unsigned x_ = 0, y_ = 0, z_ = 0;
  std::uint64_t address_ = 0, left_ = 0;  ///< rest of the run at hand
};

}  // namespace vdla::sim
