// SPDX-License-Identifier: Apache-2.0
// Pass: a transpose whose result is flattened for a dense layer of one row becomes another order of the
// layer's weights.
#include <optional>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/free_names.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/sources.h"

namespace vdla::graph {

namespace {

/// For each element of a transpose's result, in order, the place of that element in its input.
std::vector<std::int64_t> sources(const Shape& in, const std::vector<int>& perm) {
  std::vector<std::int64_t> stride(in.size(), 1);
  for (std::size_t d = in.size(); d-- > 1;) stride[d - 1] = stride[d] * in[d];
  std::vector<std::int64_t> result;
  Shape index(perm.size(), 0);
  for (std::int64_t n = 0; n < element_count(in); ++n) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < perm.size(); ++d)
      source += index[d] * stride[static_cast<std::size_t>(perm[d])];
    result.push_back(source);
    for (std::size_t d = perm.size(); d-- > 0;) {
      if (++index[d] < in[static_cast<std::size_t>(perm[d])]) break;
      index[d] = 0;
    }
  }
  return result;
}

/// Dense weights [outputs][inputs] whose input i stands at place[i].
SharedBytes reordered(const Tensor& weights, const std::vector<std::int64_t>& place) {
  const auto values = weights.values<std::int8_t>();
  std::vector<std::int8_t> result(values.size());
  const std::size_t inputs = place.size();
  for (std::size_t o = 0; o < values.size() / inputs; ++o)
    for (std::size_t i = 0; i < inputs; ++i)
      result[o * inputs + static_cast<std::size_t>(place[i])] = values[o * inputs + i];
  return to_bytes(result);
}

/// The transpose that feeds a dense layer of one row, directly or through a reshape.
std::optional<NodeId> transpose_in_front(const Graph& g, const Node& dense,
                                         const std::vector<NodeId>& producer) {
  const Tensor& weights = g.tensor(dense.inputs[1]);
  if (!weights.constant() || element_count(g.tensor(dense.inputs[0]).shape) != weights.shape[1])
    return std::nullopt;
  NodeId front = producer[static_cast<std::size_t>(dense.inputs[0])];
  if (front != kNone && std::holds_alternative<Reshape>(g.node(front).op))
    front = producer[static_cast<std::size_t>(g.node(front).inputs[0])];
  if (front == kNone || !std::holds_alternative<Transpose>(g.node(front).op)) return std::nullopt;
  return front;
}

}  // namespace

Graph fold_transpose(Graph graph) {
  FreeNames free_name(graph.nodes);
  std::vector<Node> nodes;
  std::vector<Replaced> replaced;
  const std::vector<NodeId> producer = producers(graph);
  for (Node node : graph.nodes) {
    const auto front = std::holds_alternative<FullyConnected>(node.op)
                           ? transpose_in_front(graph, node, producer)
                           : std::nullopt;
    if (front) {
      const Node& transpose = graph.node(*front);
      const Tensor x = graph.tensor(transpose.inputs[0]);
      const auto place = sources(x.shape, std::get<Transpose>(transpose.op).perm);
      Tensor weights = graph.tensor(node.inputs[1]);
      weights.data = reordered(weights, place);
      weights.sources = as(sources_of(weights), Likeness::Reordered);
      // A reshape in between may give the values another scale or zero point.
      const Tensor read = graph.tensor(node.inputs[0]);
      const bool alike = read.quantization.empty() || read.quantization == x.quantization;
      const std::string name = free_name(node.name + "/rows");
      nodes.push_back({name,
                       Reshape{read.shape},
                       {transpose.inputs[0]},
                       graph.add_tensor({name, x.type, read.shape, alike ? x.quantization : read.quantization,
                                         nullptr, alike ? sources_of(x) : Sources{}})});
      replaced.push_back(
          {transpose.output, alike ? nodes.back().output : transpose.inputs[0], Likeness::Reordered});
      replaced.push_back({node.inputs[0], nodes.back().output, Likeness::Reordered});
      node.inputs[0] = nodes.back().output;
      node.inputs[1] = graph.add_tensor(std::move(weights));
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
  return drop_dead(std::move(graph), replaced);
}

}  // namespace vdla::graph
