// SPDX-License-Identifier: Apache-2.0
// Ports between processing system and fabric, as their reference manuals name them, and where the processing
// system says whether the fabric is configured. Vivado's names of a port are in boards/fpga/<family>.tcl.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "boards/spec/board.h"

namespace vdla::boards {

/// A port through which the CPU reaches registers in the fabric.
struct MasterPort {
  Family family;
  std::string_view name;  ///< name of the interface
  Region range;           ///< addresses that lead to it
};

/// A port through which the fabric reaches the CPU's memory.
struct SlavePort {
  Family family;
  std::string_view name;
  unsigned widest_bits;
  unsigned address_bits;
};

/// Interrupts from the fabric: `bits` of them from `first_bit` on have consecutive numbers.
struct InterruptPort {
  Family family;
  std::string_view name;
  unsigned first_bit, bits, first_gic_id;
};

/// A bit of a register of the processing system that is 1 when the fabric is configured.
struct FabricStatus {
  Family family;
  std::uint64_t address;
  unsigned bit;
  std::string_view name;  ///< name of the bit, with its register
};

std::span<const MasterPort> master_ports();
std::span<const SlavePort> slave_ports();
std::span<const InterruptPort> interrupt_ports();
std::span<const FabricStatus> fabric_statuses();

}  // namespace vdla::boards
