// SPDX-License-Identifier: Apache-2.0
// The register map (32-bit registers, AXI4-Lite) and the error codes. The C header of the driver and the SystemVerilog register file are generated from it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/spec/insn.h"

namespace vdla::isa {

/// ReadWriteIdle: as ReadWrite, but a write while STATUS says busy is ignored.
enum class Access : std::uint8_t { ReadOnly, ReadWrite, ReadWriteIdle, WriteOneToClear };

inline constexpr std::uint32_t kMagic = 0x41'4c'44'56;  ///< "VDLA", little-endian

// X(NAME, offset, access, "doc"). 64-bit values are LO then HI. Counters count since the last start.
#define VDLA_REGISTERS(X)                                                                                              \
  X(MAGIC, 0x000, ReadOnly, "reads \"VDLA\"")                                                                          \
  X(ISA_VERSION, 0x004, ReadOnly, "version of the instruction set")                                                    \
  X(GEOMETRY_HASH_LO, 0x008, ReadOnly, "geometry hash, low word")                                                      \
  X(GEOMETRY_HASH_HI, 0x00c, ReadOnly, "geometry hash, high word")                                                     \
  X(CONTROL, 0x010, ReadWrite, "bit 0 start (reads 0), bit 1 soft reset (reads 0), bit 2 interrupt enable")            \
  X(STATUS, 0x014, ReadOnly, "bit 0 idle, bit 1 busy, bit 2 done, bit 3 error; done and error hold until start or soft reset") \
  X(IRQ_STATUS, 0x018, WriteOneToClear, "bit 0 done, bit 1 error")                                                     \
  X(SEQUENCE, 0x01c, ReadOnly, "sequence number of the last finish")                                                   \
  X(INSN_OFFSET, 0x020, ReadWriteIdle, "byte offset of the first instruction in window insn, a multiple of 64 as the window's base is") \
  X(INSN_COUNT, 0x024, ReadWriteIdle, "instructions to fetch; the last one must be finish")                            \
  X(STALL_LIMIT, 0x028, ReadWrite, "stalled cycles in a row before error stall; 0: never; 1 to 127 act as 128. Stalled: no instruction is dispatched, started, worked on or retired, and no burst is unanswered") \
  X(ERROR_CODE, 0x030, ReadOnly, "see error codes")                                                                    \
  X(ERROR_UNIT, 0x034, ReadOnly, "unit that raised the error")                                                         \
  X(ERROR_INSN, 0x038, ReadOnly, "index of its instruction, counted from the one at INSN_OFFSET; as all indices here")   \
  X(ERROR_ADDR_LO, 0x03c, ReadOnly, "address or SRAM index at fault, low word")                                        \
  X(ERROR_ADDR_HI, 0x040, ReadOnly, "high word")                                                                       \
  X(LOAD_INSN, 0x050, ReadOnly, "index of the instruction that the unit works on or waits to start")                   \
  X(LOAD_STATE, 0x054, ReadOnly, "bit 0 has an instruction, bit 1 running, bit 2 the memory owes it data or a response, bits 7:4 pops it waits for, bits 11:8 pushes it waits for") \
  X(GEMM_INSN, 0x058, ReadOnly, "as LOAD_INSN")                                                                        \
  X(GEMM_STATE, 0x05c, ReadOnly, "as LOAD_STATE")                                                                      \
  X(VECTOR_INSN, 0x060, ReadOnly, "as LOAD_INSN")                                                                      \
  X(VECTOR_STATE, 0x064, ReadOnly, "as LOAD_STATE")                                                                    \
  X(STORE_INSN, 0x068, ReadOnly, "as LOAD_INSN")                                                                       \
  X(STORE_STATE, 0x06c, ReadOnly, "as LOAD_STATE")                                                                     \
  X(FETCH_INSN, 0x070, ReadOnly, "index of the next instruction to dispatch")                                          \
  X(FETCH_STATE, 0x074, ReadOnly, "bit 0 busy, bit 2 the memory owes it data, bits 7:4 queue (one-hot) that it waits for") \
  X(CYCLES_LO, 0x080, ReadOnly, "cycles from start to done")                                                           \
  X(CYCLES_HI, 0x084, ReadOnly, "high word")                                                                           \
  X(READ_BYTES_LO, 0x088, ReadOnly, "bytes read from DRAM, all clients")                                               \
  X(READ_BYTES_HI, 0x08c, ReadOnly, "high word")                                                                       \
  X(WRITE_BYTES_LO, 0x090, ReadOnly, "bytes written to DRAM")                                                          \
  X(WRITE_BYTES_HI, 0x094, ReadOnly, "high word")                                                                      \
  X(LOAD_BUSY, 0x0a0, ReadOnly, "cycles with an instruction running")                                                  \
  X(LOAD_TOKEN_STALL, 0x0a4, ReadOnly, "cycles with an instruction waiting for a token or for space to push one")      \
  X(GEMM_BUSY, 0x0a8, ReadOnly, "as LOAD_BUSY")                                                                        \
  X(GEMM_TOKEN_STALL, 0x0ac, ReadOnly, "as LOAD_TOKEN_STALL")                                                          \
  X(VECTOR_BUSY, 0x0b0, ReadOnly, "as LOAD_BUSY")                                                                      \
  X(VECTOR_TOKEN_STALL, 0x0b4, ReadOnly, "as LOAD_TOKEN_STALL")                                                        \
  X(STORE_BUSY, 0x0b8, ReadOnly, "as LOAD_BUSY")                                                                       \
  X(STORE_TOKEN_STALL, 0x0bc, ReadOnly, "as LOAD_TOKEN_STALL")                                                         \
  X(LOAD_SINCE, 0x0c0, ReadOnly, "cycle of this run (low word) from which on the unit has neither got its first, started, ended nor retired an instruction") \
  X(GEMM_SINCE, 0x0c8, ReadOnly, "as LOAD_SINCE")                                                                      \
  X(VECTOR_SINCE, 0x0d0, ReadOnly, "as LOAD_SINCE")                                                                    \
  X(STORE_SINCE, 0x0d8, ReadOnly, "as LOAD_SINCE")                                                                     \
  X(FETCH_SINCE, 0x0e0, ReadOnly, "cycle of this run (low word) from which on fetch has not dispatched an instruction") \
  X(WINDOW0_BASE_LO, 0x100, ReadWriteIdle, "byte address of window 0; window w is 16*w further on")                        \
  X(WINDOW0_BASE_HI, 0x104, ReadWriteIdle, "high word")                                                                    \
  X(WINDOW0_SIZE_LO, 0x108, ReadWriteIdle, "bytes in the window; an access beyond is an error")                            \
  X(WINDOW0_SIZE_HI, 0x10c, ReadWriteIdle, "high word")

inline constexpr unsigned kWindowCount = kWindows.size();
/// Byte distance between the register groups of two windows.
inline constexpr std::uint32_t kWindowStride = 16;
/// Byte distance between the INSN/STATE pairs, the BUSY/TOKEN_STALL pairs, and the SINCE registers, of two units (load, gemm, vector, store).
inline constexpr std::uint32_t kUnitStride = 8;
/// Bytes of the register space.
inline constexpr std::uint32_t kRegisterSpace = 0x200;

#define VDLA_REGISTER_OFFSET(name, offset, access, doc) name = offset,
enum class Register : std::uint32_t { VDLA_REGISTERS(VDLA_REGISTER_OFFSET) };
#undef VDLA_REGISTER_OFFSET

struct RegisterRow {
  std::string_view name;
  std::uint32_t offset;
  Access access;
  std::string_view doc;
};
#define VDLA_REGISTER_ROW(name, offset, access, doc) RegisterRow{#name, offset, Access::access, doc},
inline constexpr auto kRegisters = std::to_array<RegisterRow>({VDLA_REGISTERS(VDLA_REGISTER_ROW)});
#undef VDLA_REGISTER_ROW

inline constexpr std::uint32_t kControlStart = 1, kControlSoftReset = 2, kControlIrqEnable = 4;
inline constexpr std::uint32_t kStatusIdle = 1, kStatusBusy = 2, kStatusDone = 4, kStatusError = 8;
inline constexpr std::uint32_t kIrqDone = 1, kIrqError = 2;
/// A machine that is not stuck is quiet for fewer cycles; smaller values of STALL_LIMIT act as this one.
inline constexpr std::uint32_t kMinStallLimit = 128;

// X(enumerator, code, "text", "doc").
#define VDLA_ERROR_CODES(X)                                                                              \
  X(None, 0, "none", "no error")                                                                         \
  X(IllegalInsn, 1, "illegal_insn", "an instruction breaks a rule of the ISA; ERROR_ADDR: the rule's number") \
  X(Window, 2, "window", "a DRAM access leaves its window; ERROR_ADDR: the byte offset")                 \
  X(SramBounds, 3, "sram_bounds", "an SRAM index is beyond its buffer; ERROR_ADDR: the index")           \
  X(BusRead, 4, "bus_read", "the memory answered a read with an error; ERROR_ADDR: the address")         \
  X(BusWrite, 5, "bus_write", "the memory answered a write with an error; ERROR_ADDR: the address")      \
  X(Stall, 6, "stall", "no unit made progress for STALL_LIMIT cycles; ERROR_UNIT: fetch; the INSN, STATE and SINCE registers tell who waits for what") \
  X(NoFinish, 7, "no_finish", "INSN_COUNT instructions were fetched and the last one was not finish")  \
  X(Misaligned, 8, "misaligned", "the base of window insn plus INSN_OFFSET is not a multiple of 64; ERROR_ADDR: the sum")

#define VDLA_ENUMERATOR(name, code, text, doc) name = code,
enum class ErrorCode : std::uint8_t { VDLA_ERROR_CODES(VDLA_ENUMERATOR) };
#undef VDLA_ENUMERATOR
#define VDLA_NAMED(name, code, text, doc) NamedCode{text, code, doc},
inline constexpr auto kErrorCodes = std::to_array<NamedCode>({VDLA_ERROR_CODES(VDLA_NAMED)});
#undef VDLA_NAMED
constexpr std::string_view to_string(ErrorCode e) { return text_of(kErrorCodes, static_cast<unsigned>(e)); }

}  // namespace vdla::isa
