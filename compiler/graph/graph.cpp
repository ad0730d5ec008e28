// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "compiler/graph/shape.h"
#include "support/dimensions.h"
#include "support/error.h"
#include "support/nearest.h"
#include "support/overloaded.h"

namespace vdla::graph {

TensorId Graph::add_tensor(Tensor tensor) {
  VDLA_CHECK_USER(tensor.shape.size() <= kMostDimensions)
      << "tensor '" << tensor.name << "' " << too_many_dimensions(tensor.shape.size());
  tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(tensors.size() - 1);
}

TensorId Graph::add_constant(std::string tensor_name, DataType type, Shape shape, SharedBytes data,
                             Quantization q, std::optional<Sources> sources) {
  Tensor t{std::move(tensor_name), type, std::move(shape), std::move(q), std::move(data), std::move(sources)};
  VDLA_CHECK(t.data && t.data->size() == t.bytes())
      << "constant '" << t.name << "' of " << t.bytes() << " bytes given another number of bytes";
  return add_tensor(std::move(t));
}

TensorId Graph::add_node(std::string node_name, Op op, std::vector<TensorId> inputs_of_node,
                         Quantization output_quantization) {
  TensorType type = infer(tensors, node_name, op, inputs_of_node);
  TensorId output =
      add_tensor({node_name, type.type, std::move(type.shape), std::move(output_quantization), nullptr});
  nodes.push_back({std::move(node_name), std::move(op), std::move(inputs_of_node), output});
  return output;
}

void Graph::add_input(TensorId id) { inputs.push_back({id, tensor(id).type, tensor(id).shape, {}}); }
void Graph::add_output(TensorId id) { outputs.push_back({id, tensor(id).type, tensor(id).shape, {}}); }

std::vector<TensorId> arriving(const Graph& graph) {
  std::vector<TensorId> result;
  for (const Port& port : graph.inputs) result.push_back(port.tensor);
  for (const State& state : graph.states) result.push_back(state.begin);
  return result;
}

std::vector<TensorId> leaving(const Graph& graph) {
  std::vector<TensorId> result;
  for (const Port& port : graph.outputs) result.push_back(port.tensor);
  for (const State& state : graph.states) result.push_back(state.end);
  return result;
}

std::vector<NodeId> producers(const Graph& graph) {
  std::vector<NodeId> result(graph.tensors.size(), kNone);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    result.at(static_cast<std::size_t>(graph.nodes[i].output)) = static_cast<NodeId>(i);
  return result;
}

std::vector<std::vector<NodeId>> consumers(const Graph& graph) {
  std::vector<std::vector<NodeId>> result(graph.tensors.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (TensorId id : graph.nodes[i].inputs)
      if (id != kNone) result.at(static_cast<std::size_t>(id)).push_back(static_cast<NodeId>(i));
  return result;
}

std::vector<bool> needed_tensors(const Graph& graph) {
  std::vector<bool> needed(graph.tensors.size());
  for (TensorId id : leaving(graph)) needed[static_cast<std::size_t>(id)] = true;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    if (!needed[static_cast<std::size_t>(graph.nodes[i].output)]) continue;
    for (TensorId id : graph.nodes[i].inputs)
      if (id != kNone) needed[static_cast<std::size_t>(id)] = true;
  }
  return needed;
}

std::vector<bool> lasting_tensors(const Graph& graph) {
  std::vector<bool> lasting = needed_tensors(graph);
  for (TensorId id : arriving(graph)) lasting[static_cast<std::size_t>(id)] = true;
  return lasting;
}

NodeId find_node(const Graph& graph, std::string_view name) {
  std::vector<std::string> near;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].name == name) return static_cast<NodeId>(i);
    near.push_back(graph.nodes[i].name);
  }
  const std::string meant = did_you_mean(name, near);
  if (near.size() > 12) near.resize(12);
  VDLA_CHECK_USER(false) << "no node '" << name << "' in the network; its " << graph.nodes.size()
                         << " nodes begin with: " << fmt::format("{}", fmt::join(near, ", ")) << meant;
  return kNone;
}

