// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/integer/rules.h"

#include <unordered_map>

namespace vdla::import::integer {
namespace {

constexpr Rule kBorders[] = {{"QuantizeLinear", quantize_linear, true},
                             {"DequantizeLinear", dequantize_linear, true}};

bool is_border(const Rule& rule) { return rule.op == kBorders[0].op || rule.op == kBorders[1].op; }

const std::unordered_map<std::string_view, Rule>& rules() {
  static const auto all = [] {
    std::unordered_map<std::string_view, Rule> result;
    for (const auto& family : {std::span<const Rule>(kBorders), layer_rules(), pooling_rules(),
                               elementwise_rules(), movement_rules()})
      for (const Rule& rule : family) result.emplace(rule.op, rule);
    return result;
  }();
  return all;
}

/// Whether an input has an integer form that the rule may read.
bool fits(const Rule& rule, const tensor::Node& node) {
  bool pending = is_border(rule);
  for (int i = 0; i < node.inputs(); ++i) {
    if (!node.has(i) || node.as_it_is(i).pending == nullptr) continue;
    if (!rule.moves && node.as_it_is(i).type != DataType::Float32) return false;
    pending = true;
  }
  return pending;
}

/// Rules make output 0 alone.
bool has_one_output(const tensor::Node& node) {
  for (int i = 1; i < node.outputs(); ++i)
    if (node.wants(i)) return false;
  return node.wants(0);
}

}  // namespace

bool import_node(const tensor::Node& node, tensor::Import in_floats) {
  const auto found = rules().find(node.op());
  if (found == rules().end() || !node.of_model() || !has_one_output(node) || !fits(found->second, node))
    return false;
  const Context c(node, in_floats);
  try {
    if (is_border(found->second))
      found->second.apply(c);  // may make pending values, which stay
    else
      c.network().attempt([&] { found->second.apply(c); });
    return true;
  } catch (const Declined&) {
    return false;
  }
}

}  // namespace vdla::import::integer
