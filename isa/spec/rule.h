// SPDX-License-Identifier: Apache-2.0
// A rule of legality as data: a clause ("one of these comparisons holds") over fields and numbers of the
// geometry (isa/spec/legality.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "isa/spec/insn.h"

namespace vdla::isa {

/// One side of a comparison: the sum of up to three fields, one bit of a field, a constant, or a number of
/// the geometry.
struct Operand {
  enum class Kind : std::uint8_t { Fields, Bit, Constant, Geometry };
  Kind kind = Kind::Constant;
  std::array<std::string_view, 3> names{};
  std::int64_t value = 0;  ///< the constant, the bit's position, or what is added to the fields
};

enum class Compare : std::uint8_t { Equal, NotEqual, Less, LessEqual, GreaterEqual };

struct Comparison {
  Operand left;
  Compare compare = Compare::Equal;
  Operand right;
};

namespace legality {

constexpr Operand field(std::string_view name) { return {Operand::Kind::Fields, {name}, 0}; }
constexpr Operand sum(std::string_view a, std::string_view b, std::string_view c = "") {
  return {Operand::Kind::Fields, {a, b, c}, 0};
}
constexpr Operand operator+(Operand fields, std::int64_t n) { return fields.value += n, fields; }
constexpr Operand bit(std::string_view name, Unit unit) {
  return {Operand::Kind::Bit, {name}, static_cast<std::int64_t>(unit)};
}
constexpr Operand constant(std::int64_t value) { return {Operand::Kind::Constant, {}, value}; }
template <class Enum>
constexpr Operand code(Enum value) {
  return constant(static_cast<std::int64_t>(value));
}
constexpr Operand geometry(std::string_view name) { return {Operand::Kind::Geometry, {name}, 0}; }

constexpr Comparison operator==(Operand a, Operand b) { return {a, Compare::Equal, b}; }
constexpr Comparison operator!=(Operand a, Operand b) { return {a, Compare::NotEqual, b}; }
constexpr Comparison operator<(Operand a, Operand b) { return {a, Compare::Less, b}; }
constexpr Comparison operator<=(Operand a, Operand b) { return {a, Compare::LessEqual, b}; }
constexpr Comparison operator>=(Operand a, Operand b) { return {a, Compare::GreaterEqual, b}; }

}  // namespace legality

inline constexpr unsigned kMaxAlternatives = 6;

/// Legal when the instruction has another opcode or when one of the alternatives holds. The first two rules
/// of the list (a known opcode, reserved bits zero) have no alternatives: they are computed from the tables
/// of opcodes and fields.
struct Rule {
  std::string_view name;
  Opcode opcode = Opcode::Load;
  std::string_view doc;
  std::array<Comparison, kMaxAlternatives> alternatives{};
  unsigned count = 0;

  constexpr Rule(std::string_view rule_name, std::string_view rule_doc) : name(rule_name), doc(rule_doc) {}
  constexpr Rule(std::string_view rule_name, Opcode op, std::string_view rule_doc,
                 std::initializer_list<Comparison> list)
      : name(rule_name), opcode(op), doc(rule_doc), count(static_cast<unsigned>(list.size())) {
    if (list.size() > kMaxAlternatives) throw "too many alternatives";
    std::copy(list.begin(), list.end(), alternatives.begin());
  }
  Rule(std::string_view rule_name, Opcode op, std::string_view rule_doc, std::span<const Comparison> list)
      : name(rule_name), opcode(op), doc(rule_doc), count(static_cast<unsigned>(list.size())) {
    if (list.size() > kMaxAlternatives) throw "too many alternatives";
    std::ranges::copy(list, alternatives.begin());
  }
  std::span<const Comparison> any_of() const { return {alternatives.data(), count}; }
};

}  // namespace vdla::isa
