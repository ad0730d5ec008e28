// SPDX-License-Identifier: Apache-2.0
// The micro-op buffer as the loads of a program fill it: what tools that walk a program need to know what a
// gemm does.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "isa/semantics/nest.h"

namespace vdla::isa {

class UopBuffer {
 public:
  /// `image`: the micro-ops of window uop.
  UopBuffer(const Geometry& geometry, std::vector<Uop> image)
      : geometry_(geometry),
        image_(std::move(image)),
        entries_(geometry.uop_depth),
        known_(geometry.uop_depth) {}

  /// A load into the buffer. What is not a whole micro-op of the image becomes a zero one.
  void load(const MemoryInsn& insn) {
    MemoryInsn last = insn;
    // Planes that fall on the same entries: the last one stays.
    if (last.z_sram_stride == 0) {
      last.dram_offset += std::uint64_t{last.z_dram_stride} * (last.z_count - 1u);
      last.z_count = 1;
    }
    for_each_run(last, geometry_, [&](const MemoryRun& run) {
      for (unsigned r = 0; r < insn.run; ++r) {
        const std::uint64_t offset = run.offset + std::uint64_t{r} * kUopBytes;
        const auto entry = static_cast<std::uint16_t>(run.entry + r);
        const bool known = insn.window == Window::Uop && !run.pad && offset % kUopBytes == 0 &&
                           offset / kUopBytes < image_.size();
        if (entry >= entries_.size()) continue;
        entries_[entry] = known ? image_[offset / kUopBytes] : Uop{};
        known_[entry] = known;
      }
      return true;
    });
  }

  /// Whether an entry inside of the buffer holds a micro-op of the image.
  bool known(unsigned entry) const { return known_[entry]; }

  /// Micro-ops of a gemm that are inside the buffer.
  std::span<const Uop> used(const GemmInsn& gemm) const {
    const std::size_t begin = std::min<std::size_t>(gemm.uop_begin, entries_.size());
    return std::span(entries_).subspan(begin, std::min<std::size_t>(gemm.uop_count, entries_.size() - begin));
  }

 private:
  Geometry geometry_;
  std::vector<Uop> image_, entries_;
  std::vector<bool> known_;
};

}  // namespace vdla::isa
