// SPDX-License-Identifier: Apache-2.0
// Regions that an instruction reads and writes: boxes of entries in a buffer, or of bytes in a DRAM window.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "compiler/codegen/vdla/micro_kernels.h"
#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"

namespace vdla::codegen {

/// base + sum(i * stride) + [0, run), for all i below the counts.
struct Box {
  std::int64_t base = 0;
  std::int64_t run = 1;
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;  ///< (count, stride)
};

/// Calls f(begin, end) for intervals that cover the box; overlapping and touching ones are joined where one
/// dim shows it.
void for_each_interval(Box box, const std::function<void(std::int64_t, std::int64_t)>& f);

struct Access {
  bool dram = false;
  std::size_t space = 0;  ///< Buffer, or Window where in DRAM
  bool write = false;
  Box box;
};

/// All that the instruction reads and writes; `kernel` is the micro-kernel of a gemm (its uop range is not
/// included), null for others.
std::vector<Access> accesses_of(const isa::Insn& insn, const MicroKernel* kernel,
                                const isa::Geometry& geometry);

}  // namespace vdla::codegen
