// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/core.h"

#include "isa/semantics/nest.h"
#include "sim/functional/move.h"
#include "sim/functional/vector.h"
#include "support/overloaded.h"

namespace vdla::sim {

Core::Core(const isa::Geometry& geometry, Memory& memory, Simd simd)
    : sram_(geometry), memory_(memory), simd_(simd), gemm_(geometry, simd) {}

std::optional<isa::Fault> Core::execute(const isa::Insn& insn, const isa::Windows& windows) {
  return std::visit(overloaded{
                        [&](const isa::MemoryInsn& i) { return move(i, windows); },
                        [&](const isa::GemmInsn& i) { return gemm_.run(i, sram_); },
                        [&](const isa::VectorInsn& i) { return run_vector(i, sram_, simd_); },
                        [&](const isa::FinishInsn&) { return std::optional<isa::Fault>(); },
                    },
                    insn);
}

std::optional<isa::Fault> Core::move(const isa::MemoryInsn& insn, const isa::Windows& windows) {
  auto fault = run_move(insn, sram_, windows, memory_);
  if (insn.opcode == isa::Opcode::Load && insn.buffer == isa::Buffer::Wgt) {
    const unsigned rows = sram_.geometry.rows(insn.buffer);
    const unsigned entries = (insn.x_total() + rows - 1) / rows * insn.run;
    for (unsigned z = 0; z < insn.z_count; ++z)
      for (unsigned y = 0; y < insn.y_total(); ++y)
        gemm_.weights_changed(
            static_cast<std::uint16_t>(insn.sram_base + z * insn.z_sram_stride + y * insn.y_sram_stride),
            entries);
  }
  return fault;
}

std::uint64_t dram_bytes(const isa::Insn& insn, const isa::Geometry& geometry) {
  const auto* move = std::get_if<isa::MemoryInsn>(&insn);
  if (move == nullptr) return 0;
  return std::uint64_t{move->x_count} * move->y_count * move->z_count * move->run *
         isa::piece_bytes(*move, geometry);
}

}  // namespace vdla::sim
