// SPDX-License-Identifier: Apache-2.0
// What makes an instruction word legal, as data: each rule is a clause ("one of these comparisons holds")
// over fields and geometry. C++ evaluates it here; the generator writes the same clauses as SystemVerilog
// (vdla_insn_check) and into the manual. A rule's number is its place in the list, from 1: it appears in
// ERROR_ADDR. The lowest broken rule is the one reported.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "isa/spec/geometry.h"
#include "isa/spec/insn.h"

namespace vdla::isa {

using InsnWords = std::array<std::uint64_t, kInsnWords>;

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
  std::span<const Comparison> any_of() const { return {alternatives.data(), count}; }
};

/// All rules in order; rule number i is rules()[i - 1].
std::span<const Rule> rules();
unsigned number_of(const Rule& rule);

inline constexpr unsigned kRuleOpcode = 1;
inline constexpr unsigned kRuleReserved = 2;

/// The fields of an opcode; empty for a code that is none.
std::span<const Field> fields_of(Opcode opcode);

/// Ones where an opcode's words have no field.
InsnWords reserved_mask(Opcode opcode);

/// The field's value, sign-extended when the field is signed.
std::int64_t field_value(const InsnWords& words, const Field& field);

/// A number of the geometry by its name ("inp_depth").
std::int64_t geometry_value(const Geometry& geometry, std::string_view name);

/// The lowest rule that the words break, or null when they are a legal instruction of this geometry.
const Rule* find_broken_rule(const InsnWords& words, const Geometry& geometry);

/// "rule 7 (store_buffer): store takes entries of out": what a diagnosis prints for a rule's number; empty
/// for no such rule.
std::string describe_rule(unsigned number);

}  // namespace vdla::isa
