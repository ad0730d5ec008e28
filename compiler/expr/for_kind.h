// SPDX-License-Identifier: Apache-2.0
// Kinds of loops.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vdla::expr {

// name, text: what a schedule makes of an axis and what a loop is. The kind never changes the meaning: an
// interpreter may run all loops in order. Iterations of loops that are neither Serial nor Unrolled are
// independent; Vectorized, Unrolled and VThread loops have a constant extent. Block and thread loops are
// spread over a grid by a target that has one; a thread loop inside of another one of the same kind is the
// same threads, each doing its share.
#define VDLA_FOR_KINDS(X)     \
  X(Serial, "serial")         \
  X(Parallel, "parallel")     \
  X(Unrolled, "unrolled")     \
  X(Vectorized, "vectorized") \
  X(BlockX, "block.x")        \
  X(BlockY, "block.y")        \
  X(BlockZ, "block.z")        \
  X(ThreadX, "thread.x")      \
  X(ThreadY, "thread.y")      \
  X(ThreadZ, "thread.z")      \
  X(VThread, "vthread")

enum class ForKind : std::uint8_t {
#define VDLA_ENUM(name, text) name,
  VDLA_FOR_KINDS(VDLA_ENUM)
#undef VDLA_ENUM
};
std::string_view name(ForKind kind);
/// Any axis of a grid, virtual threads among them.
inline bool is_grid(ForKind kind) { return kind >= ForKind::BlockX; }
inline bool is_block(ForKind kind) { return kind >= ForKind::BlockX && kind <= ForKind::BlockZ; }
inline bool is_thread(ForKind kind) { return kind >= ForKind::ThreadX && kind <= ForKind::ThreadZ; }
/// The kind of that text, or nothing.
std::optional<ForKind> parse_for_kind(std::string_view text);

}  // namespace vdla::expr
