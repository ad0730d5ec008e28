// SPDX-License-Identifier: Apache-2.0
// THE instruction set: token channels and opcodes; units are isa/spec/units.h, buffers and windows isa/spec/memories.h,
// fields isa/spec/fields.h, the operations of the vector unit isa/spec/operations.h. Codec, assembler, SystemVerilog
// package, checker, C header, manual and random generator are derived from these tables. The meaning of each
// instruction is isa/semantics.
//
// The machine. An array of B x K x N multipliers (batch x block_in x block_out, isa/spec/geometry.h). Units load, gemm,
// vector, store work through queues of their own, each in program order, and synchronise only by dependence tokens: one
// channel for each ordered pair of different units. An instruction pops at most one token of each incoming channel
// before it starts, and pushes at most one into each outgoing channel when it has completed (a load: its last byte is
// in SRAM; a store: its last write response has come). A full channel holds the producer back.
//
// Arithmetic of addresses. SRAM indices are sums modulo 2^16 (so a stride above 2^15 steps backwards); an index that is
// not below the depth of its buffer is an error. DRAM byte offsets are sums modulo 2^48; a run of bytes that is not
// inside its window as a whole is an error. The steps of an instruction have the effect of being done one after the
// other in the order of the nest: a step sees what earlier ones wrote. After an error nothing is said about SRAM and
// about the memory behind the windows that the program may write; nothing else changes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/spec/field.h"
#include "isa/spec/memories.h"
#include "isa/spec/units.h"

namespace vdla::isa {

// Lists: X(enumerator, code, "text", "doc").

#define VDLA_OPCODES(X)                                                                       \
  X(Load, 1, "load", "moves a pattern of byte runs from a DRAM window into a buffer, with padding") \
  X(Store, 2, "store", "moves entries of the out buffer to a DRAM window")                    \
  X(Gemm, 3, "gemm", "an affine nest of matrix-vector steps")                                 \
  X(Vector, 4, "vector", "an affine nest of element-wise steps")                              \
  X(Finish, 5, "finish", "waits until every unit is idle, then raises done with a sequence number")

// Operand b of a vector instruction.
#define VDLA_VECTOR_B(X)                                 \
  X(None, 0, "none", "absent: each operation says what p is then") \
  X(Par, 1, "par", "par[b][n]")                          \
  X(Imm, 2, "imm", "the immediate, sign-extended")

#define VDLA_ENUMERATOR(name, code, text, doc) name = code,
enum class Opcode : std::uint8_t { VDLA_OPCODES(VDLA_ENUMERATOR) };
enum class VectorB : std::uint8_t { VDLA_VECTOR_B(VDLA_ENUMERATOR) };
#undef VDLA_ENUMERATOR

/// The operations of the vector unit: rows of isa/spec/operations.h.
enum class VectorOp : std::uint8_t;
/// Operation of a smallest legal instruction: without operand b it copies operand a.
inline constexpr VectorOp kCopyOperation{2};

#define VDLA_NAMED(name, code, text, doc) NamedCode{text, code, doc},
inline constexpr auto kOpcodes = std::to_array<NamedCode>({VDLA_OPCODES(VDLA_NAMED)});
inline constexpr auto kVectorBs = std::to_array<NamedCode>({VDLA_VECTOR_B(VDLA_NAMED)});
#undef VDLA_NAMED

constexpr std::string_view to_string(Opcode o) { return text_of(kOpcodes, static_cast<unsigned>(o)); }
constexpr std::string_view to_string(VectorB b) { return text_of(kVectorBs, static_cast<unsigned>(b)); }

/// The unit whose queue an instruction goes to.
constexpr Unit unit_of(Opcode o) {
  switch (o) {
    case Opcode::Load: return Unit::Load;
    case Opcode::Store: return Unit::Store;
    case Opcode::Gemm: return Unit::Gemm;
    case Opcode::Vector: return Unit::Vector;
    case Opcode::Finish: return Unit::Fetch;
  }
  return Unit::Fetch;
}

/// Affine levels of gemm and vector; level 0 is the outermost.
inline constexpr unsigned kLevels = 5;
/// Bit of a gemm's reduce_mask that stands for the micro-op counter (bits 0..4: the levels).
inline constexpr unsigned kReduceUopBit = 5;

}  // namespace vdla::isa
