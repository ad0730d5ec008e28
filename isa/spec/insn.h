// SPDX-License-Identifier: Apache-2.0
// THE instruction set: units, token channels, buffers, windows, opcodes and their fields. Codec, assembler, SystemVerilog package, checker,
// C header, manual and random generator are derived from these tables. The meaning of each instruction is isa/semantics.
//
// The machine. An array of B x K x N multipliers (batch x block_in x block_out, isa/spec/geometry.h). Units load, gemm, vector, store work through
// queues of their own, each in program order, and synchronise only by dependence tokens: one channel for each ordered pair of different units. An
// instruction pops at most one token of each incoming channel before it starts, and pushes at most one into each outgoing channel when it has
// completed (a load: its last byte is in SRAM; a store: its last write response has come). A full channel holds the producer back.
//
// Arithmetic of addresses. SRAM indices are sums modulo 2^16 (so a stride above 2^15 steps backwards); an index that is not below the depth of
// its buffer is an error. DRAM byte offsets are sums modulo 2^48; a run of bytes that is not inside its window as a whole is an error. The steps of
// an instruction have the effect of being done one after the other in the order of the nest: a step sees what earlier ones wrote.
// After an error nothing is said about SRAM and about the memory behind the windows that the program may write; nothing else changes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/spec/field.h"

