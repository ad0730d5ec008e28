// SPDX-License-Identifier: Apache-2.0
// Operators that the quantiser puts between scales, and the rules that make integer layers of them, are one
// set but for what has a reason here.
#include "compiler/quantize/operators.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/import/integer/rules.h"

namespace vdla::quantize {
namespace {

/// Rules for operators that get no scales.
const std::map<std::string, std::string> kRulesAlone = {
    {"Div", "the quantiser multiplies by the reciprocals of constants"},
    {"Dropout", "the quantiser removes it"},
    {"Identity", "the quantiser removes it"},
    {"Upsample", "Resize takes its place when the operator set is lifted"},
    {"TopK", "the places of the largest are those of the floats"},
    {"ArgMax", "as TopK"},
    {"ArgMin", "as TopK"},
};

using Families = std::vector<std::span<const import::integer::Rule>>;

std::set<std::string> names_of(const Families& families) {
  std::set<std::string> names;
  for (const auto& family : families)
    for (const import::integer::Rule& rule : family) names.insert(std::string(rule.op));
  return names;
}

const Families kLayers = {import::integer::layer_rules(),       import::integer::pooling_rules(),
                          import::integer::elementwise_rules(), import::integer::movement_rules(),
                          import::integer::moving_rules(),      import::integer::resize_rules(),
                          import::integer::slope_rules()};
/// Tables of functions, of which the quantiser takes some: other tools write all.
const Families kTables = {import::integer::function_rules()};

std::set<std::string> quantised() {
  std::set<std::string> names;
  for (const auto& list : {computing_operators(), moving_operators()})
    for (const std::string_view op : list) names.insert(std::string(op));
  return names;
}

TEST(QuantiseOperators, EachHasAnIntegerRule) {
  std::set<std::string> known = names_of(kLayers);
  known.merge(names_of(kTables));
  for (const std::string& op : quantised()) EXPECT_TRUE(known.contains(op)) << op;
}

TEST(QuantiseOperators, EachIntegerRuleIsUsedOrHasAReason) {
  const std::set<std::string> used = quantised();
  for (const std::string& op : names_of(kLayers))
    EXPECT_NE(used.contains(op), kRulesAlone.contains(op)) << op;
}

TEST(QuantiseOperators, WhatMovesElementsComputesNothing) {
  for (const std::string_view op : moving_operators())
    EXPECT_EQ(std::ranges::count(computing_operators(), op), 0) << op;
}

}  // namespace
}  // namespace vdla::quantize
