// SPDX-License-Identifier: Apache-2.0
// The error codes: what register ERROR_CODE says, and what a fault of an instruction is.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/spec/memories.h"

namespace vdla::isa {

// X(enumerator, code, "text", "doc").
#define VDLA_ERROR_CODES(X)                                                                                 \
  X(None, 0, "none", "no error")                                                                            \
  X(IllegalInsn, 1, "illegal_insn",                                                                         \
    "an instruction breaks a rule of the ISA; ERROR_ADDR: the rule's number")                               \
  X(Window, 2, "window", "a DRAM access leaves its window; ERROR_ADDR: the byte offset")                    \
  X(SramBounds, 3, "sram_bounds", "an SRAM index is beyond its buffer; ERROR_ADDR: the index")              \
  X(BusRead, 4, "bus_read", "the memory answered a read with an error; ERROR_ADDR: the address")            \
  X(BusWrite, 5, "bus_write", "the memory answered a write with an error; ERROR_ADDR: the address")         \
  X(Stall, 6, "stall",                                                                                      \
    "no unit made progress for STALL_LIMIT cycles; ERROR_UNIT: fetch; the INSN, STATE and SINCE registers " \
    "tell who waits for what")                                                                              \
  X(NoFinish, 7, "no_finish", "INSN_COUNT instructions were fetched and the last one was not finish")       \
  X(Misaligned, 8, "misaligned",                                                                            \
    "the base of window insn plus INSN_OFFSET is not a multiple of 64; ERROR_ADDR: the sum")

#define VDLA_ENUMERATOR(name, code, text, doc) name = code,
enum class ErrorCode : std::uint8_t { VDLA_ERROR_CODES(VDLA_ENUMERATOR) };
#undef VDLA_ENUMERATOR
#define VDLA_NAMED(name, code, text, doc) NamedCode{text, code, doc},
inline constexpr auto kErrorCodes = std::to_array<NamedCode>({VDLA_ERROR_CODES(VDLA_NAMED)});
#undef VDLA_NAMED
constexpr std::string_view to_string(ErrorCode e) { return text_of(kErrorCodes, static_cast<unsigned>(e)); }

}  // namespace vdla::isa
