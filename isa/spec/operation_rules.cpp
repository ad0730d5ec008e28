// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/operation_rules.h"

#include <deque>
#include <map>
#include <string>

#include "isa/spec/fields.h"
#include "isa/spec/operations.h"

namespace vdla::isa::legality {
namespace {

/// A rule's texts live as long as the program.
std::string_view keep(std::string text) {
  static std::deque<std::string> kept;
  return kept.emplace_back(std::move(text));
}

Rule make(std::string name, std::string doc, const std::vector<Comparison>& any_of) {
  return {keep(std::move(name)), Opcode::Vector, keep(std::move(doc)), any_of};
}

std::string joined(const std::vector<std::string_view>& words, std::string_view between) {
  std::string text;
  for (const std::string_view word : words)
    text += (text.empty() ? "" : std::string(between)) + std::string(word);
  return text;
}

using Rows = std::vector<const Operation*>;

std::vector<std::string_view> names(const Rows& rows) {
  std::vector<std::string_view> list;
  for (const Operation* row : rows) list.push_back(row->text);
  return list;
}

void add_operand_a(std::vector<Rule>& rules) {
  Rows sums;
  for (const Operation& row : kOperations)
    if (row.a == OperandA::Row) sums.push_back(&row);
  std::vector<Comparison> square{field("a_buffer") != code(Buffer::Inp)};
  for (const Operation* row : sums) square.push_back(field("op") == code(row->op));
  square.push_back(geometry("block_in") == geometry("block_out"));
  const std::string but = sums.empty() ? "" : ", but for " + joined(names(sums), ", ");
  rules.push_back(
      make("vector_a_square", "operand a from inp needs block_in equal to block_out" + but, square));
  for (const Operation* row : sums)
    rules.push_back(make("vector_" + std::string(row->text) + "_a",
                         std::string(row->text) + " takes operand a from inp",
                         {field("op") != code(row->op), field("a_buffer") == code(Buffer::Inp)}));
}

std::string doc_of_b(const Operation& row) {
  const std::string name(row.text);
  if (row.b.only() == VectorB::None) return name + " has no operand b";
  std::vector<std::string_view> kinds;
  for (const NamedCode& kind : kVectorBs)
    if (row.b.kinds[kind.code]) kinds.push_back(kind.text);
  return name + " takes its " + (row.b.rows > 1 ? "parameters" : "operand b") + " from " +
         joined(kinds, " or ");
}

void add_operand_b(std::vector<Rule>& rules) {
  for (const Operation& row : kOperations) {
    std::vector<Comparison> any_of{field("op") != code(row.op)};
    for (const NamedCode& kind : kVectorBs)
      if (row.b.kinds[kind.code]) any_of.push_back(field("b_kind") == constant(kind.code));
    if (any_of.size() <= kVectorBs.size())  // else each kind will do
      rules.push_back(make("vector_" + std::string(row.text) + "_b", doc_of_b(row), any_of));
  }
}

/// Fields that the same operations own are in one rule. The immediate may be anything: it is an operand as
/// well.
void add_own_fields(std::vector<Rule>& rules) {
  std::map<Rows, std::vector<std::string_view>> fields;
  for (const Field& f : kVectorFields) {
    Rows owners;
    for (const Operation& row : kOperations)
      if (f.name != "imm" && row.fields.contains(f.name)) owners.push_back(&row);
    if (!owners.empty()) fields[owners].push_back(f.name);
  }
  for (const auto& [owners, list] : fields) {
    std::vector<Comparison> any_of;
    for (const Operation* row : owners) any_of.push_back(field("op") == code(row->op));
    const auto name = [&](std::size_t i) { return i < list.size() ? list[i] : std::string_view{}; };
    any_of.push_back(sum(name(0), name(1), name(2)) == constant(0));
    rules.push_back(make("vector_" + joined(names(owners), "_") + "_only",
                         joined(list, " and ") + (list.size() > 1 ? " are" : " is") + " zero but for " +
                             joined(names(owners), ", "),
                         any_of));
  }
}

}  // namespace

std::vector<Rule> operation_rules() {
  std::vector<Rule> rules;
  add_operand_a(rules);
  add_operand_b(rules);
  add_own_fields(rules);
  return rules;
}

std::vector<Rule> parameter_rules() {
  constexpr std::array<std::string_view, 5> kNumbers{"no", "one", "two", "three", "four"};
  std::vector<Rule> rules;
  for (const Operation& row : kOperations)
    if (row.b.rows > 1)
      rules.push_back(
          make("vector_" + std::string(row.text) + "_base",
               "the " + std::string(kNumbers.at(row.b.rows)) + " parameters of " + std::string(row.text) +
                   " are inside par",
               {field("op") != code(row.op), field("b_base") + (row.b.rows - 1) < geometry("par_depth")}));
  return rules;
}

}  // namespace vdla::isa::legality
