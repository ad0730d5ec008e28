// SPDX-License-Identifier: Apache-2.0
// A network as a list of nodes in an order in which they can run, over tensors that are named by index.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/op.h"
#include "compiler/graph/tensor.h"
#include "support/rounding.h"

namespace vdla::graph {

using NodeId = std::int32_t;

struct Node {
  std::string name;  ///< unique in the graph
  Op op;
  std::vector<TensorId> inputs;  ///< kNone for an optional one that is absent
  TensorId output = kNone;
  std::string in_floats = {};  ///< why the importer made no integer layer of a quantised operator; empty: it
                               ///< did, or the operator is not quantised. Graph text leaves it out
};

/// Graph input or output as the model file states it, which inside is int8 and NHWC: a float32 model is fed
/// round(x / scale) + zero_point of the tensor's quantisation, a uint8 one x - 128. Which way halves go is
/// the model format's rule.
struct Port {
  TensorId tensor = kNone;
  DataType model_type = DataType::Int8;
  Shape model_shape;
  std::vector<int> perm;  ///< graph dimension i is model dimension perm[i]; empty: equal shapes
  Rounding rounding = Rounding::HalfToEven;
};

/// A value that a network keeps from one run to the next: what `end` holds after a run is what `begin` holds
/// in the next one. It is called as `begin` is.
struct State {
  TensorId begin = kNone;  ///< read by nodes, written by none
  TensorId end = kNone;    ///< has the type and shape of `begin`; no state's `begin`
  SharedBytes initial;     ///< bytes of `begin` in the first run
};

/// A value. Nodes stand in an order in which they can run; each tensor has at most one producer.
struct Graph {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;
  std::vector<Port> inputs, outputs;
  std::vector<State> states = {};

  const Tensor& tensor(TensorId id) const { return tensors.at(static_cast<std::size_t>(id)); }
  Tensor& tensor(TensorId id) { return tensors.at(static_cast<std::size_t>(id)); }
  const Node& node(NodeId id) const { return nodes.at(static_cast<std::size_t>(id)); }

  TensorId add_tensor(Tensor tensor);
  TensorId add_constant(std::string name, DataType type, Shape shape, SharedBytes data, Quantization q = {},
                        std::optional<Sources> sources = std::nullopt);

  /// Appends a node and its output tensor, whose shape and type are inferred. Wrong inputs throw UserError.
  TensorId add_node(std::string name, Op op, std::vector<TensorId> inputs,
                    Quantization output_quantization = {});

  /// Adds a port whose model type and shape are the tensor's own.
  void add_input(TensorId tensor);
  void add_output(TensorId tensor);
};

/// Bytes of a vector of elements, for Graph::add_constant.
template <class T>
SharedBytes to_bytes(std::span<const T> values) {
  auto bytes = std::as_bytes(values);
  return std::make_shared<const Bytes>(bytes.begin(), bytes.end());
}
template <class T>
SharedBytes to_bytes(const std::vector<T>& values) {
  return to_bytes(std::span<const T>(values));
}

/// Tensors that are there before any node runs and are no constants: inputs and begins of states.
std::vector<TensorId> arriving(const Graph& graph);

/// Tensors that are read after the last node: outputs and ends of states, each as often as it is one.
std::vector<TensorId> leaving(const Graph& graph);

/// For each tensor the node that writes it, kNone for inputs and constants.
std::vector<NodeId> producers(const Graph& graph);

/// For each tensor the nodes that read it, in order.
std::vector<std::vector<NodeId>> consumers(const Graph& graph);

/// For each tensor whether the outputs, or the states after a run, need it.
std::vector<bool> needed_tensors(const Graph& graph);

/// Whether each tensor is needed, or arrives, and so stays although nothing reads it.
std::vector<bool> lasting_tensors(const Graph& graph);

/// The node of that name, or throws UserError listing near names.
NodeId find_node(const Graph& graph, std::string_view name);

/// Throws InternalError unless the graph is well formed: indices, order, unique names, shapes as inferred,
/// sizes of constants.
void verify(const Graph& graph);

/// Multiply-accumulates of a node as the model states them (no padded channels, no halo); 0 where it has
/// none.
std::int64_t macs(const Graph& graph, const Node& node);

}  // namespace vdla::graph
