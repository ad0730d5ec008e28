// SPDX-License-Identifier: Apache-2.0
// The fields of each instruction and of a micro-op, and what they mean. Apart from isa/spec/insn.h, which nearly
// everything includes: few need a field's place or its text.
#pragma once

#include "isa/spec/field.h"
#include "isa/spec/insn.h"

namespace vdla::isa {

// Fields. Bit i of `pop` is the channel from unit i (load, gemm, vector, store), bit i of `push` the channel to unit i;
// a unit's own bit must be zero.
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
/// Positions (z, y, x) with z < z_count, y < y_pad_before + y_count + y_pad_after =: Y, x < x_pad_before + x_count +
/// x_pad_after =: X. Each position has `run` pieces; a piece is K bytes (inp), N bytes (out, widened par), N*K (wgt),
/// 4*N (par), 8 (uop). Piece r of position (z, y, x) is row x % R of entry sram_base + z*z_sram_stride +
/// y*y_sram_stride + (x / R)*run + r, with R = B rows for inp and out, 1 for the others. Positions inside the padding
/// get pad_value in each byte (a widened piece is widened afterwards); the others come from window byte dram_offset +
/// z*z_dram_stride + (y-y_pad_before)*y_dram_stride + (x-x_pad_before)*x_dram_stride + r*piece bytes. x_count or
/// y_count may be 0 (a pure fill) when padding makes X and Y positive.
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
///   d = acc_base + q.acc + sum(i*acc_stride), s = inp_base + q.inp + sum(i*inp_stride),
///   w = wgt_base + q.wgt + sum(i*wgt_stride)
///   acc[d][b][n] = (first ? 0 : acc[d][b][n]) + sum over k of inp[s][b][k] * wgt[w][n][k]
/// first: init is set and the counter of every level marked in reduce_mask (bit 5: u) is zero. One step starts each
/// cycle.
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

/// VECTOR: the same nest without micro-ops over dst, a and b. r = op(...) as in isa/spec/operations.h; dst acc:
/// acc[dst] = r; dst inp or out: clamp(r + out_zero, clamp_min, clamp_max) as int8, which needs init set and
/// reduce_mask zero (nothing accumulates in an int8 buffer). inp as dst or (but for hsum) as a needs K == N.
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
