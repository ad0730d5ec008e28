// SPDX-License-Identifier: Apache-2.0
// Effects of instructions on the machine's data, for every engine that decides on its own when: buffers,
// kernels, windows, memory.
#pragma once

#include <optional>

#include "isa/codec/insn.h"
#include "isa/semantics/state.h"
#include "sim/functional/gemm.h"
#include "sim/functional/simd.h"
#include "sim/memory.h"

namespace vdla::sim {

class Core {
 public:
  Core(const isa::Geometry& geometry, Memory& memory, Simd simd);

  /// A legal instruction, to its end or to its first fault.
  std::optional<isa::Fault> execute(const isa::Insn& insn, const isa::Windows& windows);

  const isa::Sram& sram() const { return sram_; }

 private:
  std::optional<isa::Fault> move(const isa::MemoryInsn& insn, const isa::Windows& windows);

  isa::Sram sram_;
  Memory& memory_;
  Simd simd_;
  GemmKernel gemm_;
};

/// Bytes that an instruction reads from or writes to DRAM (0 for gemm, vector, finish).
std::uint64_t dram_bytes(const isa::Insn& insn, const isa::Geometry& geometry);

}  // namespace vdla::sim
