// SPDX-License-Identifier: Apache-2.0
// The digest of an instruction's writes for engines that execute it at once.
#pragma once

#include "isa/codec/insn.h"
#include "isa/semantics/state.h"
#include "sim/memory.h"
#include "sim/trace/digest.h"

namespace vdla::sim {

/// Digest of an instruction that has just been executed without fault.
std::uint64_t digest_of(const isa::Insn& insn, const isa::Sram& sram, const isa::Windows& windows,
                        const Memory& memory, trace::WriteDigest& digest);

}  // namespace vdla::sim
