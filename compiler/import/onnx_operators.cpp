// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "compiler/import/integer/rules.h"
#include "compiler/import/onnx_importer.h"
#include "compiler/import/onnx_schema/schema.h"
#include "compiler/import/qonnx/definitions.h"
#include "compiler/import/qoperator/definitions.h"
#include "support/overloaded.h"

namespace vdla::import {
namespace {

using onnx_schema::Domain;

std::string text_of(const onnx_schema::Counts& counts) {
  if (counts.most == onnx_schema::kAny) return fmt::format("{} or more", counts.least);
  if (counts.least == counts.most) return std::to_string(counts.least);
  return fmt::format("{} to {}", counts.least, counts.most);
}

/// "axis", "axis (required)".
std::string text_of(const onnx_schema::Attribute& attribute) {
  return std::string(attribute.name) + (attribute.required ? " (required)" : "");
}

/// The operator with what the tables of its domain say.
KnownOperator known(OperatorFormat format, std::string_view name, Domain domain) {
  KnownOperator result{.format = format, .name = std::string(name)};
  if (domain == Domain::Onnx) result.since = onnx_schema::sets_of(name);
  const auto newest = onnx_schema::find(name, onnx_schema::kNewestOperatorSet, domain);
  if (!newest) return result;
  result.inputs = text_of(newest->inputs);
  result.outputs = text_of(newest->outputs);
  for (const onnx_schema::Attribute& a : newest->attributes) result.attributes.push_back(text_of(a));
  return result;
}

}  // namespace

std::vector<KnownOperator> onnx_operators() {
  std::vector<KnownOperator> result;
  std::set<std::string> listed, of_microsoft;
  for (const qoperator::Known& row : qoperator::operators()) {
    const Domain domain = row.domain.empty() ? Domain::Onnx : Domain::Microsoft;
    KnownOperator& o = result.emplace_back(known(OperatorFormat::QOperator, row.op, domain));
    o.stands_for = row.on_floats;
    o.has_integer_form = true;
    (domain == Domain::Onnx ? listed : of_microsoft).insert(o.name);
  }
  for (const std::string_view op : imported_operators(Domain::Onnx)) {
    if (!listed.insert(std::string(op)).second) continue;
    result.push_back(known(OperatorFormat::Onnx, op, Domain::Onnx));
    result.back().has_integer_form = integer::has_rule(op);
  }
  for (const std::string_view op : imported_operators(Domain::Microsoft))
    if (!of_microsoft.contains(std::string(op)))
      result.push_back(known(OperatorFormat::Microsoft, op, Domain::Microsoft));
  for (const std::string_view op : qonnx::operators())
    result.push_back({.format = OperatorFormat::Qonnx, .name = std::string(op), .has_integer_form = true});
  for (const std::string& op : defined_operators()) {
    if (!listed.insert(op).second) continue;
    result.push_back(known(OperatorFormat::Onnx, op, Domain::Onnx));
    result.back().by_definition = true;
  }
  return result;
}

}  // namespace vdla::import
