// SPDX-License-Identifier: Apache-2.0
// Pass: a reshape of a reshape reads the first one's input, also past operators of one element between them;
// a reshape to the same shape vanishes.
#include <algorithm>
#include <numeric>
#include <optional>
#include <variant>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/sources.h"

namespace vdla::graph {

namespace {

/// The end of a chain of two reshapes that has the values in between: a reshape to another scale or zero
/// point gives them another meaning. Nothing where neither end has them.
std::optional<TensorId> like_between(const Graph& g, TensorId first, TensorId between, TensorId last) {
  for (const TensorId end : {last, first})
    if (g.tensor(end).quantization == g.tensor(between).quantization) return end;
  return std::nullopt;
}

/// Operators of int8 whose result has at each place what the one or two elements there give, whatever the
/// place.
bool is_elementwise(const Node& node) {
  if (const auto* op = std::get_if<Requantize>(&node.op)) return op->out.multiplier.size() == 1;
  return std::holds_alternative<Lut>(node.op) || std::holds_alternative<Add>(node.op) ||
         std::holds_alternative<Mul>(node.op) || std::holds_alternative<Maximum>(node.op) ||
         std::holds_alternative<Minimum>(node.op);
}

/// Elements of an operand that broadcasts to `shape` before they are all repeated in that order.
std::int64_t period(const Shape& operand, const Shape& shape) {
  const auto first = std::ranges::find_if(operand, [](std::int64_t n) { return n > 1; });
  const std::ptrdiff_t own = operand.end() - first;
  return std::accumulate(shape.end() - own, shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// Moves reshapes behind the operators of one element that read them, up to the next reshape.
class Sinking {
 public:
  explicit Sinking(Graph& graph) : graph_(graph), readers_(consumers(graph)), leaves_(graph.tensors.size()) {
    for (TensorId id : leaving(graph)) leaves_[static_cast<std::size_t>(id)] = true;
  }

  std::vector<Replaced> run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (std::holds_alternative<Reshape>(graph_.nodes[i].op)) sink(static_cast<NodeId>(i));
    return std::move(replaced_);
  }

 private:
  void sink(NodeId reshape) {
    const Node& node = graph_.node(reshape);
    const TensorId from = node.inputs[0], to = node.output;
    const Shape shape = graph_.tensor(from).shape;
    if (shape.empty() || graph_.tensor(from).quantization != graph_.tensor(to).quantization) return;
    std::vector<NodeId> between;
    for (TensorId at = to;;) {
      const std::optional<NodeId> reader = only_reader(at);
      if (!reader) return;
      if (std::holds_alternative<Reshape>(graph_.node(*reader).op)) break;
      if (!is_elementwise(graph_.node(*reader)) || !may_change(graph_.node(*reader), at, shape)) return;
      between.push_back(*reader);
      at = graph_.node(*reader).output;
    }
    if (between.empty()) return;
    const Shape before = graph_.tensor(to).shape;
    TensorId at = to;
    for (const NodeId id : between) {
      change(id, at, before, shape);
      at = graph_.node(id).output;
    }
    for (TensorId& id : graph_.nodes[static_cast<std::size_t>(between[0])].inputs)
      if (id == to) id = from;
    replaced_.push_back({to, from});
  }

  std::optional<NodeId> only_reader(TensorId id) const {
    const auto& readers = readers_[static_cast<std::size_t>(id)];
    if (readers.size() != 1 || leaves_[static_cast<std::size_t>(id)]) return std::nullopt;
    return readers[0];
  }

  /// Whether its other operand is a constant that repeats within the last dimension of `shape`.
  bool may_change(const Node& node, TensorId at, const Shape& shape) const {
    const Shape& own = graph_.tensor(at).shape;
    return graph_.tensor(node.output).shape == own && std::ranges::all_of(node.inputs, [&](TensorId id) {
             const Tensor& t = graph_.tensor(id);
             return id == at || (t.constant() && t.type == DataType::Int8 && shape.back() > 0 &&
                                 shape.back() % period(t.shape, own) == 0);
           });
  }

  /// The node reads `at` in a new shape.
  void change(NodeId id, TensorId at, const Shape& before, const Shape& shape) {
    const std::vector<TensorId> inputs = graph_.node(id).inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] != at)
        graph_.nodes[static_cast<std::size_t>(id)].inputs[i] =
            repeated(graph_.tensor(inputs[i]), before, shape.back());
    graph_.tensor(graph_.node(id).output).shape = shape;
  }

  /// The constant that broadcasts to `shape`, as `count` numbers.
  TensorId repeated(const Tensor constant, const Shape& shape, std::int64_t count) {
    if (element_count(constant.shape) == 1)
      return graph_.add_constant(constant.name, constant.type, {1}, constant.data, constant.quantization,
                                 sources_of(constant));
    const auto values = constant.values<std::int8_t>();
    const std::size_t rank = constant.shape.size(), more = shape.size() - rank;
    std::vector<std::int8_t> all;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t rest = i, place = 0, stride = 1;
      for (std::size_t d = rank; d-- > 0;) {
        if (constant.shape[d] > 1) place += rest % shape[more + d] * stride;
        stride *= constant.shape[d];
        rest /= shape[more + d];
      }
      all.push_back(values[static_cast<std::size_t>(place)]);
    }
    return graph_.add_constant(constant.name, constant.type, {count}, to_bytes(all), constant.quantization,
                               as(sources_of(constant), Likeness::From));
  }

  Graph& graph_;
  std::vector<std::vector<NodeId>> readers_;
  std::vector<bool> leaves_;
  std::vector<Replaced> replaced_;
};

}  // namespace

Graph simplify_reshape(Graph graph) {
  std::vector<Replaced> replaced = Sinking(graph).run();
  const std::vector<NodeId> producer = producers(graph);
  // Nodes stand in order, so what a reshape reads is simple already.
  std::vector<TensorId> same(graph.tensors.size());
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<TensorId>(i);
  for (Node& node : graph.nodes) {
    for (TensorId& id : node.inputs)
      if (id != kNone) id = same[static_cast<std::size_t>(id)];
    if (!std::holds_alternative<Reshape>(node.op)) continue;
    const NodeId front = producer[static_cast<std::size_t>(node.inputs[0])];
    if (front != kNone && std::holds_alternative<Reshape>(graph.node(front).op)) {
      const TensorId first = graph.node(front).inputs[0];
      if (const auto like = like_between(graph, first, node.inputs[0], node.output)) {
        replaced.push_back({node.inputs[0], *like});
        node.inputs[0] = first;
      }
    }
    const Tensor &in = graph.tensor(node.inputs[0]), &out = graph.tensor(node.output);
    if (in.shape == out.shape && in.quantization == out.quantization) {
      replaced.push_back({node.output, node.inputs[0]});
      same[static_cast<std::size_t>(node.output)] = node.inputs[0];
    }
  }
  return drop_dead(std::move(graph), replaced);
}

}  // namespace vdla::graph
