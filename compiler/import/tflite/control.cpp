// SPDX-License-Identifier: Apache-2.0
// Operators that stand for subgraphs of the model: one, one of two, or one for each trip of a loop.
#include <fmt/format.h>

#include "compiler/import/tensor/trips.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

/// The inputs from `first` on.
std::vector<Value> inputs_from(const Operation& c, int first) {
  std::vector<Value> result;
  for (int i = first; i < c.inputs(); ++i) result.push_back(c.in(i));
  return result;
}

void require_count(const Operation& c, std::int64_t subgraph, std::size_t results, std::size_t needed) {
  c.require(results == needed,
            fmt::format("has {} outputs, its subgraph {} has {}", needed, subgraph, results));
}

void stand_for(const Operation& c, std::int64_t subgraph, int first) {
  const std::vector<Value> results = c.call(subgraph, inputs_from(c, first));
  require_count(c, subgraph, results.size(), static_cast<std::size_t>(c.outputs()));
  for (int i = 0; i < c.outputs(); ++i) c.set(i, results[static_cast<std::size_t>(i)]);
}

void subgraph(const Operation& c) {
  stand_for(c, c.options(&Operator::builtin_options_as_CallOptions).subgraph(), 0);
}

void composite(const Operation& c) {
  stand_for(c, c.options(&Operator::builtin_options_2_as_CompositeOptions).subgraph(), 0);
}

void branch(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_IfOptions);
  const bool yes = c.number(0, "condition") != 0;
  stand_for(c, yes ? o.then_subgraph_index() : o.else_subgraph_index(), 1);
}

void loop(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_WhileOptions);
  const auto cond = o.cond_subgraph_index(), body = o.body_subgraph_index();
  std::vector<Value> values = inputs_from(c, 0);
  constexpr std::size_t kMost = 1024;
  c.require(values.size() <= kMost,
            fmt::format("has {} values of a loop, needs at most {}", values.size(), kMost));
  require_count(c, body, values.size(), static_cast<std::size_t>(c.outputs()));
  const std::int64_t operators = c.operators_of(cond) + c.operators_of(body);
  for (std::int64_t trip = 0;; ++trip) {
    tensor::require_trips(c, trip + 1, operators);
    const std::vector<Value> condition = c.call(cond, values, fmt::format("{}/condition", trip));
    require_count(c, cond, condition.size(), 1);
    if (!tensor::goes_on(c, condition[0])) break;
    values = c.call(body, std::move(values), std::to_string(trip));
    require_count(c, body, values.size(), static_cast<std::size_t>(c.outputs()));
  }
  for (int i = 0; i < c.outputs(); ++i) c.set(i, values[static_cast<std::size_t>(i)]);
}

constexpr Row kControlRows[] = {
    {"CALL", subgraph, Takes::Moved},
    {"IF", branch, Takes::Moved},
    {"STABLEHLO_COMPOSITE", composite, Takes::Moved},
    {"WHILE", loop, Takes::Moved},
};

}  // namespace

std::span<const Row> control_rows() { return kControlRows; }

}  // namespace vdla::import::tflite
