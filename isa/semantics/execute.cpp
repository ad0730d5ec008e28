// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/execute.h"

#include "isa/codec/codec.h"
#include "isa/semantics/move.h"
#include "isa/spec/errors.h"
#include "support/overloaded.h"

namespace vdla::isa {
namespace {

std::optional<Fault> execute_gemm(const GemmInsn& insn, Sram& sram) {
  std::optional<Fault> fault;
  for_each_iteration(insn.levels, [&](const Counters& i) {
    for (unsigned u = 0; u < insn.uop_count && !fault; ++u) {
      const unsigned index = (insn.uop_begin + u) & (kMaxDepth - 1);
      if (index >= sram.geometry.uop_depth)
        fault = Fault{ErrorCode::SramBounds, index};
      else
        fault = execute_step(gemm_step_at(insn, i, u, decode_uop(sram.uop[index])), sram);
    }
    return !fault;
  });
  return fault;
}

std::optional<Fault> execute_vector(const VectorInsn& insn, Sram& sram) {
  std::optional<Fault> fault;
  for_each_iteration(insn.levels, [&](const Counters& i) {
    fault = execute_step(insn, vector_step_at(insn, i), sram);
    return !fault;
  });
  return fault;
}

}  // namespace

std::optional<Fault> execute(const Insn& insn, Sram& sram, const Windows& windows, Memory& memory) {
  return std::visit(overloaded{
                        [&](const MemoryInsn& i) { return execute_move(i, sram, windows, memory); },
                        [&](const GemmInsn& i) { return execute_gemm(i, sram); },
                        [&](const VectorInsn& i) { return execute_vector(i, sram); },
                        [&](const FinishInsn&) { return std::optional<Fault>(); },
                    },
                    insn);
}

}  // namespace vdla::isa
