// SPDX-License-Identifier: Apache-2.0
// Smaller graphs that fail alike: fewer outputs and nodes, inputs in the place of what computes them, no
// attributes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "tests/compiler/import/random_graphs/judge.h"

namespace vdla::random_graphs {
namespace {

/// Removes nodes, constants and inputs that no output is computed from.
void sweep(Drawn& drawn) {
  onnx::GraphProto& g = *drawn.model.mutable_graph();
  std::set<std::string> wanted;
  for (const auto& info : g.output()) wanted.insert(info.name());
  std::vector<onnx::NodeProto> kept;
  for (int i = g.node_size(); i-- > 0;) {
    const auto& outputs = g.node(i).output();
    if (std::none_of(outputs.begin(), outputs.end(), [&](const auto& o) { return wanted.contains(o); }))
      continue;
    wanted.insert(g.node(i).input().begin(), g.node(i).input().end());
    kept.push_back(g.node(i));
  }
  g.clear_node();
  for (auto n = kept.rbegin(); n != kept.rend(); ++n) *g.add_node() = *n;
  const auto unread = [&](const auto& named) { return !wanted.contains(named.name()); };
  auto& inputs = *g.mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(), unread), inputs.end());
  auto& constants = *g.mutable_initializer();
  constants.erase(std::remove_if(constants.begin(), constants.end(), unread), constants.end());
  std::erase_if(drawn.inputs, [&](const auto& input) { return !wanted.contains(input.first); });
}

onnx::ValueInfoProto described(const std::string& name, const import::Array& array) {
  onnx::ValueInfoProto info;
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx_code(array.type));
  type.mutable_shape();
  for (const std::int64_t d : array.shape) type.mutable_shape()->add_dim()->set_dim_value(d);
  return info;
}

/// The graph's output alone.
Drawn with_output(const Drawn& drawn, const onnx::ValueInfoProto& output) {
  Drawn smaller = drawn;
  smaller.model.mutable_graph()->clear_output();
  *smaller.model.mutable_graph()->add_output() = output;
  sweep(smaller);
  return smaller;
}

/// Makes a result of a node an input.
Drawn with_input(const Drawn& drawn, const std::string& name, const import::Array& value) {
  Drawn smaller = drawn;
  for (auto& n : *smaller.model.mutable_graph()->mutable_node())
    for (std::string& o : *n.mutable_output())
      if (o == name) o = name + "/unread";
  *smaller.model.mutable_graph()->add_input() = described(name, value);
  smaller.inputs[name] = value;
  sweep(smaller);
  return smaller;
}

std::vector<Drawn> smaller_ones(Oracle& oracle, const Drawn& drawn) {
  std::vector<Drawn> all;
  const onnx::GraphProto& g = drawn.model.graph();
  if (g.output_size() > 1)
    for (const auto& output : g.output()) all.push_back(with_output(drawn, output));
  std::set<std::string> outputs;
  for (const auto& output : g.output()) outputs.insert(output.name());
  const Answer revealed = reveal(oracle, drawn);
  for (const auto& [name, value] : revealed.outputs)
    if (!outputs.contains(name)) all.push_back(with_output(drawn, described(name, value)));
  for (const auto& [name, value] : revealed.outputs)
    if (!outputs.contains(name) && value.data->size() > 0) all.push_back(with_input(drawn, name, value));
  for (int i = 0; i < g.node_size(); ++i)
    for (int a = 0; a < g.node(i).attribute_size(); ++a) {
      all.push_back(drawn);
      all.back().model.mutable_graph()->mutable_node(i)->mutable_attribute()->DeleteSubrange(a, 1);
    }
  return all;
}

int size_of_model(const Drawn& drawn) {
  const onnx::GraphProto& g = drawn.model.graph();
  int size = 100 * g.node_size() + 10 * g.output_size();
  for (const auto& n : g.node()) size += n.attribute_size() + (n.op_type() == "Constant" ? -90 : 0);
  return size;
}

std::string values_of(const import::Array& array) {
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min<std::size_t>(elements_of(array), 12); ++i)
    some.push_back(fmt::format("{:.9g}", element_of(array, i)));
  return fmt::format("{} {} [{}{}]", graph::name_of(array.type), graph::to_string(array.shape),
                     fmt::join(some, " "), elements_of(array) > 12 ? " ..." : "");
}

std::string values_of(const onnx::TensorProto& t) {
  const std::string text = t.SerializeAsString();
  try {
    return values_of(import::read_onnx_tensor(std::as_bytes(std::span(text)), t.name()));
  } catch (const std::exception& e) {
    return e.what();
  }
}

std::string attribute_text(const onnx::AttributeProto& a) {
  using A = onnx::AttributeProto;
  switch (a.type()) {
    case A::INT:
      return fmt::format("{}={}", a.name(), a.i());
    case A::FLOAT:
      return fmt::format("{}={:.9g}", a.name(), a.f());
    case A::STRING:
      return fmt::format("{}={}", a.name(), a.s());
    case A::INTS:
      return fmt::format("{}=[{}]", a.name(), fmt::join(a.ints(), ","));
    case A::FLOATS:
      return fmt::format("{}=[{}]", a.name(), fmt::join(a.floats(), ","));
    case A::STRINGS:
      return fmt::format("{}=[{}]", a.name(), fmt::join(a.strings(), ","));
    case A::TENSOR:
      return fmt::format("{}={}", a.name(), values_of(a.t()));
    default:
      return a.name();
  }
}

}  // namespace

Drawn shrink(Oracle& oracle, Drawn drawn, Place place, const std::string& sentence) {
  const Verdict::Kind kind = judge(oracle, drawn, place).kind;
  const auto alike = [&](const Drawn& candidate) {
    const Verdict verdict = judge(oracle, candidate, place);
    return verdict.kind == kind && verdict.text.find(sentence) != std::string::npos;
  };
  for (bool again = true; again;) {
    again = false;
    for (Drawn& candidate : smaller_ones(oracle, drawn)) {
      if (size_of_model(candidate) >= size_of_model(drawn) || !alike(candidate)) continue;
      drawn = std::move(candidate);
      again = true;
      break;
    }
  }
  return drawn;
}

std::string describe(const Drawn& drawn) {
  const onnx::GraphProto& g = drawn.model.graph();
  std::string text = fmt::format("operator set {}\n", drawn.model.opset_import(0).version());
  for (const auto& [name, array] : drawn.inputs)
    text += fmt::format("  input {} = {}\n", name, values_of(array));
  for (const auto& t : g.initializer()) text += fmt::format("  constant {} = {}\n", t.name(), values_of(t));
  for (const auto& n : g.node()) {
    std::vector<std::string> attributes;
    for (const auto& a : n.attribute()) attributes.push_back(attribute_text(a));
    text += fmt::format("  {} = {}({}) {}\n", fmt::join(n.output(), ", "), n.op_type(),
                        fmt::join(n.input(), ", "), fmt::join(attributes, " "));
  }
  for (const auto& output : g.output()) text += fmt::format("  output {}\n", output.name());
  return text;
}

}  // namespace vdla::random_graphs
