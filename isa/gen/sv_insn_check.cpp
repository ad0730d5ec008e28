// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "isa/spec/legality.h"
#include "support/error.h"

namespace vdla::isa::gen {
namespace {

/// Every operand is compared in this many bits, signed: holds the sum of three 16-bit fields and a 32-bit
/// depth.
constexpr unsigned kBits = 34;

const Field& field_named(Opcode opcode, std::string_view name) {
  const auto fields = fields_of(opcode);
  const auto found = std::ranges::find(fields, name, &Field::name);
  VDLA_CHECK(found != fields.end()) << "no field '" << name << "' in " << to_string(opcode);
  return *found;
}

std::string field_expr(const Field& f) {
  const unsigned msb = f.offset + f.width - 1;
  const std::string range =
      f.width == 1 ? fmt::format("insn_i[{}]", f.offset) : fmt::format("insn_i[{}:{}]", msb, f.offset);
  if (f.is_signed()) return fmt::format("$signed({{{{{}{{insn_i[{}]}}}}, {}}})", kBits - f.width, msb, range);
  return fmt::format("$signed({{{}'d0, {}}})", kBits - f.width, range);
}

std::string operand_expr(Opcode opcode, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Fields: {
      std::string sum;
      for (std::string_view name : operand.names)
        if (!name.empty()) sum += (sum.empty() ? "" : " + ") + field_expr(field_named(opcode, name));
      if (operand.value != 0) sum += fmt::format(" + {}'sd{}", kBits, operand.value);
      return sum;
    }
    case Operand::Kind::Bit:
      return fmt::format("$signed({{{}'d0, insn_i[{}]}})", kBits - 1,
                         field_named(opcode, operand.names[0]).offset + static_cast<unsigned>(operand.value));
    case Operand::Kind::Constant:
      return fmt::format("{}'sd{}", kBits, operand.value);
    case Operand::Kind::Geometry:
      return camel(operand.names[0]) + "S";
  }
  return {};
}

const char* symbol(Compare compare) {
  switch (compare) {
    case Compare::Equal:
      return "==";
    case Compare::NotEqual:
      return "!=";
    case Compare::Less:
      return "<";
    case Compare::LessEqual:
      return "<=";
    case Compare::GreaterEqual:
      return ">=";
  }
  return "";
}

std::string mask_literal(Opcode opcode) {
  const InsnWords mask = reserved_mask(opcode);
  std::string text = "512'h";
  for (unsigned w = kInsnWords; w-- > 0;)
    text += fmt::format("{}{:016x}", w + 1 == kInsnWords ? "" : "_", mask[w]);
  return text;
}

std::string rule_expr(const Rule& rule) {
  std::string any;
  for (const Comparison& c : rule.any_of())
    any +=
        fmt::format("{}\n          ({} {} {})", any.empty() ? "" : " ||", operand_expr(rule.opcode, c.left),
                    symbol(c.compare), operand_expr(rule.opcode, c.right));
  return fmt::format("is_{} && !({})", to_string(rule.opcode), any);
}

constexpr std::string_view kCheckHead = R"(
module vdla_insn_check #(
{parameters}
) (
  input  logic         valid_i,   // 0: nothing is checked (simulation saves the work), the answer is legal
  input  logic [511:0] insn_i,
  output logic         illegal_o,
  output logic [7:0]   rule_o     // number of the lowest broken rule, 0 when legal
);

  localparam integer Rules = {rules};
{constants}
  logic [3:0] opcode;
  assign opcode = insn_i[{opcode_msb}:{opcode_lsb}];
)";

constexpr std::string_view kTail =
    R"(      for (int i = Rules; i > 0; i = i - 1) if (broken[i]) rule_o = i[7:0];
    end
  end
  assign illegal_o = |broken;

endmodule
)";

}  // namespace

std::string sv_insn_check() {
  std::string text =
      banner("//", "Says whether an instruction word is legal, and which rule it breaks. Combinational.");
  std::string parameters, constants, known;
  for (std::string_view name : geometry_numbers()) {
    parameters += fmt::format("{}  parameter int unsigned {} = {}", parameters.empty() ? "" : ",\n",
                              camel(name), geometry_value(Geometry{}, name));
    constants +=
        fmt::format("  localparam logic signed [{0}:0] {1}S = {2}'({1});\n", kBits - 1, camel(name), kBits);
  }
  fmt::format_to(std::back_inserter(text), fmt::runtime(kCheckHead), fmt::arg("parameters", parameters),
                 fmt::arg("constants", constants), fmt::arg("rules", rules().size()),
                 fmt::arg("opcode_msb", kMemoryFields[0].offset + kMemoryFields[0].width - 1),
                 fmt::arg("opcode_lsb", kMemoryFields[0].offset));
  std::string reserved;
  for (const NamedCode& row : kOpcodes) {
    text += fmt::format("  logic is_{0};\n  assign is_{0} = opcode == 4'd{1};\n", row.text, row.code);
    known += fmt::format("{}is_{}", known.empty() ? "" : " || ", row.text);
    reserved += fmt::format("{}\n          (is_{} && |(insn_i & {}))", reserved.empty() ? "" : " ||",
                            row.text, mask_literal(static_cast<Opcode>(row.code)));
  }
  text +=
      "\n  logic [Rules:0] broken;\n"
      "  always_comb begin\n    broken = '0;\n    rule_o = 8'd0;\n    if (valid_i) begin\n";
  for (const Rule& rule : rules()) {
    const unsigned number = number_of(rule);
    text += fmt::format("      // {}: {}\n", rule.name, rule.doc);
    const std::string expr = number == kRuleOpcode     ? fmt::format("!({})", known)
                             : number == kRuleReserved ? reserved
                                                       : rule_expr(rule);
    text += fmt::format("      broken[{}] = {};\n", number, expr);
  }
  return text + std::string(kTail);
}

}  // namespace vdla::isa::gen
