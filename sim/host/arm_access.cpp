// SPDX-License-Identifier: Apache-2.0
#include "sim/host/arm_access.h"

namespace vdla::sim {
namespace {

using Registers = std::span<const std::uint64_t>;

constexpr unsigned kPc = 15, kCpsr = 16;  // registers of A32
constexpr unsigned kThumbState = 5,
                   kOverflowFlag = 28;  // bits of CPSR; above kOverflowFlag carry, zero, negative
// Register 31 of A64: the register zero, or the stack pointer as a base.
constexpr unsigned kZero = 31;
constexpr std::uint64_t kWord = 0xffff'ffffu;

constexpr std::uint32_t field(std::uint32_t insn, unsigned low, unsigned width) {
  return insn >> low & ((1u << width) - 1);
}
constexpr bool bit(std::uint32_t insn, unsigned at) { return (insn >> at & 1u) != 0; }

std::int64_t signed_field(std::uint32_t insn, unsigned low, unsigned width) {
  const std::int64_t value = field(insn, low, width);
  return value >> (width - 1) != 0 ? value - (std::int64_t{1} << width) : value;
}

/// The program counter is two instructions ahead when A32 reads it.
std::uint32_t read_a32(Registers registers, unsigned number) {
  return static_cast<std::uint32_t>(registers[number] + (number == kPc ? 8 : 0));
}

/// A register shifted by a number; nothing for a rotation through the carry, by which no compiler indexes.
std::optional<std::uint32_t> shifted(std::uint32_t insn, Registers registers) {
  const std::uint32_t value = read_a32(registers, field(insn, 0, 4));
  const unsigned amount = field(insn, 7, 5);
  switch (field(insn, 5, 2)) {
    case 0:
      return value << amount;
    case 1:
      return amount == 0 ? 0 : value >> amount;
    case 2:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value) >> (amount == 0 ? 31 : amount));
    default:
      if (amount == 0) return std::nullopt;
      return value >> amount | value << (32 - amount);
  }
}

/// Bits that all forms of A32 share: P (the offset comes before), U (it is added), W, and the registers.
std::optional<ArmAccess> with_address(ArmAccess access, std::uint32_t insn, std::uint32_t offset,
                                      Registers registers) {
  const unsigned base = field(insn, 16, 4), target = field(insn, 12, 4);
  const bool before = bit(insn, 24), writes = !before || bit(insn, 21);
  if (target == kPc || (writes && (base == kPc || (access.load && base == target)))) return std::nullopt;
  const std::uint32_t from = read_a32(registers, base);
  const std::uint32_t moved = bit(insn, 23) ? from + offset : from - offset;
  access.address = before ? moved : from;
  access.target = target;
  if (writes) access.write_back = {base, moved};
  return access;
}

/// Whether the processor executes the instruction, by the condition in its upper 4 bits.
bool executes_a32(std::uint32_t insn, std::uint32_t status) {
  const bool v = bit(status, kOverflowFlag), c = bit(status, kOverflowFlag + 1),
             z = bit(status, kOverflowFlag + 2), n = bit(status, kOverflowFlag + 3);
  const bool conditions[] = {z, c, n, v, c && !z, n == v, !z && n == v, true};
  return conditions[field(insn, 29, 3)] != bit(insn, 28);
}

std::optional<ArmAccess> decode_a32(std::uint32_t insn, Registers registers) {
  const auto status = static_cast<std::uint32_t>(registers[kCpsr]);
  if (bit(status, kThumbState) || !executes_a32(insn, status)) return std::nullopt;
  ArmAccess access{.load = bit(insn, 20)};
  if (field(insn, 26, 2) == 1) {  // LDR, STR, LDRB, STRB
    access.bytes = bit(insn, 22) ? 1 : 4;
    if (!bit(insn, 25)) return with_address(access, insn, field(insn, 0, 12), registers);
    if (bit(insn, 4)) return std::nullopt;
    const auto offset = shifted(insn, registers);
    if (!offset) return std::nullopt;
    return with_address(access, insn, *offset, registers);
  }
  const unsigned kind = field(insn, 5, 2);
  if (field(insn, 25, 3) != 0 || !bit(insn, 7) || !bit(insn, 4) || kind == 0) return std::nullopt;
  if (!access.load && kind != 1) return std::nullopt;  // LDRD, STRD: two registers
  access.bytes = kind == 2 ? 1 : 2;
  const std::uint32_t offset =
      bit(insn, 22) ? field(insn, 8, 4) << 4 | field(insn, 0, 4) : read_a32(registers, field(insn, 0, 4));
  return with_address(access, insn, offset, registers);
}

