// SPDX-License-Identifier: Apache-2.0
// isa/generated/operations.h: the values of the rows as C++ over int32.
#include <fmt/format.h>

#include <iterator>

#include "isa/gen/emit.h"
#include "isa/gen/meaning_text.h"
#include "isa/gen/names.h"
#include "support/element_with.h"
#include "support/error.h"

namespace vdla::isa::gen {
namespace {

const char* cpp_type(TermType type) {
  switch (type) {
    case TermType::I32:
      return "std::int32_t";
    case TermType::U32:
      return "std::uint32_t";
    case TermType::U64:
      return "std::uint64_t";
    case TermType::Bool:
      return "bool";
  }
  return "";
}

std::string cast_to(TermType type, const std::string& text) {
  return fmt::format("static_cast<{}>({})", cpp_type(type), bare(text));
}

std::string cpp_leaf(const Term& term) {
  switch (term.kind) {
    case TermKind::X:
      return "x";
    case TermKind::P:
      return fmt::format("p[{}]", term.number);
    case TermKind::Field: {
      const Field& field = element_with(std::span<const Field>(kVectorFields), term.field, &Field::name);
      std::string bits = fmt::format("insn.{}", term.field);
      if (field.is_signed() && term.type != TermType::I32)  // no copies of the sign
        bits = fmt::format("static_cast<std::uint{}_t>({})", field.width, bits);
      return cast_to(term.type, bits);
    }
    default:
      return fmt::format("std::int32_t{{{}}}", term.number);
  }
}

/// I32 wraps by the functions of support/fixed_point.h, unsigned types by themselves.
std::string cpp_node(const Term& term, const std::vector<std::string>& of) {
  const bool wraps = term.type == TermType::I32;
  const auto call = [&](const char* name) {
    return fmt::format("{}({}, {})", name, bare(of[0]), bare(of[1]));
  };
  const auto infix = [&](const char* symbol) { return fmt::format("({} {} {})", of[0], symbol, of[1]); };
  const auto shift = [&](const char* name) {
    return fmt::format("{}({}, static_cast<unsigned>({}))", name, bare(of[0]), bare(of[1]));
  };
  // An amount that is below the width for the compiler to see: it makes vector code of it then.
  const auto shift_of_bits = [&](const char* symbol) {
    return fmt::format("({} {} ({} & {}u))", of[0], symbol, bare(of[1]),
                       term.type == TermType::U64 ? 63 : 31);
  };
  switch (term.kind) {
    case TermKind::Bits:
      return fmt::format("static_cast<std::int32_t>(static_cast<std::uint32_t>({}) >> {} & 0x{:x}u)",
                         bare(of[0]), term.number, (std::uint64_t{1} << term.width) - 1);
    case TermKind::Cast:
      return cast_to(term.type, of[0]);
    case TermKind::Magnitude:
      return fmt::format("({0} < 0 ? wrap_sub(0, {0}) : {0})", of[0]);
    case TermKind::Add:
      return wraps ? call("wrap_add") : infix("+");
    case TermKind::Subtract:
      return wraps ? call("wrap_sub") : infix("-");
    case TermKind::Multiply:
      return wraps ? call("wrap_mul") : infix("*");
    case TermKind::ShiftLeft:
      return wraps ? shift("wrap_shift_left") : shift_of_bits("<<");
    case TermKind::ShiftRight:
      VDLA_CHECK(!wraps) << "a shift right of I32 has no wrapping function";
      return shift_of_bits(">>");
    case TermKind::Less:
      return infix("<");
    case TermKind::Max:
      return call("std::max");
    case TermKind::Min:
      return call("std::min");
    case TermKind::SrdhMul:
      return call("srdh_mul");
    case TermKind::RoundShiftRight:
      return shift("round_shift_right");
    case TermKind::Select:
      return fmt::format("({} ? {} : {})", of[0], of[1], of[2]);
    default:
      VDLA_CHECK(false) << "a leaf has no operands";
      return "";
  }
}

std::string body(const Meaning& meaning, std::string_view indent, std::string_view type = "") {
  const MeaningText text = written(meaning, {cpp_leaf, cpp_node});
  std::string lines;
  for (const auto& [name, value] : text.named)
    lines += fmt::format("{}const auto {} = {};\n", indent, name, bare(value));
  const std::string value = bare(text.value);
  return lines + fmt::format("{}return {};\n", indent,
                             type.empty() ? value : fmt::format("static_cast<{}>({})", type, value));
}

/// One function for all operations: that of an operation's row, a constant when it is compiled.
std::string function(std::string_view name, std::string_view doc, Meaning OperationRow::* meaning) {
  std::string text = fmt::format(
      "\n/// {}\ntemplate <VectorOp Op, class Fields>\n[[gnu::always_inline]] constexpr std::int32_t {}("
      "[[maybe_unused]] const Fields& insn,\n    [[maybe_unused]] std::int32_t x, [[maybe_unused]] const "
      "LaneB& p) {{\n",
      doc, name);
  std::string_view otherwise = "  if";
  for (const OperationRow& row : operations::kRows) {
    if ((row.*meaning).empty()) continue;
    text += fmt::format("{} constexpr (Op == VectorOp::{}) {{\n{}  }}", otherwise, camel(row.facts.text),
                        body(row.*meaning, "    "));
    otherwise = " else if";
  }
  return text;
}

}  // namespace

std::string cpp_operations() {
  std::string text = banner("//", "What the operations of the vector unit compute in a lane.");
  unsigned rows = 1;
  for (const Operation& row : kOperations) rows = std::max(rows, row.b.rows);
  text += fmt::format(
      "#pragma once\n\n#include <algorithm>\n#include <array>\n#include <cstdint>\n\n"
      "#include \"isa/spec/operations.h\"\n#include \"support/fixed_point.h\"\n\nnamespace vdla::isa {{\n\n"
      "/// Operand b of a lane: its entries of par, or the immediate, or what it counts as where it is "
      "absent.\n"
      "using LaneB = std::array<std::int32_t, {}>;\n",
      rows);
  text += function("lane_value", "The value of a step; x is operand a + a_offset.", &OperationRow::value) +
          "\n}\n";
  text += function("lane_first", "The value of a first step that has an operand b.", &OperationRow::first) +
          " else {\n    return lane_value<Op>(insn, x, p);\n  }\n}\n";
  text += fmt::format(
      "\n/// What an int8 buffer gets of a result.\ntemplate <class Fields>\n[[gnu::always_inline]] "
      "constexpr "
      "std::int8_t lane_int8(const Fields& insn, std::int32_t x) {{\n{}}}\n\n}}  // namespace vdla::isa\n",
      body(operations::kInt8Result, "  ", "std::int8_t"));
  return text;
}

}  // namespace vdla::isa::gen
