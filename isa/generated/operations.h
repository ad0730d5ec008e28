// SPDX-License-Identifier: Apache-2.0
// What the operations of the vector unit compute in a lane.
// Generated from isa/spec by vdla-isagen; do not edit.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "isa/spec/operations.h"
#include "support/fixed_point.h"

namespace vdla::isa {

/// Operand b of a lane: its entries of par, or the immediate, or what it counts as where it is absent.
using LaneB = std::array<std::int32_t, 3>;

/// The value of a step; x is operand a + a_offset.
template <VectorOp Op, class Fields>
[[gnu::always_inline]] constexpr std::int32_t lane_value([[maybe_unused]] const Fields& insn,
    [[maybe_unused]] std::int32_t x, [[maybe_unused]] const LaneB& p) {
  if constexpr (Op == VectorOp::Scale) {
    return round_shift_right(srdh_mul(wrap_shift_left(wrap_add(x, p[0]), static_cast<unsigned>(static_cast<std::int32_t>(static_cast<std::uint32_t>(p[2]) >> 0 & 0x1fu))), p[1]), static_cast<unsigned>(static_cast<std::int32_t>(static_cast<std::uint32_t>(p[2]) >> 8 & 0x1fu)));
  } else if constexpr (Op == VectorOp::Mac) {
    return wrap_mul(x, p[0]);
  } else if constexpr (Op == VectorOp::Add) {
    return wrap_add(x, p[0]);
  } else if constexpr (Op == VectorOp::Max) {
    return x;
  } else if constexpr (Op == VectorOp::Min) {
    return x;
  } else if constexpr (Op == VectorOp::Avg) {
    const auto q = static_cast<std::int32_t>(static_cast<std::uint32_t>((static_cast<std::uint64_t>(static_cast<std::uint32_t>(x < 0 ? wrap_sub(0, x) : x) + static_cast<std::uint32_t>(insn.half)) * static_cast<std::uint64_t>(static_cast<std::uint32_t>(insn.imm))) >> (static_cast<std::uint64_t>(insn.shift) & 63u)));
    return (x < std::int32_t{0}) ? wrap_sub(std::int32_t{0}, q) : q;
  } else if constexpr (Op == VectorOp::Hsum) {
    return wrap_mul(x, p[0]);
  }
}

/// The value of a first step that has an operand b.
template <VectorOp Op, class Fields>
[[gnu::always_inline]] constexpr std::int32_t lane_first([[maybe_unused]] const Fields& insn,
    [[maybe_unused]] std::int32_t x, [[maybe_unused]] const LaneB& p) {
  if constexpr (Op == VectorOp::Max) {
    return std::max(x, p[0]);
  } else if constexpr (Op == VectorOp::Min) {
    return std::min(x, p[0]);
  } else {
    return lane_value<Op>(insn, x, p);
  }
}

/// What an int8 buffer gets of a result.
template <class Fields>
[[gnu::always_inline]] constexpr std::int8_t lane_int8(const Fields& insn, std::int32_t x) {
  return static_cast<std::int8_t>(std::min(std::max(wrap_add(x, static_cast<std::int32_t>(insn.out_zero)), static_cast<std::int32_t>(insn.clamp_min)), static_cast<std::int32_t>(insn.clamp_max)));
}

}  // namespace vdla::isa
