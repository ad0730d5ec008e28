// SPDX-License-Identifier: Apache-2.0
// Ports between processing system and fabric, as their reference manuals and Vivado's IP name them, and where
// the processing system says whether the fabric is configured.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "boards/spec/board.h"

namespace vdla::boards {

/// A port through which the CPU reaches registers in the fabric.
struct MasterPort {
  Family family;
  std::string_view name;   ///< name of the interface
  Region range;            ///< addresses that lead to it
  std::string_view use;    ///< property of the PS that turns it on
  std::string_view width;  ///< property of the PS that sets its data width; empty: it is 32 bits
  std::string_view clock;  ///< pin
};

/// A port through which the fabric reaches the CPU's memory.
struct SlavePort {
  Family family;
  std::string_view name;
  unsigned widest_bits;
  unsigned address_bits;
  std::string_view use, width, clock;
  std::string_view segment;  ///< segment of its address space, in which DDR lies
};

/// Interrupts from the fabric: `bits` of them from `first_bit` on have consecutive numbers.
struct InterruptPort {
  Family family;
  std::string_view name;
  unsigned first_bit, bits, first_gic_id;
  std::string_view use;  ///< property of the PS that turns it on
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
