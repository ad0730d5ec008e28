// SPDX-License-Identifier: Apache-2.0
// The register map (32-bit registers, AXI4-Lite). The C header of the driver and the
// SystemVerilog register file are generated from it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isa/spec/geometry.h"
#include "isa/spec/memories.h"

namespace vdla::isa {

/// Fixed: says what the design is, and never changes. ReadWriteIdle: as ReadWrite, but a write while STATUS
/// says busy is ignored.
enum class Access : std::uint8_t { Fixed, ReadOnly, ReadWrite, ReadWriteIdle, WriteOneToClear };

inline constexpr std::uint32_t kMagic = 0x41'4c'44'56;  ///< "VDLA", little-endian

// X(NAME, offset, access, "doc"). 64-bit values are LO then HI. Counters count since the last start.
#define VDLA_REGISTERS(X)                                                                                    \
  X(MAGIC, 0x000, Fixed, "reads \"VDLA\"")                                                                   \
  X(ISA_VERSION, 0x004, Fixed, "version of the instruction set")                                             \
  X(GEOMETRY_HASH_LO, 0x008, Fixed, "hash of version and geometry, low word")                                \
  X(GEOMETRY_HASH_HI, 0x00c, Fixed, "high word")                                                             \
  X(CONTROL, 0x010, ReadWrite, "what the machine is told to do")                                             \
  X(STATUS, 0x014, ReadOnly, "what the machine does")                                                        \
  X(IRQ_STATUS, 0x018, WriteOneToClear, "what the interrupt is about")                                       \
  X(SEQUENCE, 0x01c, ReadOnly, "sequence number of the last finish")                                         \
  X(INSN_OFFSET, 0x020, ReadWriteIdle,                                                                       \
    "byte offset of the first instruction in window insn, a multiple of 64 as the window's base is")         \
  X(INSN_COUNT, 0x024, ReadWriteIdle, "instructions to fetch; the last one must be finish")                  \
  X(STALL_LIMIT, 0x028, ReadWrite,                                                                           \
    "stalled cycles in a row before error stall; 0: never; 1 to 127 act as 128. Stalled: no instruction is " \
    "dispatched, started, worked on or retired, and no burst is unanswered")                                 \
  X(ERROR_CODE, 0x030, ReadOnly, "see error codes")                                                          \
  X(ERROR_UNIT, 0x034, ReadOnly, "unit that raised the error")                                               \
  X(ERROR_INSN, 0x038, ReadOnly,                                                                             \
    "index of its instruction, counted from the one at INSN_OFFSET; as all indices here")                    \
  X(ERROR_ADDR_LO, 0x03c, ReadOnly, "address or SRAM index at fault, low word")                              \
  X(ERROR_ADDR_HI, 0x040, ReadOnly, "high word")                                                             \
  X(LOAD_INSN, 0x050, ReadOnly, "index of the instruction that the unit works on or waits to start")         \
  X(LOAD_STATE, 0x054, ReadOnly, "what the unit does")                                                       \
  X(GEMM_INSN, 0x058, ReadOnly, "as LOAD_INSN")                                                              \
  X(GEMM_STATE, 0x05c, ReadOnly, "as LOAD_STATE")                                                            \
  X(VECTOR_INSN, 0x060, ReadOnly, "as LOAD_INSN")                                                            \
  X(VECTOR_STATE, 0x064, ReadOnly, "as LOAD_STATE")                                                          \
  X(STORE_INSN, 0x068, ReadOnly, "as LOAD_INSN")                                                             \
  X(STORE_STATE, 0x06c, ReadOnly, "as LOAD_STATE")                                                           \
  X(FETCH_INSN, 0x070, ReadOnly, "index of the next instruction to dispatch")                                \
  X(FETCH_STATE, 0x074, ReadOnly, "what fetch does")                                                         \
  X(CYCLES_LO, 0x080, ReadOnly, "cycles from start to done")                                                 \
  X(CYCLES_HI, 0x084, ReadOnly, "high word")                                                                 \
  X(READ_BYTES_LO, 0x088, ReadOnly, "bytes read from DRAM, all clients")                                     \
  X(READ_BYTES_HI, 0x08c, ReadOnly, "high word")                                                             \
  X(WRITE_BYTES_LO, 0x090, ReadOnly, "bytes written to DRAM")                                                \
  X(WRITE_BYTES_HI, 0x094, ReadOnly, "high word")                                                            \
  X(LOAD_BUSY, 0x0a0, ReadOnly, "cycles with an instruction running")                                        \
  X(LOAD_TOKEN_STALL, 0x0a4, ReadOnly,                                                                       \
    "cycles with an instruction waiting for a token or for space to push one")                               \
  X(GEMM_BUSY, 0x0a8, ReadOnly, "as LOAD_BUSY")                                                              \
  X(GEMM_TOKEN_STALL, 0x0ac, ReadOnly, "as LOAD_TOKEN_STALL")                                                \
  X(VECTOR_BUSY, 0x0b0, ReadOnly, "as LOAD_BUSY")                                                            \
  X(VECTOR_TOKEN_STALL, 0x0b4, ReadOnly, "as LOAD_TOKEN_STALL")                                              \
  X(STORE_BUSY, 0x0b8, ReadOnly, "as LOAD_BUSY")                                                             \
  X(STORE_TOKEN_STALL, 0x0bc, ReadOnly, "as LOAD_TOKEN_STALL")                                               \
  X(LOAD_SINCE, 0x0c0, ReadOnly,                                                                             \
    "cycle of this run (low word) from which on the unit has neither got its first, started, ended nor "     \
    "retired an instruction")                                                                                \
  X(GEMM_SINCE, 0x0c8, ReadOnly, "as LOAD_SINCE")                                                            \
  X(VECTOR_SINCE, 0x0d0, ReadOnly, "as LOAD_SINCE")                                                          \
  X(STORE_SINCE, 0x0d8, ReadOnly, "as LOAD_SINCE")                                                           \
  X(FETCH_SINCE, 0x0e0, ReadOnly,                                                                            \
    "cycle of this run (low word) from which on fetch has not dispatched an instruction")                    \
  X(WINDOW0_BASE_LO, 0x100, ReadWriteIdle, "byte address of window 0; window w is 16*w further on")          \
  X(WINDOW0_BASE_HI, 0x104, ReadWriteIdle, "high word")                                                      \
  X(WINDOW0_SIZE_LO, 0x108, ReadWriteIdle, "bytes in the window; an access beyond is an error")              \
  X(WINDOW0_SIZE_HI, 0x10c, ReadWriteIdle, "high word")                                                      \
  X(BUILD_ID, 0x180, Fixed, "number of this build, as whoever built it chose it; 0: not stated")             \
  X(CLOCK_KHZ, 0x184, Fixed, "clock in kHz, as whoever built it states it; 0: not stated")                   \
  X(ADDRESS_BITS, 0x188, Fixed, "bits of memory addresses that reach the memory; 0: all 64")

/// The registers of the geometry's fields, one for each in the order of VDLA_GEOMETRY, begin here.
inline constexpr std::uint32_t kGeometryRegisters = 0x190;

/// Byte distance between the register groups of two windows.
inline constexpr std::uint32_t kWindowStride = 16;
/// Byte distance between the INSN/STATE pairs, the BUSY/TOKEN_STALL pairs, and the SINCE registers, of two
/// units (load, gemm, vector, store).
inline constexpr std::uint32_t kUnitStride = 8;
/// Bytes of the register space.
inline constexpr std::uint32_t kRegisterSpace = 0x200;

#define VDLA_REGISTER_OFFSET(name, offset, access, doc) name = offset,
#define VDLA_GEOMETRY_OFFSET(name, NAME, value, least, most, doc) \
  GEOMETRY_##NAME = kGeometryRegisters + offsetof(Geometry, name) / sizeof(unsigned) * 4,
enum class Register : std::uint32_t {
  VDLA_REGISTERS(VDLA_REGISTER_OFFSET) VDLA_GEOMETRY(VDLA_GEOMETRY_OFFSET)
};
#undef VDLA_GEOMETRY_OFFSET
#undef VDLA_REGISTER_OFFSET
static_assert(kGeometryRegisters + 4 * kGeometryFields.size() <= kRegisterSpace);

/// The register of a field, counted in the order of VDLA_GEOMETRY.
constexpr Register geometry_register(std::size_t field) {
  return static_cast<Register>(kGeometryRegisters + 4 * field);
}

struct RegisterRow {
  std::string_view name;
  std::uint32_t offset;
  Access access;
  std::string_view doc;
};
#define VDLA_REGISTER_ROW(name, offset, access, doc) RegisterRow{#name, offset, Access::access, doc},
#define VDLA_GEOMETRY_ROW(name, NAME, value, least, most, doc) \
  RegisterRow{"GEOMETRY_" #NAME, static_cast<std::uint32_t>(Register::GEOMETRY_##NAME), Access::Fixed, doc},
inline constexpr auto kRegisters =
    std::to_array<RegisterRow>({VDLA_REGISTERS(VDLA_REGISTER_ROW) VDLA_GEOMETRY(VDLA_GEOMETRY_ROW)});
#undef VDLA_GEOMETRY_ROW
#undef VDLA_REGISTER_ROW

// X(group, name, lowest bit, width, "meaning"): the bits of registers; kRegisterGroups says which register
// has which group. The mask of a row is kGroupName, in C VDLA_GROUP_NAME, in SystemVerilog GroupName.
#define VDLA_REGISTER_BITS(X)                                                                                \
  X(Control, Start, 0, 1, "starts the program; reads 0")                                                     \
  X(Control, SoftReset, 1, 1, "ends what runs, when the memory owes nothing any more; reads 0")              \
  X(Control, IrqEnable, 2, 1, "the interrupt is high while IRQ_STATUS is not 0")                             \
  X(Status, Idle, 0, 1, "no program runs")                                                                   \
  X(Status, Busy, 1, 1, "a program runs")                                                                    \
  X(Status, Done, 2, 1, "the last program came to its finish; holds until start or soft reset")              \
  X(Status, Error, 3, 1, "an error ended the last program, see ERROR_CODE; holds until start or soft reset") \
  X(Irq, Done, 0, 1, "a program came to its finish")                                                         \
  X(Irq, Error, 1, 1, "an error ended a program")                                                            \
  X(UnitState, HasInsn, 0, 1, "the unit has an instruction")                                                 \
  X(UnitState, Running, 1, 1, "the instruction has started")                                                 \
  X(UnitState, Owed, 2, 1, "the memory owes the unit data or a response")                                    \
  X(UnitState, WaitingPops, 4, 4, "whose tokens it waits for: load, gemm, vector, store")                    \
  X(UnitState, WaitingPushes, 8, 4, "who has no room for its token: load, gemm, vector, store")              \
  X(FetchState, Busy, 0, 1, "instructions are left to dispatch")                                             \
  X(FetchState, Owed, 2, 1, "the memory owes it data")                                                       \
  X(FetchState, WaitingQueue, 4, 4,                                                                          \
    "whose queue is full and gets the next instruction: load, gemm, vector, store")

enum class BitGroup : std::uint8_t { Control, Status, Irq, UnitState, FetchState };

/// Registers whose value is more than one number.
struct RegisterGroup {
  Register reg;
  BitGroup group;
};
inline constexpr auto kRegisterGroups = std::to_array<RegisterGroup>({
    {Register::CONTROL, BitGroup::Control},
    {Register::STATUS, BitGroup::Status},
    {Register::IRQ_STATUS, BitGroup::Irq},
    {Register::LOAD_STATE, BitGroup::UnitState},
    {Register::GEMM_STATE, BitGroup::UnitState},
    {Register::VECTOR_STATE, BitGroup::UnitState},
    {Register::STORE_STATE, BitGroup::UnitState},
    {Register::FETCH_STATE, BitGroup::FetchState},
});

struct RegisterBits {
  BitGroup group;
  std::string_view group_name, name;  ///< "UnitState", "HasInsn"
  unsigned lsb, width;
  std::string_view doc;
  constexpr std::uint32_t mask() const { return ((1u << width) - 1) << lsb; }
};
#define VDLA_BITS_ROW(group, name, lsb, width, doc) \
  RegisterBits{BitGroup::group, #group, #name, lsb, width, doc},
inline constexpr auto kRegisterBits = std::to_array<RegisterBits>({VDLA_REGISTER_BITS(VDLA_BITS_ROW)});
#undef VDLA_BITS_ROW
#define VDLA_BITS_MASK(group, name, lsb, width, doc) \
  inline constexpr std::uint32_t k##group##name = ((1u << (width)) - 1) << (lsb);
VDLA_REGISTER_BITS(VDLA_BITS_MASK)
#undef VDLA_BITS_MASK

// The driver reads fetch's state as that of a unit.
static_assert(kFetchStateBusy == kUnitStateHasInsn && kFetchStateOwed == kUnitStateOwed &&
              kFetchStateWaitingQueue == kUnitStateWaitingPops);

/// The number that stands at a mask's bits, and such a number there.
constexpr std::uint32_t number_at(std::uint32_t mask, std::uint32_t value) {
  return (value & mask) >> std::countr_zero(mask);
}
constexpr std::uint32_t placed_at(std::uint32_t mask, std::uint32_t number) {
  return (number << std::countr_zero(mask)) & mask;
}

/// BUILD_ID of simulated machines: "SIM", little-endian. They state no clock: their time is cycles.
inline constexpr std::uint32_t kSimulatedBuild = 0x4d'49'53;
inline constexpr std::uint32_t kSimulatedAddressBits = 64;
/// A machine that is not stuck is quiet for fewer cycles; smaller values of STALL_LIMIT act as this one.
inline constexpr std::uint32_t kMinStallLimit = 128;

}  // namespace vdla::isa
