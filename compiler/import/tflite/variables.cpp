// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/variables.h"

#include <algorithm>

#include "support/error.h"

namespace vdla::import::tflite {
namespace {

/// Zeros, or the zero point of 8-bit integers, as TFLite Micro has them.
graph::SharedBytes cleared(const VariableType& type) {
  const bool moved = type.type == graph::DataType::Int8 && !type.quantization.empty();
  const auto byte = static_cast<std::byte>(moved ? type.quantization.zero_point[0] : 0);
  const auto count = static_cast<std::size_t>(graph::element_count(type.shape));
  return std::make_shared<graph::Bytes>(count * graph::bytes_of(type.type), byte);
}

/// A node of its own, since a state's value is neither an input nor another state.
graph::TensorId copied(tensor::Network& network, graph::TensorId id, const VariableType& type) {
  return network.add(type.name + "/next", graph::Reshape{type.shape}, {id}, type.quantization);
}

}  // namespace

void Variables::require_like(const Variable& variable, const Value& value, const std::string& where) {
  const VariableType& type = variable.type;
  VDLA_CHECK_USER(value.type == type.type && value.shape == type.shape)
      << where << "has " << graph::name_of(value.type) << " " << graph::to_string(value.shape)
      << " for variable '" << type.name << "', which is " << graph::name_of(type.type) << " "
      << graph::to_string(type.shape) << " elsewhere; needs one type and shape";
}

Value Variables::read(const VariableKey& key, const VariableType& type, const std::string& where) {
  Variable& variable = all_[key];
  if (variable.type.name.empty()) variable.type = type;
  if (variable.assigned) {
    require_like(variable, {type.type, type.shape}, where);
    return variable.now;
  }
  if (variable.begin == graph::kNone) {
    if (variable.initial) require_like(variable, {type.type, type.shape}, where);
    variable.type = type;
    variable.begin =
        network_.graph().add_tensor({type.name, type.type, type.shape, type.quantization, nullptr});
    variable.now = network_.value_of(variable.begin);
    network_.name(variable.now, type.name);
  }
  require_like(variable, {type.type, type.shape}, where);
  return variable.now;
}

void Variables::assign(const VariableKey& key, Value value, const std::string& where) {
  Variable& variable = all_[key];
  if (variable.type.name.empty()) variable.type = {key.name, value.type, value.shape, {}};
  require_like(variable, value, where);
  variable.now = std::move(value);
  variable.assigned = true;
}

void Variables::begin_with(const VariableKey& key, Value value, const std::string& where) {
  VDLA_CHECK_USER(value.constant())
      << where << "gives variable '" << key.name
      << "' a value that is computed from other variables before the first run; needs a constant";
  Variable& variable = all_[key];
  VDLA_CHECK_USER(variable.begin == graph::kNone && !variable.assigned)
      << where << "gives variable '" << key.name << "' its first value behind operators that use it";
  variable.type = {key.name, value.type, value.shape, {}};
  variable.initial = value.data;
}

void Variables::finish() {
  graph::Graph& graph = network_.graph();
  for (auto& [key, variable] : all_) {
    if (variable.begin == graph::kNone) continue;
    if (!variable.initial) variable.initial = cleared(variable.type);
    if (!variable.assigned)
      graph.tensor(variable.begin).data = variable.initial;
    else
      graph.states.push_back({variable.begin, graph::kNone, variable.initial});
  }
  const std::vector<graph::TensorId> arriving = graph::arriving(graph);
  auto state = graph.states.begin();
  for (auto& [key, variable] : all_) {
    if (variable.begin == graph::kNone || !variable.assigned) continue;
    const graph::TensorId id = network_.tensor(variable.now, variable.type.name);
    const bool arrives = std::ranges::find(arriving, id) != arriving.end();
    const bool alike =
        graph.tensor(id).constant() || graph.tensor(id).quantization == variable.type.quantization;
    state++->end = arrives || !alike ? copied(network_, id, variable.type) : id;
  }
}

}  // namespace vdla::import::tflite
