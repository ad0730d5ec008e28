// SPDX-License-Identifier: Apache-2.0
// LOAD and STORE.
#pragma once

#include <optional>

#include "isa/codec/insn.h"
#include "isa/semantics/nest.h"
#include "isa/semantics/state.h"

namespace vdla::isa {

/// Executes a LOAD or a STORE; see execute().
std::optional<Fault> execute_move(const MemoryInsn& insn, Sram& sram, const Windows& windows, Memory& memory);

/// Writes one piece (piece_bytes() long; a widened one is widened here) into row `row` of an entry that
/// exists.
void put_piece(const MemoryInsn& insn, unsigned entry, unsigned row, std::span<const std::byte> piece,
               Sram& sram);

}  // namespace vdla::isa
