// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/bursts.h"

#include <algorithm>

#include "isa/semantics/nest.h"

namespace vdla::sim {

BurstWalker::BurstWalker(const isa::MemoryInsn& insn, const isa::Geometry& geometry,
                         std::uint64_t window_base, unsigned burst_bytes)
    : burst_bytes_(burst_bytes),
      base_(window_base),
      offset_(insn.dram_offset),
      run_bytes_(std::uint64_t{insn.run} * isa::piece_bytes(insn, geometry)),
      x_stride_(insn.x_dram_stride),
      y_stride_(insn.y_dram_stride),
      z_stride_(insn.z_dram_stride),
      x_count_(insn.x_count),
      y_count_(insn.y_count),
      z_count_(insn.z_count) {
  if (x_count_ != 0 && y_count_ != 0 && z_count_ != 0) begin_run();
}

void BurstWalker::begin_run() {
  constexpr std::uint64_t kOffsetMask = (1ull << 48) - 1;
  const std::uint64_t offset = offset_ + z_ * z_stride_ + y_ * y_stride_ + x_ * x_stride_;
  address_ = base_ + (offset & kOffsetMask);
  left_ = run_bytes_;
  if (++x_ < x_count_) return;
  x_ = 0;
  if (++y_ < y_count_) return;
  y_ = 0;
  ++z_;
}

DmaBurst BurstWalker::next() {
  DmaBurst burst{address_, 0, 0};
  for (;;) {
    const auto part =
        static_cast<unsigned>(std::min<std::uint64_t>(left_, burst_bytes_ - address_ % burst_bytes_));
    burst.bytes += part;
    ++burst.parts;
    address_ += part;
    left_ -= part;
    if (left_ == 0) {
      if (z_ == z_count_) return burst;
      begin_run();
    }
    const bool joins = address_ == burst.address + burst.bytes && address_ % burst_bytes_ != 0;
    if (!joins) return burst;
  }
}

}  // namespace vdla::sim
