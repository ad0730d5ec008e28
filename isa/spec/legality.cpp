// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/legality.h"

#include <string>
#include <vector>

#include "isa/spec/fields.h"
#include "isa/spec/legality_rules.h"
#include "isa/spec/operation_rules.h"
#include "support/bits.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

/// A comparison with its names looked up: fields as positions in the table.
struct BoundOperand {
  Operand::Kind kind;
  std::array<const Field*, 3> fields{};
  std::string_view geometry;
  std::int64_t value = 0;
};

const Field& field_named(Opcode opcode, std::string_view name) {
  for (const Field& f : fields_of(opcode))
    if (f.name == name) return f;
  VDLA_CHECK(false) << "a rule names field '" << name << "', which " << to_string(opcode) << " lacks";
  throw InternalError("");
}

BoundOperand bind(Opcode opcode, const Operand& operand) {
  BoundOperand bound{operand.kind, {}, operand.names[0], operand.value};
  if (operand.kind == Operand::Kind::Fields || operand.kind == Operand::Kind::Bit)
    for (std::size_t i = 0; i < operand.names.size() && !operand.names[i].empty(); ++i)
      bound.fields[i] = &field_named(opcode, operand.names[i]);
  return bound;
}

struct BoundRule {
  const Rule* rule;
  struct Alternative {
    BoundOperand left;
    Compare compare;
    BoundOperand right;
  };
  std::vector<Alternative> any_of;
};

std::vector<BoundRule> bind_rules(Opcode opcode) {
  std::vector<BoundRule> bound;
  for (const Rule& rule : rules()) {
    if (rule.count == 0 || rule.opcode != opcode) continue;
    BoundRule& row = bound.emplace_back(BoundRule{&rule, {}});
    for (const Comparison& c : rule.any_of())
      row.any_of.push_back({bind(opcode, c.left), c.compare, bind(opcode, c.right)});
  }
  return bound;
}

const std::vector<BoundRule>& bound_rules(Opcode opcode) {
  static const std::array<std::vector<BoundRule>, kOpcodes.size()> kAll = [] {
    std::array<std::vector<BoundRule>, kOpcodes.size()> all;
    for (const NamedCode& row : kOpcodes) all[row.code - 1] = bind_rules(static_cast<Opcode>(row.code));
    return all;
  }();
  return kAll[static_cast<unsigned>(opcode) - 1];
}

std::int64_t evaluate(const BoundOperand& operand, const InsnWords& words, const Geometry& geometry) {
  switch (operand.kind) {
    case Operand::Kind::Fields: {
      std::int64_t total = operand.value;
      for (const Field* f : operand.fields)
        if (f != nullptr) total += field_value(words, *f);
      return total;
    }
    case Operand::Kind::Bit:
      return (field_value(words, *operand.fields[0]) >> operand.value) & 1;
    case Operand::Kind::Constant:
      return operand.value;
    case Operand::Kind::Geometry:
      return geometry_value(geometry, operand.geometry);
  }
  return 0;
}

bool compare(std::int64_t a, Compare how, std::int64_t b) {
  switch (how) {
    case Compare::Equal:
      return a == b;
    case Compare::NotEqual:
      return a != b;
    case Compare::Less:
      return a < b;
    case Compare::LessEqual:
      return a <= b;
    case Compare::GreaterEqual:
      return a >= b;
  }
  return false;
}

}  // namespace

std::span<const Rule> rules() {
  static const std::vector<Rule> kAll = [] {
    std::vector<Rule> all;
    const auto add = [&](const auto& list) { all.insert(all.end(), list.begin(), list.end()); };
    add(legality::kFirstRules);
    add(legality::operation_rules());
    add(legality::kBaseRules);
    add(legality::parameter_rules());
    return all;
  }();
  return kAll;
}

unsigned number_of(const Rule& rule) { return static_cast<unsigned>(&rule - rules().data()) + 1; }

std::span<const Field> fields_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::Load:
    case Opcode::Store:
      return kMemoryFields;
    case Opcode::Gemm:
      return kGemmFields;
    case Opcode::Vector:
      return kVectorFields;
    case Opcode::Finish:
      return kFinishFields;
  }
  return {};
}

InsnWords reserved_mask(Opcode opcode) {
  InsnWords mask;
  mask.fill(~std::uint64_t{0});
  for (const Field& f : fields_of(opcode))
    if (f.width != 0) mask[f.word()] &= ~(low_mask(f.width) << f.shift());
  return mask;
}

std::int64_t field_value(const InsnWords& words, const Field& field) {
  const std::uint64_t raw = get_bits(words[field.word()], field.shift(), field.width);
  return field.is_signed() ? sign_extend(raw, field.width) : static_cast<std::int64_t>(raw);
}

std::int64_t geometry_value(const Geometry& g, std::string_view name) {
  if (name == "inp_depth") return g.inp_depth;
  if (name == "wgt_depth") return g.wgt_depth;
  if (name == "acc_depth") return g.acc_depth;
  if (name == "out_depth") return g.out_depth;
  if (name == "par_depth") return g.par_depth;
  if (name == "uop_depth") return g.uop_depth;
  if (name == "block_in") return g.block_in;
  if (name == "block_out") return g.block_out;
  VDLA_CHECK(false) << "a rule names '" << name << "', which the geometry lacks";
  return 0;
}

const Rule* find_broken_rule(const InsnWords& words, const Geometry& geometry) {
  const auto opcode = static_cast<Opcode>(field_value(words, kMemoryFields[0]));
  if (fields_of(opcode).empty()) return &rules()[kRuleOpcode - 1];
  static const std::array<InsnWords, kOpcodes.size() + 1> kReserved = [] {
    std::array<InsnWords, kOpcodes.size() + 1> masks{};
    for (const NamedCode& row : kOpcodes) masks[row.code] = reserved_mask(static_cast<Opcode>(row.code));
    return masks;
  }();
  for (unsigned w = 0; w < kInsnWords; ++w)
    if ((words[w] & kReserved[static_cast<unsigned>(opcode)][w]) != 0) return &rules()[kRuleReserved - 1];
  for (const BoundRule& row : bound_rules(opcode)) {
    bool legal = false;
    for (const auto& alternative : row.any_of)
      legal = legal || compare(evaluate(alternative.left, words, geometry), alternative.compare,
                               evaluate(alternative.right, words, geometry));
    if (!legal) return row.rule;
  }
  return nullptr;
}

std::string describe_rule(unsigned number) {
  if (number == 0 || number > rules().size()) return {};
  const Rule& rule = rules()[number - 1];
  return "rule " + std::to_string(number) + " (" + std::string(rule.name) + "): " + std::string(rule.doc);
}

}  // namespace vdla::isa
