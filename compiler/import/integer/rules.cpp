// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/integer/rules.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

namespace vdla::import::integer {
namespace {

constexpr Rule kBorders[] = {{"QuantizeLinear", quantize_linear, true},
                             {"DequantizeLinear", dequantize_linear, true}};

bool is_border(const Rule& rule) { return rule.op == kBorders[0].op || rule.op == kBorders[1].op; }

const std::unordered_map<std::string_view, Rule>& rules() {
  static const auto all = [] {
    std::unordered_map<std::string_view, Rule> result;
    for (const auto& family :
         {std::span<const Rule>(kBorders), layer_rules(), pooling_rules(), elementwise_rules(),
          function_rules(), movement_rules(), moving_rules(), resize_rules(), slope_rules()})
      for (const Rule& rule : family) result.emplace(rule.op, rule);
    return result;
  }();
  return all;
}

/// The first input that `holds`.
template <class Holds>
std::optional<int> input_of(const tensor::Node& node, const Holds& holds) {
  for (int i = 0; i < node.inputs(); ++i)
    if (node.has(i) && holds(node.as_it_is(i))) return i;
  return std::nullopt;
}

bool is_pending(const Value& v) { return v.pending != nullptr; }

bool has_quantised_input(const tensor::Node& node) { return input_of(node, is_pending).has_value(); }

/// Why the rule cannot be asked, though operators before the node are quantised; empty: it can.
std::string why_not(const Rule& rule, const tensor::Node& node) {
  const auto is_integer = [](const Value& v) { return is_pending(v) && v.type != DataType::Float32; };
  if (const auto i = input_of(node, is_integer); i && !rule.moves)
    return fmt::format("computes with input {} ('{}') of {}, needs a DequantizeLinear before", *i,
                       node.proto().input(*i), name_of(node.as_it_is(*i).type));
  for (int i = 1; i < node.outputs(); ++i)
    if (node.wants(i) && !rule.all_outputs)
      return fmt::format("gives output {} ('{}'), needs output 0 alone", i, node.proto().output(i));
  if (!node.wants(0)) return "does not give output 0, needs to";
  return "";
}

/// States that the node reads what another one keeps in floats.
void follows_floats(const tensor::Node& node) {
  const auto i = input_of(node, [&](const Value& v) { return node.network().in_floats(v); });
  if (i)
    node.network().reasons().add(node.model_node(),
                                 "reads '" + node.proto().input(*i) + "', which stays in floats");
}

bool apply(const Rule& rule, const Context& c) {
  try {
    if (is_border(rule))
      rule.apply(c);  // may make pending values, which stay
    else
      c.network().attempt([&] { rule.apply(c); });
    return true;
  } catch (const Declined& declined) {
    c.network().reasons().add(declined.node, declined.reason);
    return false;
  }
}

}  // namespace

void has_no_form(const tensor::Node& node) {
  if (node.has_integer_form() && has_quantised_input(node))
    node.network().reasons().add(node.model_node(), "has no integer form");
}

bool has_rule(std::string_view op) { return rules().contains(op); }

bool import_node(const tensor::Node& node, tensor::Import in_floats) {
  if (!node.has_integer_form()) return false;
  const auto found = rules().find(node.op());
  if (found == rules().end()) {
    has_no_form(node);
    return false;
  }
  const Rule& rule = found->second;
  if (!is_border(rule) && !has_quantised_input(node)) {
    follows_floats(node);
    return false;
  }
  const std::string why = why_not(rule, node);
  if (why.empty()) return apply(rule, Context(node, in_floats));
  node.network().reasons().add(node.model_node(), why);
  return false;
}

}  // namespace vdla::import::integer
