// SPDX-License-Identifier: Apache-2.0
// THE operations of the vector unit: an enumerator and a row each. Code that needs a fact of an operation (legality,
// footprints, the verifier, the engines, random programs, the compiler's intrinsics, estimates) asks the row;
// `VectorOp::` stands here and in tests alone (tools/lint/check_operations.py).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "isa/spec/insn.h"
#include "isa/spec/meaning.h"
#include "support/fixed_point.h"

namespace vdla::isa {

enum class VectorOp : std::uint8_t { Scale, Mac, Add, Max, Min, Avg, Hsum };

/// Operand a of a lane.
enum class OperandA : std::uint8_t {
  Lane,  ///< the lane's element of the entry
  Row,   ///< the sum of the entry's row, the same for each lane: only inp has rows to be summed
};

/// How the value of a step and acc[dst] become the new acc[dst]. A first step (see reduce_mask) takes its value alone.
enum class Combine : std::uint8_t {
  Sum,
  Max,
  Min,
  Replace,  ///< no step reads acc[dst]
};

/// Kinds of operand b, and how much of it a step reads.
struct OperandB {
  std::array<bool, kVectorBs.size()> kinds{};  ///< allowed kinds, by code
  unsigned rows = 1;  ///< entries of par, one behind the other; the vector unit keeps more than one until b moves
  std::optional<std::int32_t> absent;  ///< p without operand b; none: the value has no p then

  constexpr bool takes(VectorB kind) const {
    const auto code = static_cast<std::size_t>(kind);
    return code < kinds.size() && kinds[code];
  }
  /// It has no choice.
  constexpr std::optional<VectorB> only() const {
    if (std::ranges::count(kinds, true) != 1) return std::nullopt;
    return static_cast<VectorB>(std::ranges::find(kinds, true) - kinds.begin());
  }
};

/// Fields that mean something to this operation and, but for imm, are zero in others.
struct OwnFields {
  std::array<std::string_view, 3> names{};

  constexpr bool contains(std::string_view name) const { return !name.empty() && std::ranges::find(names, name) != names.end(); }
};

/// 32-bit arithmetic of a lane's step, for estimates of energy.
struct LaneWork {
  unsigned multiplies = 0, adds = 0;
};

struct Operation {
  VectorOp op{};
  std::string_view text;
  OperandA a = OperandA::Lane;
  OperandB b;
  Combine combine = Combine::Sum;
  OwnFields fields;
  LaneWork work;
  std::string_view doc;

