// SPDX-License-Identifier: Apache-2.0
// What an instruction touches: sets of SRAM entries and of DRAM bytes, as sorted disjoint intervals.
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

/// The points of `a` that are not in `b`.
Intervals minus(const Intervals& a, const Intervals& b);

struct SramAccess {
  Buffer buffer = Buffer::Inp;
  bool write = false;
  Box box;
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

/// Entries of acc that the instruction reads before it writes them itself: what it accumulates onto. Its
/// operands are not included.
Intervals accumulated_entries(const Insn& insn, std::span<const Uop> uops, const Geometry& geometry);

/// Entries of the destination's buffer that a vector instruction reads as operand a without having written
/// them in an earlier step.
Intervals operand_entries(const VectorInsn& insn);

}  // namespace vdla::isa
