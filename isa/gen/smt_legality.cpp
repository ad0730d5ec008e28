// SPDX-License-Identifier: Apache-2.0
// The rules of legality as bit-vector formulas (SMT-LIB 2): the second writing of what vdla_insn_check says
// in SystemVerilog. Both read the tables of isa/spec (opcodes, fields, rules); nothing else is shared. Here
// an instruction is eight words, a field is (word, shift, width), values are 64 bits wide as in C++, reserved
// bits are the gaps between fields, and the lowest broken rule is a chain of choices.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "isa/spec/legality.h"
#include "support/error.h"

namespace vdla::isa::gen {
namespace {

/// The parameters of every function: eight words, then the numbers of the geometry.
std::string parameters() {
  std::string text;
  for (unsigned w = 0; w < kInsnWords; ++w) text += fmt::format("(w{} (_ BitVec 64)) ", w);
  for (std::string_view name : geometry_numbers()) text += fmt::format("({} (_ BitVec 64)) ", name);
  text.pop_back();
  return text;
}

std::string arguments() {
  std::string text;
  for (unsigned w = 0; w < kInsnWords; ++w) text += fmt::format(" w{}", w);
  for (std::string_view name : geometry_numbers()) text += fmt::format(" {}", name);
  return text;
}

std::string constant(std::int64_t value) {
  return fmt::format("#x{:016x}", static_cast<std::uint64_t>(value));
}

std::string bits(unsigned word, unsigned shift, unsigned width) {
  return fmt::format("((_ extract {} {}) w{})", shift + width - 1, shift, word);
}

std::string value_of(const Field& f) {
  return fmt::format("((_ {}_extend {}) {})", f.is_signed() ? "sign" : "zero", kWordBits - f.width,
                     bits(f.word(), f.shift(), f.width));
}

std::string field(Opcode opcode, std::string_view name) {
  for (const Field& f : fields_of(opcode))
    if (f.name == name) return value_of(f);
  VDLA_CHECK(false) << "no field '" << name << "' in " << to_string(opcode);
  return {};
}

std::string operand(Opcode opcode, const Operand& o) {
  switch (o.kind) {
    case Operand::Kind::Constant:
      return constant(o.value);
    case Operand::Kind::Geometry:
      return std::string(o.names[0]);
    case Operand::Kind::Bit:
      return fmt::format("(bvand (bvlshr {} {}) {})", field(opcode, o.names[0]), constant(o.value),
                         constant(1));
    case Operand::Kind::Fields: {
      std::string sum = o.value != 0 ? constant(o.value) : "";
      for (std::string_view name : o.names)
        if (!name.empty())
          sum = sum.empty() ? field(opcode, name) : fmt::format("(bvadd {} {})", sum, field(opcode, name));
      return sum;
    }
  }
  return {};
}

const char* relation(Compare compare) {
  switch (compare) {
    case Compare::Equal:
      return "=";
    case Compare::NotEqual:
      return "distinct";
    case Compare::Less:
      return "bvslt";
    case Compare::LessEqual:
      return "bvsle";
    case Compare::GreaterEqual:
      return "bvsge";
  }
  return "";
}

std::string has_opcode(unsigned code) {
  const Field& f = kMemoryFields[0];
  return fmt::format("(= {} (_ bv{} {}))", bits(f.word(), f.shift(), f.width), code, f.width);
}

/// True when the bits that no field of the opcode covers are zero: each gap between neighbouring fields of a
/// word.
std::string gaps_are_zero(Opcode opcode) {
  std::vector<Field> fields;
  std::ranges::copy_if(fields_of(opcode), std::back_inserter(fields),
                       [](const Field& f) { return f.width != 0; });
  std::ranges::sort(fields, {}, &Field::offset);
  std::string text = "(and";
  for (unsigned w = 0; w < kInsnWords; ++w) {
    unsigned at = 0;
    const auto gap = [&](unsigned end) {
      if (end > at) text += fmt::format(" (= {} (_ bv0 {}))", bits(w, at, end - at), end - at);
    };
    for (const Field& f : fields) {
      if (f.word() != w) continue;
      gap(f.shift());
      at = f.shift() + f.width;
    }
    gap(kWordBits);
  }
  return text + ")";
}

/// "This rule is kept".
std::string kept(const Rule& rule) {
  const unsigned number = number_of(rule);
  std::string text;
  if (number == kRuleOpcode) {
    text = "(or";
    for (const NamedCode& row : kOpcodes) text += " " + has_opcode(row.code);
  } else if (number == kRuleReserved) {
    text = "(and";
    for (const NamedCode& row : kOpcodes)
      text +=
          fmt::format("\n    (=> {} {})", has_opcode(row.code), gaps_are_zero(static_cast<Opcode>(row.code)));
  } else {
    text = fmt::format("(or (not {})", has_opcode(static_cast<unsigned>(rule.opcode)));
    for (const Comparison& c : rule.any_of())
      text += fmt::format("\n    ({} {} {})", relation(c.compare), operand(rule.opcode, c.left),
                          operand(rule.opcode, c.right));
  }
  return text + ")";
}

}  // namespace

std::string smt_legality() {
  std::string text = banner(
      ";", "The rules of legality as bit-vector formulas: each rule, and the lowest broken one (0: legal).");
  for (const Rule& rule : rules())
    text += fmt::format("\n; {}: {}\n(define-fun keeps-{} ({}) Bool\n  {})\n", rule.name, rule.doc,
                        number_of(rule), parameters(), kept(rule));
  text += fmt::format("\n(define-fun broken-rule ({}) (_ BitVec 8)\n", parameters());
  for (const Rule& rule : rules())
    text +=
        fmt::format("  (ite (not (keeps-{}{})) (_ bv{} 8)\n", number_of(rule), arguments(), number_of(rule));
  text += "  (_ bv0 8)" + std::string(rules().size() + 1, ')') + "\n";
  return text;
}

}  // namespace vdla::isa::gen
