// SPDX-License-Identifier: Apache-2.0
// Single faults planted in good programs: what a wrong compiler or a flipped field might make of them. The
// verifier and the dynamic checker are measured by them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/program/program.h"
#include "isa/random/draw.h"

namespace vdla::isa {

#define VDLA_MUTATIONS(X)                                                               \
  X(DropPop, "drop_pop", "an instruction does not take one of its tokens")              \
  X(DropPush, "drop_push", "an instruction does not give one of its tokens")            \
  X(DropToken, "drop_token", "a token is gone on both sides of its channel")            \
  X(AddPop, "add_pop", "an instruction takes a token more")                             \
  X(AddPush, "add_push", "an instruction gives a token more")                           \
  X(SwapPop, "swap_pop", "a token is taken from another unit")                          \
  X(SwapPush, "swap_push", "a token is given to another unit")                          \
  X(MovePop, "move_pop", "a token is taken by a neighbour of the same unit")            \
  X(MovePush, "move_push", "a token is given by a neighbour of the same unit")          \
  X(SwapNeighbours, "swap_neighbours", "two instructions that follow each other swap")  \
  X(MoveInsn, "move_insn", "an instruction stands elsewhere")                           \
  X(RemoveInsn, "remove_insn", "an instruction is missing")                             \
  X(DuplicateInsn, "duplicate_insn", "an instruction stands there twice")               \
  X(EarlyFinish, "early_finish", "a finish stands inside of the program")               \
  X(SramBase, "sram_base", "another first entry")                                       \
  X(SramStride, "sram_stride", "another distance of entries")                           \
  X(DramOffset, "dram_offset", "another first byte")                                    \
  X(DramStride, "dram_stride", "another distance of bytes")                             \
  X(Extent, "extent", "another count, run or padding")                                  \
  X(Buffer, "buffer", "another buffer")                                                 \
  X(Window, "window", "another window")                                                 \
  X(WindowSize, "window_size", "a window is smaller")                                   \
  X(Flag, "flag", "init, reduce_mask or widen differ")                                  \
  X(Operation, "operation", "another vector operation or operand b")                    \
  X(Value, "value", "another pad value, offset, immediate, clamp, shift or zero point") \
  X(UopRange, "uop_range", "other micro-ops")                                           \
  X(Kernel, "kernel", "a micro-kernel has another base, count or stride")

enum class MutationKind : std::uint8_t {
#define VDLA_ENUM(name, text, doc) name,
  VDLA_MUTATIONS(VDLA_ENUM)
#undef VDLA_ENUM
};
#define VDLA_ENUM(name, text, doc) MutationKind::name,
inline constexpr auto kMutationKinds = std::to_array<MutationKind>({VDLA_MUTATIONS(VDLA_ENUM)});
#undef VDLA_ENUM
std::string_view to_string(MutationKind kind);
std::string_view describe(MutationKind kind);

struct Mutation {
  Program program;
  MutationKind kind = MutationKind::DropPop;
  std::uint32_t insn = 0;  ///< instruction of the good program; of a kernel its number
  std::string what;        ///< "x_count 14 -> 13"
};

/// One change of that kind, at a place and by a value that are drawn; nothing when the program has no place
/// for it. The program that results differs from `good`, and works at most 16 times as long.
std::optional<Mutation> mutate(const Program& good, MutationKind kind, Draw& draw);

}  // namespace vdla::isa
