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
      : geometry_(geometry), image_(std::move(image)), entries_(geometry.uop_depth) {}

  /// A load into the buffer. What is not a whole micro-op of the image becomes a zero one.
  void load(const MemoryInsn& insn) {
    for_each_run(insn, geometry_, [&](const MemoryRun& run) {
      for (unsigned r = 0; r < insn.run; ++r) {
        const std::uint64_t offset = run.offset + std::uint64_t{r} * kUopBytes;
        const auto entry = static_cast<std::uint16_t>(run.entry + r);
        const bool known = insn.window == Window::Uop && !run.pad && offset % kUopBytes == 0 &&
                           offset / kUopBytes < image_.size();
        if (entry < entries_.size()) entries_[entry] = known ? image_[offset / kUopBytes] : Uop{};
      }
      return true;
    });
  }

  /// Those of a gemm that are inside the buffer.
  std::span<const Uop> used(const GemmInsn& gemm) const {
    const std::size_t begin = std::min<std::size_t>(gemm.uop_begin, entries_.size());
    return std::span(entries_).subspan(begin, std::min<std::size_t>(gemm.uop_count, entries_.size() - begin));
  }

 private:
  Geometry geometry_;
  std::vector<Uop> image_, entries_;
};

}  // namespace vdla::isa
