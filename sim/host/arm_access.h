// SPDX-License-Identifier: Apache-2.0
// Loads and stores of Arm processors, decoded where one is stopped in front of a device's register.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vdla::sim {

/// A load or store of one register.
struct ArmAccess {
  bool load = false;
  unsigned bytes = 0;
  std::uint64_t address = 0;
  bool sign_extend = false;  ///< a word that is loaded into a register of 64 bits
  /// The number of the register; nothing: zero is stored, or what is loaded is dropped.
  std::optional<unsigned> target{};
  /// The base register's new value, of forms that write it back.
  struct WriteBack {
    unsigned number = 0;
    std::uint64_t value = 0;
  };
  std::optional<WriteBack> write_back{};
};

/// An instruction set, and where its processor's registers are in the order of gdb.
struct ArmState {
  std::string_view name;   ///< "A32"
  std::string_view forms;  ///< forms that decode() knows, for messages
  unsigned registers = 0;  ///< number of registers that decode() wants
  unsigned program_counter = 0;
  unsigned register_bytes = 0;
  /// Access of the instruction at the program counter; nothing for one of another form.
  std::optional<ArmAccess> (*decode)(std::uint32_t instruction, std::span<const std::uint64_t> registers);
};

/// LDR, STR and their forms of 1 and 2 bytes: offset by a number or a (shifted) register, before or after.
/// Nothing where its condition does not hold, and of Thumb. r0 to r15 (as the address of the instruction),
/// CPSR.
extern const ArmState kA32;
/// LDR, STR, LDUR, STUR and their forms of 1, 2 and 8 bytes, LDRSW, LDAR, STLR: offset by a number, before or
/// after, or by an (extended) register. x0 to x30, sp, pc.
extern const ArmState kA64;

/// Value that a load of a word leaves in its register.
std::uint64_t loaded_value(const ArmAccess& access, std::uint32_t word);

}  // namespace vdla::sim
