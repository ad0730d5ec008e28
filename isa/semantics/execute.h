// SPDX-License-Identifier: Apache-2.0
// The executable reference: what each instruction does to SRAM and memory, scalar, step by step in the order
// of the nest.
#pragma once

#include <optional>

#include "isa/codec/insn.h"
#include "isa/semantics/nest.h"
#include "isa/semantics/state.h"

namespace vdla::isa {

/// Word of par for the shifts of operation scale.
constexpr std::int32_t pack_shifts(unsigned left, unsigned right) {
  return static_cast<std::int32_t>((left & 31u) | (right & 31u) << 8);
}

/// One step; an index beyond its buffer is the fault sram_bounds (acc, inp, wgt or dst, a, b, in this order),
/// and nothing is written.
std::optional<Fault> execute_step(const GemmStep& step, Sram& sram);
std::optional<Fault> execute_step(const VectorInsn& insn, const VectorStep& step, Sram& sram);

/// Executes a legal instruction to its end or to its first fault. A load or store checks each run of bytes
/// against the window, then its entries, before it moves the run. FINISH does nothing.
std::optional<Fault> execute(const Insn& insn, Sram& sram, const Windows& windows, Memory& memory);

}  // namespace vdla::isa
