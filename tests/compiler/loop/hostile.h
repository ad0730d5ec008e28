// SPDX-License-Identifier: Apache-2.0
// Functions whose operands are those that processors and languages disagree about: divisors of 0 and -1,
// shifts by negative and large amounts, floats that no integer is. What they compute is the interpreter's, on
// every back end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::loop {

struct HostileCase {
  Func func;
  std::vector<std::vector<std::byte>> arguments;  ///< of the parameters

  std::vector<std::span<std::byte>> spans() { return {arguments.begin(), arguments.end()}; }
};

/// One case for each type of integers: divisions and shifts of pairs of values, and by constants. One for
/// each of F32 and F64: conversions to all integers. Element i is computed by iteration i of a loop of
/// `kind`. `guarded`: only where the first operand is less than the second, as lanes under a mask.
std::vector<HostileCase> hostile_cases(ForKind kind, bool guarded = false);

/// Whether operands are read, or stand as constants in the expression, which then can be folded.
enum class Operands : std::uint8_t { Read, Constant };
/// A function of one expression, drawn by `choices`: always the same for the same bytes. The loop is
/// vectorized or serial, as drawn.
HostileCase drawn_case(std::span<const std::uint8_t> choices, Operands operands);

/// The arguments after a run in the interpreter.
std::vector<std::vector<std::byte>> interpreted(HostileCase hostile);

}  // namespace vdla::loop