namespace {

void verify_tensors(const Graph& graph) {
  for (const Tensor& t : graph.tensors) {
    VDLA_CHECK(t.shape.size() <= kMostDimensions)
        << "tensor '" << t.name << "' " << too_many_dimensions(t.shape.size());
    for (std::int64_t extent : t.shape)
      VDLA_CHECK(extent > 0) << "tensor '" << t.name << "' has extent " << extent;
    VDLA_CHECK(!t.data || t.data->size() == t.bytes())
        << "constant '" << t.name << "' has " << t.data->size() << " bytes";
    VDLA_CHECK(t.quantization.scale.size() == t.quantization.zero_point.size())
        << "tensor '" << t.name << "'";
  }
}

void verify_ports(const Graph& graph, const std::vector<bool>& defined) {
  for (const auto* ports : {&graph.inputs, &graph.outputs})
    for (const Port& port : *ports) {
      VDLA_CHECK(port.tensor >= 0 && static_cast<std::size_t>(port.tensor) < graph.tensors.size());
      VDLA_CHECK(defined[static_cast<std::size_t>(port.tensor)])
          << "port '" << graph.tensor(port.tensor).name << "' has no producer";
      VDLA_CHECK(element_count(port.model_shape) == element_count(graph.tensor(port.tensor).shape))
          << "port '" << graph.tensor(port.tensor).name << "' changes the number of elements";
    }
}

void verify_states(const Graph& graph, const std::vector<bool>& defined) {
  std::set<TensorId> begins;
  for (const State& state : graph.states) {
    const Tensor &begin = graph.tensor(state.begin), &end = graph.tensor(state.end);
    VDLA_CHECK(begins.insert(state.begin).second) << "two states begin with '" << begin.name << "'";
    VDLA_CHECK(!begin.constant() && state.initial && state.initial->size() == begin.bytes())
        << "state '" << begin.name << "' of " << begin.bytes() << " bytes begins with other ones";
    VDLA_CHECK(defined[static_cast<std::size_t>(state.end)] && begin.type == end.type &&
               begin.shape == end.shape)
        << "state '" << begin.name << "' becomes '" << end.name << "', which is no value like it";
  }
  for (const State& state : graph.states)
    VDLA_CHECK(!begins.contains(state.end))
        << "state '" << graph.tensor(state.begin).name << "' becomes what another one was";
}

}  // namespace

void verify(const Graph& graph) {
  verify_tensors(graph);
  std::vector<bool> defined(graph.tensors.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) defined[i] = graph.tensors[i].constant();
  for (TensorId id : arriving(graph)) defined.at(static_cast<std::size_t>(id)) = true;
  std::set<std::string_view> names;
  for (const Node& node : graph.nodes) {
    VDLA_CHECK(names.insert(node.name).second) << "two nodes named '" << node.name << "'";
    for (TensorId id : node.inputs)
      VDLA_CHECK(id == kNone || (id >= 0 && defined.at(static_cast<std::size_t>(id))))
          << "node '" << node.name << "' reads tensor " << id << " before it is written";
    VDLA_CHECK(node.output >= 0 && !defined.at(static_cast<std::size_t>(node.output)))
        << "node '" << node.name << "' writes tensor " << node.output << " that something else writes";
    const TensorType type = infer(graph.tensors, node.name, node.op, node.inputs);
    const Tensor& out = graph.tensor(node.output);
    VDLA_CHECK(type == (TensorType{out.type, out.shape}))
        << "node '" << node.name << "' writes " << to_string(type.shape) << ", its tensor says "
        << to_string(out.shape);
    defined[static_cast<std::size_t>(node.output)] = true;
  }
  verify_ports(graph, defined);
  verify_states(graph, defined);
}

std::int64_t macs(const Graph& graph, const Node& node) {
  const auto of_weights = [&](std::int64_t outputs_per_row) {
    const Tensor& w = graph.tensor(node.inputs.at(1));
    return element_count(graph.tensor(node.output).shape) / outputs_per_row * element_count(w.shape);
  };
  return std::visit(
      overloaded{
          [&](const Conv2d& op) {
            const Shape& out = graph.tensor(node.output).shape;
            return of_weights(out.back()) - element_count(out) * op.filler;
          },
          [&](const DepthwiseConv2d&) { return of_weights(graph.tensor(node.output).shape.back()); },
          [&](const FullyConnected&) { return of_weights(graph.tensor(node.output).shape.back()); },
          [&](const Convolve&) { return of_weights(graph.tensor(node.output).shape[1]); },
          [&](const BatchMatMul& op) {
            const Shape& a = graph.tensor(node.inputs[0]).shape;
            return element_count(graph.tensor(node.output).shape) * a[a.size() - (op.transpose_a ? 2 : 1)];
          },
          [&](const PackedMatMul&) {
            return element_count(graph.tensor(node.output).shape) * graph.tensor(node.inputs[0]).shape.back();
          },
          [&](const MatMul& op) {
            const Shape& a = graph.tensor(node.inputs[0]).shape;
            return element_count(graph.tensor(node.output).shape) * a[a.size() - (op.transpose_a ? 2 : 1)];
          },
          [&](const ConvolveBlocks& op) {
            const Shape &y = graph.tensor(node.output).shape, &w = graph.tensor(node.inputs[1]).shape;
            const std::size_t kernel = op.depthwise ? 1 : 2;
            return y[0] * y[2] * y[3] * op.out_channels * (op.depthwise ? 1 : op.in_channels) * w[kernel] *
                   w[kernel + 1];
          },
          [&](const MatMulPanels&) {
            return element_count(graph.tensor(node.output).shape) * graph.tensor(node.inputs[0]).shape[1];
          },
          [](const auto&) { return std::int64_t{0}; },
      },
      node.op);
}

}  // namespace vdla::graph
