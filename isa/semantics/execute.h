// SPDX-License-Identifier: Apache-2.0
// The executable reference: what each instruction does to SRAM and memory, scalar, step by step in the order
// of the nest.
#pragma once

#include <optional>

#include "isa/codec/insn.h"
#include "isa/semantics/nest.h"
#include "isa/semantics/state.h"

namespace vdla::isa {

/// Parameters of one channel of operation scale.
struct ScaleParameters {
  std::int32_t bias = 0;
  std::int32_t multiplier = 0;
  std::int32_t shifts = 0;  ///< left in bits 4:0, right in bits 12:8

  static constexpr std::int32_t pack_shifts(unsigned left, unsigned right) {
    return static_cast<std::int32_t>((left & 31u) | (right & 31u) << 8);
  }
};

/// round_shift_right(srdh_mul((x + bias) << left, multiplier), right).
std::int32_t scale_element(std::int32_t x, const ScaleParameters& parameters);

/// One lane of an operation other than scale: x is operand a + a_offset (hsum: the sum + a_offset), p operand
/// b, c = acc[dst].
std::int32_t vector_element(const VectorInsn& insn, std::int32_t x, std::int32_t p, std::int32_t c,
                            bool first);

/// What an int8 buffer receives for a result r.
std::int8_t saturate_element(const VectorInsn& insn, std::int32_t r);

/// One step; an index beyond its buffer is the fault sram_bounds (acc, inp, wgt or dst, a, b, in this order),
/// and nothing is written.
std::optional<Fault> execute_step(const GemmStep& step, Sram& sram);
std::optional<Fault> execute_step(const VectorInsn& insn, const VectorStep& step, Sram& sram);

/// Executes a legal instruction to its end or to its first fault. A load or store checks each run of bytes
/// against the window, then its entries, before it moves the run. FINISH does nothing.
std::optional<Fault> execute(const Insn& insn, Sram& sram, const Windows& windows, Memory& memory);

}  // namespace vdla::isa