  /// The vector unit holds what a step reads of operand b until b moves: a change empties its stages.
  constexpr bool keeps_b() const { return b.rows > 1; }
};

/// Facts of an operation, and its results: `value` is that of a step; `first`, where it is not empty, that of a first
/// step which has an operand b.
struct OperationRow {
  Operation facts;
  Meaning value, first{};
};

namespace operations {
constexpr OperandB b(std::initializer_list<VectorB> kinds, std::optional<std::int32_t> absent = {}, unsigned rows = 1) {
  OperandB operand{{}, rows, absent};
  for (const VectorB kind : kinds) operand.kinds[static_cast<std::size_t>(kind)] = true;
  return operand;
}
constexpr std::optional<std::int32_t> absent(std::int32_t value) { return value; }

using namespace meaning;
using enum VectorB;
using enum OperandA;
using enum TermType;

inline constexpr Meaning kQuotient =
    cast(I32, cast(U32, (cast(U64, cast(U32, magnitude(x)) + field("half", U32)) * field("imm", U64)) >> field("shift", U64)));

// clang-format off
inline constexpr auto kRows = std::to_array<OperationRow>({
    {{VectorOp::Scale, "scale", Lane, b({Par}, {}, 3), Combine::Sum, {}, {.multiplies = 1, .adds = 3},
      "requantises: bias, multiplier and shifts of each channel"},
     round_shift_right(srdh_mul((x + par(0)) << bits(par(2), 4, 0), par(1)), bits(par(2), 12, 8))},
    {{VectorOp::Mac, "mac", Lane, b({None, Par, Imm}, absent(1)), Combine::Sum, {}, {.multiplies = 1, .adds = 1}, ""}, x * p},
    {{VectorOp::Add, "add", Lane, b({None, Par, Imm}, absent(0)), Combine::Sum, {}, {.adds = 1}, ""}, x + p},
    {{VectorOp::Max, "max", Lane, b({None, Par, Imm}), Combine::Max, {}, {.adds = 1}, ""}, x, max(x, p)},
    {{VectorOp::Min, "min", Lane, b({None, Par, Imm}), Combine::Min, {}, {.adds = 1}, ""}, x, min(x, p)},
    {{VectorOp::Avg, "avg", Lane, b({None}), Combine::Replace, {{"half", "imm", "shift"}}, {.multiplies = 1, .adds = 1},
      "division with halves away from zero"},
     select(x < 0, 0 - kQuotient, kQuotient)},
    {{VectorOp::Hsum, "hsum", Row, b({None, Par, Imm}, absent(1)), Combine::Sum, {}, {.multiplies = 1, .adds = 1},
      "corrects for a weight zero point"},
     x * p},
});
// clang-format on

/// Byte that an int8 buffer gets of a result x.
inline constexpr Meaning kInt8Result = min(max(x + field("out_zero", I32), field("clamp_min", I32)), field("clamp_max", I32));
}  // namespace operations

/// Operations by code.
inline constexpr auto kOperations = [] {
  std::array<Operation, operations::kRows.size()> facts{};
  for (std::size_t i = 0; i < facts.size(); ++i) facts[i] = operations::kRows[i].facts;
  return facts;
}();

static_assert([] {
  for (std::size_t i = 0; i < kOperations.size(); ++i)
    if (static_cast<std::size_t>(kOperations[i].op) != i || kOperations[i].text.empty()) return false;
  return true;
}(), "rows stand in the order of the enumerators");

/// Names and codes, as the other tables of insn.h have them.
inline constexpr auto kVectorOps = [] {
  std::array<NamedCode, kOperations.size()> codes{};
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = {kOperations[i].text, static_cast<unsigned>(i), kOperations[i].doc};
  return codes;
}();

constexpr std::string_view to_string(VectorOp op) { return text_of(kVectorOps, static_cast<unsigned>(op)); }

/// Operation of a code that has none; damaged words have such.
inline constexpr Operation kNoOperation{};

constexpr const Operation& operation_of(VectorOp op) {
  const auto code = static_cast<std::size_t>(op);
  return code < kOperations.size() ? kOperations[code] : kNoOperation;
}

/// Row of an operation; `op` is one of the table.
constexpr const OperationRow& row_of(VectorOp op) { return operations::kRows[static_cast<std::size_t>(op)]; }

/// An operation that one picks by its name, known when this compiles: operation_named("mac").
consteval VectorOp operation_named(std::string_view text) {
  for (const Operation& row : kOperations)
    if (row.text == text) return row.op;
  throw "no operation of this name";
}

/// Calls f.operator()<op>(), so that an operation can be a constant; does nothing for a code that is none.
template <class F>
[[gnu::always_inline]] constexpr void with_operation(VectorOp op, F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    static_cast<void>(((op == kOperations[I].op ? (f.template operator()<kOperations[I].op>(), true) : false) || ...));
  }(std::make_index_sequence<kOperations.size()>{});
}

/// The new acc[dst] of a step that is not first.
constexpr std::int32_t combined(Combine how, std::int32_t c, std::int32_t value) {
  switch (how) {
    case Combine::Sum: return wrap_add(c, value);
    case Combine::Max: return std::max(c, value);
    case Combine::Min: return std::min(c, value);
    case Combine::Replace: return value;
  }
  return value;
}

/// A step that is not first reads acc[dst].
constexpr bool reads_accumulator(VectorOp op, Buffer dst) {
  return dst == Buffer::Acc && operation_of(op).combine != Combine::Replace;
}

/// Entries of par that a step reads.
constexpr unsigned par_entries(VectorOp op, VectorB b) { return b == VectorB::Par ? operation_of(op).b.rows : 0; }

static_assert(kCopyOperation == VectorOp::Add && operation_of(kCopyOperation).b.absent == 0, "it copies operand a where b is absent");

}  // namespace vdla::isa
