// SPDX-License-Identifier: Apache-2.0
// Rules of a legal instruction word, as data (isa/spec/rule.h). C++ evaluates the rules here; the generator writes them
// as SystemVerilog (vdla_insn_check) and into the manual. Those of the vector unit's operations are made of their rows
// (isa/spec/operations.h), the others are written down (isa/spec/legality_rules.h). A rule's number is its place in the
// list, from 1: it appears in ERROR_ADDR. The lowest broken rule is the one reported.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/spec/geometry.h"
#include "isa/spec/insn.h"
#include "isa/spec/rule.h"

namespace vdla::isa {

using InsnWords = std::array<std::uint64_t, kInsnWords>;

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
