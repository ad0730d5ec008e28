// SPDX-License-Identifier: Apache-2.0
// Footprint of an instruction: sets of SRAM entries and of DRAM bytes, as sorted disjoint intervals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"

namespace vdla::isa {

struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const Interval&) const = default;
};
using Intervals = std::vector<Interval>;

/// base + sum of counter * stride + [0, run), for each of the bases.
struct Box {
  std::vector<std::int64_t> bases;
  std::int64_t run = 1;
  struct Dim {
    std::int64_t count, stride;
  };
  std::vector<Dim> dims;

  std::int64_t lowest() const;
  std::int64_t highest() const;  ///< inclusive
};

/// The box's points as intervals; all must lie in [0, limit).
Intervals intervals_of(const Box& box, std::uint64_t limit);

/// Rows of an entry, bit b: row b.
using RowMask = std::uint16_t;
constexpr RowMask all_rows(unsigned rows) { return static_cast<RowMask>((1u << rows) - 1); }

struct SramAccess {
  Buffer buffer = Buffer::Inp;
  bool write = false;
  Box box;
  RowMask rows = 1;  ///< rows of each entry: a load or store ends in an entry that it touches in part
};

/// SRAM accesses of an instruction; `uops` are the micro-ops of a gemm. Strides are taken as signed where the
/// signed form stays inside the buffer.
std::vector<SramAccess> sram_accesses(const Insn& insn, std::span<const Uop> uops, const Geometry& geometry);

struct DramAccess {
  Window window = Window::Act;
  bool write = false;
  Box box;
};
std::optional<DramAccess> dram_access(const Insn& insn, const Geometry& geometry);

/// Most steps of a gemm or vector instruction that are looked at one by one.
inline constexpr std::uint64_t kMostSteps = 1u << 24;
bool too_long(const Insn& insn);

/// Returns the entries of acc onto which the instruction accumulates: those that it reads before it writes
/// them. Operands are not among them. For an instruction that is too long, there may be more entries than it
/// has.
Intervals accumulated_entries(const Insn& insn, std::span<const Uop> uops, const Geometry& geometry);

/// Entries of the destination's buffer that a vector instruction reads as operand a without having written
/// them in an earlier step; perhaps more of one that is too long.
Intervals operand_entries(const VectorInsn& insn, const Geometry& geometry);

}  // namespace vdla::isa
