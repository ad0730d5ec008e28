// SPDX-License-Identifier: Apache-2.0
// The stream while it is built: instructions in program order, without micro-op addresses and tokens.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "compiler/codegen/vdla/kernel.h"
#include "isa/codec/insn.h"

namespace vdla::codegen {

/// The largest count that an instruction's field holds.
inline constexpr std::int64_t kMaxCount = std::numeric_limits<std::uint16_t>::max();

inline constexpr std::size_t kNoKernel = static_cast<std::size_t>(-1);

struct StreamInsn {
  isa::Insn insn;
  std::size_t source = 0;          ///< index into the table of sources
  std::size_t kernel = kNoKernel;  ///< of a gemm
};

using Stream = std::vector<StreamInsn>;

}  // namespace vdla::codegen
