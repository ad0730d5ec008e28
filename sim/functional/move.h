// SPDX-License-Identifier: Apache-2.0
// LOAD and STORE at the host's speed: whole rows at once where they are contiguous, the same result as
// isa/semantics.
#pragma once

#include <optional>

#include "isa/codec/insn.h"
#include "isa/semantics/state.h"
#include "sim/memory.h"

namespace vdla::sim {

/// DMA memory as the semantics want it: an access outside is a bus error.
class BusMemory final : public isa::Memory {
 public:
  explicit BusMemory(sim::Memory& memory) : memory_(memory) {}
  bool read(std::uint64_t address, std::span<std::byte> bytes) override;
  bool write(std::uint64_t address, std::span<const std::byte> bytes) override;

 private:
  sim::Memory& memory_;
};

/// A legal instruction, to its end or to its first fault.
std::optional<isa::Fault> run_move(const isa::MemoryInsn& insn, isa::Sram& sram, const isa::Windows& windows,
                                   Memory& memory);

}  // namespace vdla::sim
