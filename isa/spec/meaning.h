// SPDX-License-Identifier: Apache-2.0
// Meaning of an operation for a lane, as data: an expression over operands and fields, built by the operators below
// when this compiles. isagen writes it as C++ (isa/generated/operations.h) and as the manual's formula, the compiler as
// the expression of an intrinsic (compiler/intrinsics/meaning.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace vdla::isa {

/// Integers wrap in their type; a cast takes the low bits, or widens with the sign of where it comes from.
enum class TermType : std::uint8_t { I32, U32, U64, Bool };

enum class TermKind : std::uint8_t {
  X,         ///< operand a, sign-extended to 32 bits, + a_offset
  P,         ///< operand b; entry `number` of several
  Field,     ///< field of the instruction: its bits without a sign in U32 and U64, with it in I32
  Constant,  ///< `number`
  Bits,      ///< `width` bits of an I32 from bit `number` on, without a sign
  Cast,
  Add,
  Subtract,
  Multiply,
  ShiftLeft,
  ShiftRight,  ///< shift of U32 or U64: zeros come in
  Less,
  Select,  ///< choice of three: condition, where it holds, where not
  Max,
  Min,
  Magnitude,        ///< absolute value of I32; that of the smallest is itself
  SrdhMul,          ///< support/fixed_point.h
  RoundShiftRight,  ///< support/fixed_point.h
};

constexpr unsigned operands_of(TermKind kind) {
  switch (kind) {
    case TermKind::X:
    case TermKind::P:
    case TermKind::Field:
    case TermKind::Constant: return 0;
    case TermKind::Bits:
    case TermKind::Cast:
    case TermKind::Magnitude: return 1;
    case TermKind::Select: return 3;
    case TermKind::Add:
    case TermKind::Subtract:
    case TermKind::Multiply:
    case TermKind::ShiftLeft:
    case TermKind::ShiftRight:
    case TermKind::Less:
    case TermKind::Max:
    case TermKind::Min:
    case TermKind::SrdhMul:
    case TermKind::RoundShiftRight: return 2;
  }
  return 0;
}

struct Term {
  TermKind kind = TermKind::Constant;
  TermType type = TermType::I32;
  std::int64_t number = 0;
  unsigned width = 0;
  std::string_view field{};
  std::array<std::uint8_t, 3> of{};  ///< earlier terms

  bool operator==(const Term&) const = default;
};

/// A table of terms, each made of earlier ones; the last is the value. The same term stands once.
struct Meaning {
  static constexpr std::size_t kMostTerms = 32;
  std::array<Term, kMostTerms> terms{};
  std::size_t size = 0;

  constexpr Meaning() = default;
  /// A number.
  constexpr Meaning(int number) { add({TermKind::Constant, TermType::I32, number, 0, {}, {}}); }

  constexpr bool empty() const { return size == 0; }
  constexpr const Term& value() const { return terms[size - 1]; }
  constexpr TermType type() const { return value().type; }
  constexpr std::uint8_t add(const Term& term) {
    const auto end = terms.begin() + static_cast<std::ptrdiff_t>(size);
    const auto found = std::find(terms.begin(), end, term);
    if (found == end) {
      if (size == kMostTerms) throw "too many terms";
      terms[size++] = term;
    }
    return static_cast<std::uint8_t>(found - terms.begin());
  }
};

namespace meaning {

constexpr Term term(TermKind kind, TermType type = TermType::I32, std::int64_t number = 0, unsigned width = 0, std::string_view field = {}) {
  return {kind, type, number, width, field, {}};
}

/// `made` over the values of `of`.
constexpr Meaning over(Term made, std::initializer_list<Meaning> of) {
  Meaning result;
  std::size_t operand = 0;
  for (const Meaning& m : of) {
    std::array<std::uint8_t, Meaning::kMostTerms> at{};
    for (std::size_t i = 0; i < m.size; ++i) {
      Term copy = m.terms[i];
      for (unsigned o = 0; o < operands_of(copy.kind); ++o) copy.of[o] = at[copy.of[o]];
      at[i] = result.add(copy);
    }
    made.of[operand++] = at[m.size - 1];
  }
  const std::uint8_t at = result.add(made);
  if (at + 1u != result.size) throw "an operand is the value itself";
  return result;
}

constexpr Meaning both(TermKind kind, const Meaning& a, const Meaning& b) {
  if (a.type() != b.type()) throw "the operands have two types";
  return over(term(kind, kind == TermKind::Less ? TermType::Bool : a.type()), {a, b});
}

inline constexpr Meaning x = over(term(TermKind::X), {});
/// Entry `row` of operand b.
constexpr Meaning par(int row) { return over(term(TermKind::P, TermType::I32, row), {}); }
inline constexpr Meaning p = par(0);
constexpr Meaning field(std::string_view name, TermType type) { return over(term(TermKind::Field, type, 0, 0, name), {}); }
/// Bits `high` to `low`.
constexpr Meaning bits(const Meaning& a, unsigned high, unsigned low) {
  return over(term(TermKind::Bits, TermType::I32, low, high - low + 1), {a});
}
constexpr Meaning cast(TermType type, const Meaning& a) { return over(term(TermKind::Cast, type), {a}); }
constexpr Meaning operator+(const Meaning& a, const Meaning& b) { return both(TermKind::Add, a, b); }
constexpr Meaning operator-(const Meaning& a, const Meaning& b) { return both(TermKind::Subtract, a, b); }
constexpr Meaning operator*(const Meaning& a, const Meaning& b) { return both(TermKind::Multiply, a, b); }
constexpr Meaning operator<<(const Meaning& a, const Meaning& b) { return both(TermKind::ShiftLeft, a, b); }
constexpr Meaning operator>>(const Meaning& a, const Meaning& b) { return both(TermKind::ShiftRight, a, b); }
constexpr Meaning operator<(const Meaning& a, const Meaning& b) { return both(TermKind::Less, a, b); }
constexpr Meaning max(const Meaning& a, const Meaning& b) { return both(TermKind::Max, a, b); }
constexpr Meaning min(const Meaning& a, const Meaning& b) { return both(TermKind::Min, a, b); }
constexpr Meaning magnitude(const Meaning& a) { return over(term(TermKind::Magnitude), {a}); }
constexpr Meaning srdh_mul(const Meaning& a, const Meaning& b) { return both(TermKind::SrdhMul, a, b); }
constexpr Meaning round_shift_right(const Meaning& a, const Meaning& b) { return both(TermKind::RoundShiftRight, a, b); }
constexpr Meaning select(const Meaning& condition, const Meaning& holds, const Meaning& not_so) {
  if (condition.type() != TermType::Bool || holds.type() != not_so.type()) throw "select wants a condition and two of one type";
  return over(term(TermKind::Select, holds.type()), {condition, holds, not_so});
}

}  // namespace meaning
}  // namespace vdla::isa