namespace vdla::isa {

// Lists: X(enumerator, code, "text", "doc").

#define VDLA_UNITS(X)                                                      \
  X(Load, 0, "load", "DRAM to SRAM")                                       \
  X(Gemm, 1, "gemm", "matrix products into the accumulators")              \
  X(Vector, 2, "vector", "requantise, add, pool, depthwise, per element")  \
  X(Store, 3, "store", "out buffer to DRAM")                               \
  X(Fetch, 4, "fetch", "reads, checks and dispatches instructions")

/// Units that have a queue and take part in tokens: all but fetch.
inline constexpr unsigned kQueueUnits = 4;

#define VDLA_OPCODES(X)                                                                       \
  X(Load, 1, "load", "moves a pattern of byte runs from a DRAM window into a buffer, with padding") \
  X(Store, 2, "store", "moves entries of the out buffer to a DRAM window")                    \
  X(Gemm, 3, "gemm", "an affine nest of matrix-vector steps")                                 \
  X(Vector, 4, "vector", "an affine nest of element-wise steps")                              \
  X(Finish, 5, "finish", "waits until every unit is idle, then raises done with a sequence number")

// X(enumerator, code, "text", "doc"); sizes of an entry are in geometry.h.
#define VDLA_BUFFERS(X)                                                                                   \
  X(Inp, 0, "inp", "activations, B x K int8; written by load and vector, read by gemm and vector")        \
  X(Wgt, 1, "wgt", "weights, N x K int8, row n is output channel n; written by load, read by gemm")        \
  X(Acc, 2, "acc", "register file of accumulators, B x N int32; written and read by gemm and vector")      \
  X(Out, 3, "out", "results and residual operands, B x N int8; written by vector and load, read by vector and store") \
  X(Par, 4, "par", "per-channel parameters, N int32, same for each row of the batch; written by load, read by vector") \
  X(Uop, 5, "uop", "micro-ops of gemm, 8 bytes; written by load, read by gemm")

#define VDLA_WINDOWS(X)                                              \
  X(Insn, 0, "insn", "the instruction stream")                       \
  X(Uop, 1, "uop", "micro-ops, written by the runtime")              \
  X(Const, 2, "const", "weights and parameters")                     \
  X(Act, 3, "act", "intermediate activations")                       \
  X(Input, 4, "input", "inputs of the network")                      \
  X(Output, 5, "output", "outputs of the network")                   \
  X(Spare0, 6, "spare0", "free for the driver")                      \
  X(Spare1, 7, "spare1", "free for the driver")

// The vector operations. x is operand a (sign-extended to 32 bits) + a_offset; p is operand b; c is acc[dst]; `first` as in gemm (see reduce_mask).
// All arithmetic is int32 and wraps, except srdh_mul and round_shift_right (support/fixed_point.h).
#define VDLA_VECTOR_OPS(X)                                                                                                         \
  X(Scale, 0, "scale",                                                                                                             \
    "v = round_shift_right(srdh_mul((x + par[b][n]) << left, par[b+1][n]), right), left = par[b+2][n][4:0], right = par[b+2][n][12:8]; first ? v : c + v") \
  X(Mac, 1, "mac", "(first ? 0 : c) + x * p")                                                                                      \
  X(Add, 2, "add", "(first ? 0 : c) + x + p")                                                                                      \
  X(Max, 3, "max", "max(first ? p : c, x); p absent: first gives x")                                                               \
  X(Min, 4, "min", "min(first ? p : c, x); p absent: first gives x")                                                               \
  X(Avg, 5, "avg", "sign(x) * (((|x| + half) * unsigned(imm)) >> shift), 64-bit product: division with halves away from zero")     \
  X(Hsum, 6, "hsum", "(first ? 0 : c) + x * p with x = (sum over k of a[k]) + a_offset for every n; a must be inp: corrects for a weight zero point")

// Operand b of a vector instruction.
#define VDLA_VECTOR_B(X)                                 \
  X(None, 0, "none", "absent: 0 for add, 1 for mac and hsum") \
  X(Par, 1, "par", "par[b][n]")                          \
  X(Imm, 2, "imm", "the immediate, sign-extended")

#define VDLA_ENUMERATOR(name, code, text, doc) name = code,
enum class Unit : std::uint8_t { VDLA_UNITS(VDLA_ENUMERATOR) };
enum class Opcode : std::uint8_t { VDLA_OPCODES(VDLA_ENUMERATOR) };
enum class Buffer : std::uint8_t { VDLA_BUFFERS(VDLA_ENUMERATOR) };
enum class Window : std::uint8_t { VDLA_WINDOWS(VDLA_ENUMERATOR) };
enum class VectorOp : std::uint8_t { VDLA_VECTOR_OPS(VDLA_ENUMERATOR) };
enum class VectorB : std::uint8_t { VDLA_VECTOR_B(VDLA_ENUMERATOR) };
#undef VDLA_ENUMERATOR

struct NamedCode {
  std::string_view text;
  unsigned code;
  std::string_view doc;
};
#define VDLA_NAMED(name, code, text, doc) NamedCode{text, code, doc},
inline constexpr auto kUnits = std::to_array<NamedCode>({VDLA_UNITS(VDLA_NAMED)});
inline constexpr auto kOpcodes = std::to_array<NamedCode>({VDLA_OPCODES(VDLA_NAMED)});
inline constexpr auto kBuffers = std::to_array<NamedCode>({VDLA_BUFFERS(VDLA_NAMED)});
inline constexpr auto kWindows = std::to_array<NamedCode>({VDLA_WINDOWS(VDLA_NAMED)});
inline constexpr auto kVectorOps = std::to_array<NamedCode>({VDLA_VECTOR_OPS(VDLA_NAMED)});
inline constexpr auto kVectorBs = std::to_array<NamedCode>({VDLA_VECTOR_B(VDLA_NAMED)});
#undef VDLA_NAMED

/// The text of a code, empty when there is none.
template <std::size_t N>
constexpr std::string_view text_of(const std::array<NamedCode, N>& table, unsigned code) {
  for (const NamedCode& row : table)
    if (row.code == code) return row.text;
  return {};
}

constexpr std::string_view to_string(Unit u) { return text_of(kUnits, static_cast<unsigned>(u)); }
constexpr std::string_view to_string(Opcode o) { return text_of(kOpcodes, static_cast<unsigned>(o)); }
constexpr std::string_view to_string(Buffer b) { return text_of(kBuffers, static_cast<unsigned>(b)); }
constexpr std::string_view to_string(Window w) { return text_of(kWindows, static_cast<unsigned>(w)); }
constexpr std::string_view to_string(VectorOp o) { return text_of(kVectorOps, static_cast<unsigned>(o)); }
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

/// Index widths: no buffer of any variant has more than 2^16 entries.
inline constexpr unsigned kIndexBits = 16;
inline constexpr unsigned kMaxDepth = 1u << kIndexBits;
/// Affine levels of gemm and vector; level 0 is the outermost.
inline constexpr unsigned kLevels = 5;
/// Bit of a gemm's reduce_mask that stands for the micro-op counter (bits 0..4: the levels).
inline constexpr unsigned kReduceUopBit = 5;

// Fields. Bit i of `pop` is the channel from unit i (load, gemm, vector, store), bit i of `push` the channel to unit i; a unit's own bit must be zero.
#define VDLA_HEADER_FIELDS                               \
  {"opcode", 4, "see opcodes"},                          \
  {"pop", 4, "channels to pop a token from, by producing unit"}, \
  {"push", 4, "channels to push a token into, by consuming unit"}

#define VDLA_LEVEL_FIELDS(i, dst, a, b)                           \
  {"count" #i, 16, "iterations of level " #i ", at least 1"},     \
  {dst #i, 16, "entries per iteration"},                          \
  {a #i, 16, "entries per iteration"},                            \
  {b #i, 16, "entries per iteration"}

/// LOAD and STORE share one layout (store: no padding, no widening, buffer out).
///
/// Positions (z, y, x) with z < z_count, y < y_pad_before + y_count + y_pad_after =: Y, x < x_pad_before + x_count + x_pad_after =: X. Each position has `run` pieces;
/// a piece is K bytes (inp), N bytes (out, widened par), N*K (wgt), 4*N (par), 8 (uop). Piece r of position (z, y, x) is row x % R of entry
/// sram_base + z*z_sram_stride + y*y_sram_stride + (x / R)*run + r, with R = B rows for inp and out, 1 for the others. Positions inside the padding
/// get pad_value in each byte (a widened piece is widened afterwards); the others come from window byte dram_offset + z*z_dram_stride + (y-y_pad_before)*y_dram_stride + (x-x_pad_before)*x_dram_stride + r*piece bytes.
/// x_count or y_count may be 0 (a pure fill) when padding makes X and Y positive.
inline constexpr auto kMemoryFields = pack(std::to_array<Field>({
    VDLA_HEADER_FIELDS,
    {"buffer", 4, "see buffers; load: inp, wgt, out, par, uop; store: out"},
    {"window", 4, "see windows"},
    {"widen", 1, "load of par only: pieces are N int8, sign-extended to int32"},
    {"pad_value", 8, "each byte of the padding", Signedness::Signed},
    {"sram_base", 16, "first entry"},
    {"dram_offset", 48, "byte offset in the window"},
    {"run", 16, "pieces per position, contiguous in DRAM and SRAM, at least 1"},
    {"x_count", 16, "positions along x read from DRAM"},
    {"y_count", 16, "rows read from DRAM"},
    {"z_count", 16, "planes, at least 1"},
    {"y_sram_stride", 16, "entries from row to row"},
    {"x_dram_stride", 32, "bytes from position to position"},
    {"y_dram_stride", 32, "bytes from row to row"},
    {"z_dram_stride", 32, "bytes from plane to plane"},
    {"z_sram_stride", 16, "entries from plane to plane"},
    {"x_pad_before", 16, "positions of padding before the first"},
    {"x_pad_after", 16, "positions of padding after the last"},
    {"y_pad_before", 16, "rows of padding before the first"},
    {"y_pad_after", 16, "rows of padding after the last"},
}), kInsnWords * kWordBits);

/// GEMM: for i0 < count0 .. for i4 < count4, for u < uop_count, with q = uop[uop_begin + u]:
///   d = acc_base + q.acc + sum(i*acc_stride), s = inp_base + q.inp + sum(i*inp_stride), w = wgt_base + q.wgt + sum(i*wgt_stride)
///   acc[d][b][n] = (first ? 0 : acc[d][b][n]) + sum over k of inp[s][b][k] * wgt[w][n][k]
/// first: init is set and the counter of every level marked in reduce_mask (bit 5: u) is zero. One step starts each cycle.
inline constexpr auto kGemmFields = pack(std::to_array<Field>({
    VDLA_HEADER_FIELDS,
    {"init", 1, "the first iteration of the reduction overwrites"},
    {"reduce_mask", 6, "levels that reduce (bit 5: the micro-op loop)"},
    {"uop_begin", 16, "first micro-op"},
    {"uop_count", 16, "micro-ops, at least 1"},
    {"acc_base", 16, "entry"},
    {"inp_base", 16, "entry"},
    {"wgt_base", 16, "entry"},
    {kNextWord, 0},
    VDLA_LEVEL_FIELDS(0, "acc_stride", "inp_stride", "wgt_stride"),
    VDLA_LEVEL_FIELDS(1, "acc_stride", "inp_stride", "wgt_stride"),
    VDLA_LEVEL_FIELDS(2, "acc_stride", "inp_stride", "wgt_stride"),
    VDLA_LEVEL_FIELDS(3, "acc_stride", "inp_stride", "wgt_stride"),
    VDLA_LEVEL_FIELDS(4, "acc_stride", "inp_stride", "wgt_stride"),
}), kInsnWords * kWordBits);

/// VECTOR: the same nest without micro-ops over dst, a and b. r = op(...) as in VDLA_VECTOR_OPS; dst acc: acc[dst] = r; dst inp or out:
/// clamp(r + out_zero, clamp_min, clamp_max) as int8, which needs init set and reduce_mask zero (nothing accumulates in an int8 buffer). inp as dst or (but for hsum) as a
/// needs K == N.
inline constexpr auto kVectorFields = pack(std::to_array<Field>({
    VDLA_HEADER_FIELDS,
    {"op", 4, "see vector operations"},
    {"dst_buffer", 4, "acc, inp or out"},
    {"a_buffer", 4, "acc, inp or out"},
    {"b_kind", 2, "see operand b"},
    {"init", 1, "the first iteration of the reduction does not read acc[dst]"},
    {"reduce_mask", 5, "levels that reduce"},
    {"shift", 6, "avg: right shift of the product"},
    {"half", 16, "avg: half of the divisor, rounded down"},
    {"dst_base", 16, "entry"},
    {"a_base", 16, "entry"},
    {"b_base", 16, "entry of par"},
    {"a_offset", 16, "added to operand a", Signedness::Signed},
    {"imm", 32, "immediate (avg: unsigned reciprocal)", Signedness::Signed},
    {"out_zero", 16, "zero point added to an int8 result", Signedness::Signed},
    {"clamp_min", 8, "lower bound of an int8 result", Signedness::Signed},
    {"clamp_max", 8, "upper bound of an int8 result", Signedness::Signed},
    {kNextWord, 0},
    VDLA_LEVEL_FIELDS(0, "dst_stride", "a_stride", "b_stride"),
    VDLA_LEVEL_FIELDS(1, "dst_stride", "a_stride", "b_stride"),
    VDLA_LEVEL_FIELDS(2, "dst_stride", "a_stride", "b_stride"),
    VDLA_LEVEL_FIELDS(3, "dst_stride", "a_stride", "b_stride"),
    VDLA_LEVEL_FIELDS(4, "dst_stride", "a_stride", "b_stride"),
}), kInsnWords * kWordBits);

inline constexpr auto kFinishFields = pack(std::to_array<Field>({
    VDLA_HEADER_FIELDS,
    {"sequence", 32, "appears in register SEQUENCE"},
}), kInsnWords * kWordBits);

inline constexpr auto kUopFields = pack(std::to_array<Field>({
    {"acc", 16, "added to the accumulator index"},
    {"inp", 16, "added to the activation index"},
    {"wgt", 16, "added to the weight index"},
}), kUopBytes * 8);

#undef VDLA_HEADER_FIELDS
#undef VDLA_LEVEL_FIELDS

}  // namespace vdla::isa