/// Size, direction and extension of the forms of A64 that access one general register; nothing for a
/// prefetch.
std::optional<ArmAccess> transfer_a64(std::uint32_t insn) {
  const unsigned size = field(insn, 30, 2), operation = field(insn, 22, 2);
  if (operation == 3 && size >= 2) return std::nullopt;
  if (operation == 2 && size == 3) return std::nullopt;
  ArmAccess access{.load = operation != 0, .bytes = 1u << size, .sign_extend = operation >= 2 && size == 2};
  if (field(insn, 0, 5) != kZero) access.target = field(insn, 0, 5);
  return access;
}

std::optional<std::uint64_t> extended(std::uint32_t insn, Registers registers) {
  const unsigned number = field(insn, 16, 5), shift = bit(insn, 12) ? field(insn, 30, 2) : 0;
  const std::uint64_t value = number == kZero ? 0 : registers[number];
  switch (field(insn, 13, 3)) {
    case 2:
      return (value & kWord) << shift;
    case 3:
    case 7:
      return value << shift;
    case 6:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value & kWord)))
             << shift;
    default:
      return std::nullopt;
  }
}

std::optional<ArmAccess> decode_a64(std::uint32_t insn, Registers registers) {
  const unsigned base = field(insn, 5, 5);
  const std::uint64_t from = registers[base];  // 31 is the stack pointer
  // LDAR and STLR of one register, no exclusive ones.
  if ((insn & 0x3fbf'fc00u) == 0x089f'fc00u) {
    ArmAccess access{.load = bit(insn, 22), .bytes = 1u << field(insn, 30, 2), .address = from};
    if (field(insn, 0, 5) != kZero) access.target = field(insn, 0, 5);
    return access;
  }
  if (field(insn, 27, 3) != 7 || bit(insn, 26)) return std::nullopt;
  auto access = transfer_a64(insn);
  if (!access) return std::nullopt;
  if (field(insn, 24, 2) == 1) {
    access->address = from + (std::uint64_t{field(insn, 10, 12)} << field(insn, 30, 2));
    return access;
  }
  if (field(insn, 24, 2) != 0) return std::nullopt;
  if (bit(insn, 21)) {
    const auto offset = extended(insn, registers);
    if (field(insn, 10, 2) != 2 || !offset) return std::nullopt;
    access->address = from + *offset;
    return access;
  }
  const unsigned mode = field(insn, 10, 2);  // unscaled, after, unprivileged, before
  const std::uint64_t moved = from + static_cast<std::uint64_t>(signed_field(insn, 12, 9));
  if (mode == 2) return std::nullopt;
  if (mode != 0) {
    if (base != kZero && base == field(insn, 0, 5)) return std::nullopt;
    access->write_back = {base, moved};
  }
  access->address = mode == 1 ? from : moved;
  return access;
}

}  // namespace

const ArmState kA32{.name = "A32",
                    .forms = "LDR, STR and their forms of 1 and 2 bytes",
                    .registers = 17,
                    .program_counter = kPc,
                    .register_bytes = 4,
                    .decode = decode_a32};
const ArmState kA64{.name = "A64",
                    .forms = "LDR, STR, LDUR, STUR, LDAR, STLR and their forms of 1 and 2 bytes",
                    .registers = 33,
                    .program_counter = 32,
                    .register_bytes = 8,
                    .decode = decode_a64};

std::uint64_t loaded_value(const ArmAccess& access, std::uint32_t word) {
  return access.sign_extend ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word)})
                            : word;
}

}  // namespace vdla::sim
