// SPDX-License-Identifier: Apache-2.0
#include "isa/gen/meaning_text.h"

#include <fmt/format.h>

#include "isa/spec/fields.h"
#include "isa/spec/legality.h"
#include "isa/spec/operations.h"
#include "support/element_with.h"
#include "support/error.h"

namespace vdla::isa::gen {
namespace {

const char* formula_type(TermType type) {
  switch (type) {
    case TermType::I32:
      return "i32";
    case TermType::U32:
      return "u32";
    case TermType::U64:
      return "u64";
    case TermType::Bool:
      return "bool";
  }
  return "";
}

std::string formula_leaf(const Term& term, unsigned rows) {
  switch (term.kind) {
    case TermKind::X:
      return "x";
    case TermKind::P:
      if (rows == 1) return "p";
      return term.number == 0 ? "par[b][n]" : fmt::format("par[b+{}][n]", term.number);
    case TermKind::Field: {
      const Field& field = element_with(std::span<const Field>(kVectorFields), term.field, &Field::name);
      const bool as_bits = field.is_signed() && term.type != TermType::I32;
      return as_bits ? fmt::format("unsigned({})", term.field) : std::string(term.field);
    }
    default:
      return fmt::format("{}", term.number);
  }
}

std::string formula_node(const Term& term, const std::vector<std::string>& of) {
  const auto infix = [&](const char* symbol) { return fmt::format("({} {} {})", of[0], symbol, of[1]); };
  const auto call = [&](const char* name) {
    return fmt::format("{}({}, {})", name, bare(of[0]), bare(of[1]));
  };
  switch (term.kind) {
    case TermKind::Bits:
      return fmt::format("{}[{}:{}]", of[0], term.number + term.width - 1, term.number);
    case TermKind::Cast:
      return fmt::format("{}({})", formula_type(term.type), bare(of[0]));
    case TermKind::Magnitude:
      return fmt::format("|{}|", bare(of[0]));
    case TermKind::Add:
      return infix("+");
    case TermKind::Subtract:
      return infix("-");
    case TermKind::Multiply:
      return infix("*");
    case TermKind::ShiftLeft:
      return infix("<<");
    case TermKind::ShiftRight:
      return infix(">>");
    case TermKind::Less:
      return infix("<");
    case TermKind::Max:
      return call("max");
    case TermKind::Min:
      return call("min");
    case TermKind::SrdhMul:
      return call("srdh_mul");
    case TermKind::RoundShiftRight:
      return call("round_shift_right");
    case TermKind::Select:
      return fmt::format("({} ? {} : {})", of[0], of[1], of[2]);
    default:
      VDLA_CHECK(false) << "a leaf has no operands";
      return "";
  }
}

/// "x + p", and behind it what names in it stand for.
std::string formula(const Meaning& meaning, unsigned rows) {
  const Language language{[&](const Term& term) { return formula_leaf(term, rows); }, formula_node};
  MeaningText text = written(meaning, language);
  std::string result = bare(text.value);
  for (const auto& [name, value] : text.named) result += fmt::format(", {} = {}", name, bare(value));
  return result;
}

std::string combination(const OperationRow& row) {
  const Operation& facts = row.facts;
  if (facts.combine == Combine::Replace) return "";
  const char* how = facts.combine == Combine::Sum   ? "c + v"
                    : facts.combine == Combine::Max ? "max(c, v)"
                                                    : "min(c, v)";
  return fmt::format("; first ? {} : {}", row.first.empty() ? "v" : formula(row.first, facts.b.rows), how);
}

std::string remarks(const OperationRow& row) {
  const Operation& facts = row.facts;
  std::string text;
  if (facts.b.absent) text += fmt::format("; p absent: {}", *facts.b.absent);
  if (!row.first.empty()) text += "; p absent: first gives v";
  if (facts.a == OperandA::Row) text += "; x = (sum over k of inp[a][k]) + a_offset for every n";
  if (!facts.doc.empty()) text += fmt::format("; {}", facts.doc);
  return text;
}

}  // namespace

std::string bare(std::string text) {
  if (!text.starts_with('(')) return text;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size() ? text.substr(1, text.size() - 2) : text;
  }
  return text;
}

MeaningText written(const Meaning& meaning, const Language& language) {
  std::array<unsigned, Meaning::kMostTerms> uses{};
  for (std::size_t i = 0; i < meaning.size; ++i)
    for (unsigned o = 0; o < operands_of(meaning.terms[i].kind); ++o) ++uses[meaning.terms[i].of[o]];
  MeaningText result;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < meaning.size; ++i) {
    const Term& term = meaning.terms[i];
    const unsigned operands = operands_of(term.kind);
    if (operands == 0) {
      texts.push_back(language.leaf(term));
      continue;
    }
    std::vector<std::string> of;
    for (unsigned o = 0; o < operands; ++o) of.push_back(texts[term.of[o]]);
    texts.push_back(language.node(term, of));
    if (uses[i] < 2) continue;
    constexpr std::string_view kNames = "qrstuvw";
    result.named.emplace_back(std::string(1, kNames.at(result.named.size())), texts.back());
    texts.back() = result.named.back().first;
  }
  result.value = texts.back();
  return result;
}

std::vector<std::string> operation_formulas() {
  std::vector<std::string> list;
  for (const OperationRow& row : operations::kRows)
    list.push_back("v = " + formula(row.value, row.facts.b.rows) + combination(row) + remarks(row));
  return list;
}

}  // namespace vdla::isa::gen
