// SPDX-License-Identifier: Apache-2.0
// VECTOR instructions at the host's speed: whole nests, lanes in the host's vector registers, the same result
// as isa/semantics.
#pragma once

#include <optional>

#include "isa/codec/insn.h"
#include "isa/semantics/state.h"
#include "sim/functional/simd.h"

namespace vdla::sim {

/// Executes a legal instruction to its end, or to its first fault, which it returns.
std::optional<isa::Fault> run_vector(const isa::VectorInsn& insn, isa::Sram& sram, Simd simd);

}  // namespace vdla::sim
