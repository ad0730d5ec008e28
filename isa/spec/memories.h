// SPDX-License-Identifier: Apache-2.0
// The memories of the machine: buffers on the chip, windows of DRAM, and the widths of their indices. Apart from
// isa/spec/insn.h, since a geometry and the tensors of modules need no instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vdla::isa {

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

#define VDLA_ENUMERATOR(name, code, text, doc) name = code,
enum class Buffer : std::uint8_t { VDLA_BUFFERS(VDLA_ENUMERATOR) };
enum class Window : std::uint8_t { VDLA_WINDOWS(VDLA_ENUMERATOR) };
#undef VDLA_ENUMERATOR

struct NamedCode {
  std::string_view text;
  unsigned code;
  std::string_view doc;
};
#define VDLA_NAMED(name, code, text, doc) NamedCode{text, code, doc},
inline constexpr auto kBuffers = std::to_array<NamedCode>({VDLA_BUFFERS(VDLA_NAMED)});
inline constexpr auto kWindows = std::to_array<NamedCode>({VDLA_WINDOWS(VDLA_NAMED)});
#undef VDLA_NAMED
inline constexpr unsigned kWindowCount = kWindows.size();

/// The text of a code, empty when there is none.
template <std::size_t N>
constexpr std::string_view text_of(const std::array<NamedCode, N>& table, unsigned code) {
  for (const NamedCode& row : table)
    if (row.code == code) return row.text;
  return {};
}

constexpr std::string_view to_string(Buffer b) { return text_of(kBuffers, static_cast<unsigned>(b)); }
constexpr std::string_view to_string(Window w) { return text_of(kWindows, static_cast<unsigned>(w)); }

/// Index widths: no buffer of any variant has more than 2^16 entries.
inline constexpr unsigned kIndexBits = 16;
inline constexpr unsigned kMaxDepth = 1u << kIndexBits;

}  // namespace vdla::isa
