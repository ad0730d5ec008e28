// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/fold_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <variant>

#include "compiler/evaluate/evaluate.h"
#include "compiler/graph/drop_dead.h"
#include "compiler/targets/vdla/templates/from_graph.h"

namespace vdla::pipeline {

namespace {

using graph::element_count;
using graph::kNone;
using graph::NodeId;
using graph::Shape;
using graph::TensorId;

/// More nodes than this are not one function: a bound on the work for each node.
constexpr std::size_t kMostNodes = 64;

bool has_one_multiplier(const graph::Op& op) {
  return std::visit(
      [](const auto& o) {
        if constexpr (requires { o.out.multiplier; }) return o.out.multiplier.size() == 1;
        return true;
      },
      op);
}

/// Whether the device has no layer for it: for tables of two lines it has one.
bool only_on_cpu(const graph::Graph& graph, const graph::Node& node) {
  if (const auto* table = std::get_if<graph::Lut>(&node.op))
    return std::holds_alternative<device::WhyNot>(device::from_graph({graph, node}, *table));
  return std::holds_alternative<graph::Map>(node.op) || std::holds_alternative<graph::Quantize>(node.op) ||
         std::holds_alternative<graph::Dequantize>(node.op);
}

std::string function_of(const graph::Op& op) {
  if (const auto* table = std::get_if<graph::Lut>(&op)) return table->function;
  if (const auto* map = std::get_if<graph::Map>(&op)) return map->function;
  return std::string(name_of(op));
}

/// Nodes that end in one and compute it from one tensor.
struct Function {
  TensorId argument = kNone;
  std::set<NodeId> nodes;  ///< nodes in the order of the graph
};

class Functions {
 public:
  explicit Functions(const graph::Graph& graph)
      : graph_(graph), made_by_(producers(graph)), read_by_(consumers(graph)), leaves_(graph.tensors.size()) {
    for (const TensorId id : leaving(graph)) leaves_[static_cast<std::size_t>(id)] = true;
  }

  /// The longest function that the node ends, of two nodes or more with one that the device does not compute.
  Function ending_in(NodeId last) const {
    Function longest, grown;
    const graph::Node& end = graph_.node(last);
    if (graph_.tensor(end.output).type != graph::DataType::Int8 || !element_wise(last)) return longest;
    std::set<TensorId> arguments;
    for (NodeId next = last; next != kNone && grown.nodes.size() < kMostNodes;
         next = absorbed(arguments, grown)) {
      grown.nodes.insert(next);
      arguments.erase(graph_.node(next).output);
      for (const TensorId id : graph_.node(next).inputs)
        if (id != kNone && !graph_.tensor(id).constant()) arguments.insert(id);
      if (arguments.size() != 1 || graph_.tensor(*arguments.begin()).type != graph::DataType::Int8) continue;
      grown.argument = *arguments.begin();
      longest = grown;
    }
    const bool folds = longest.nodes.size() > 1 && std::ranges::any_of(longest.nodes, [&](NodeId n) {
                         return only_on_cpu(graph_, graph_.node(n));
                       });
    return folds ? longest : Function{};
  }

 private:
  /// Whether each element of its result follows from the elements of its inputs at that place.
  bool element_wise(NodeId n) const {
    const graph::Node& node = graph_.node(n);
    if (fusion_class_of(node.op) != graph::FusionClass::Elementwise || !has_one_multiplier(node.op))
      return false;
    const Shape& shape = graph_.tensor(node.output).shape;
    return std::ranges::all_of(node.inputs, [&](TensorId id) {
      if (id == kNone) return false;
      const graph::Tensor& in = graph_.tensor(id);
      return in.constant() ? element_count(in.shape) == 1 : in.shape == shape;
    });
  }

  /// The last node whose result the function reads, where nothing else reads it.
  NodeId absorbed(const std::set<TensorId>& arguments, const Function& function) const {
    NodeId found = kNone;
    for (const TensorId id : arguments) {
      const auto at = static_cast<std::size_t>(id);
      const bool inside =
          std::ranges::all_of(read_by_[at], [&](NodeId n) { return function.nodes.contains(n); });
      if (made_by_[at] != kNone && !leaves_[at] && inside && element_wise(made_by_[at]))
        found = std::max(found, made_by_[at]);
    }
    return found;
  }

  const graph::Graph& graph_;
  std::vector<NodeId> made_by_;
  std::vector<std::vector<NodeId>> read_by_;
  std::vector<bool> leaves_;
};

/// The function's result for each int8.
graph::Lut table_of(const graph::Graph& from, const Function& function) {
  graph::Graph graph;
  graph::Lut table;
  std::vector<TensorId> now(from.tensors.size(), kNone);
  std::vector<std::int8_t> all;
  for (int value = -128; value < 128; ++value) all.push_back(static_cast<std::int8_t>(value));
  now[static_cast<std::size_t>(function.argument)] =
      graph.add_constant("argument", graph::DataType::Int8, {std::ssize(all)}, graph::to_bytes(all));
  std::vector<std::string> names;
  TensorId last = kNone;
  for (const NodeId n : function.nodes) {
    const graph::Node& node = from.node(n);
    std::vector<TensorId> inputs;
    for (const TensorId id : node.inputs) {
      TensorId& in = now[static_cast<std::size_t>(id)];
      if (in == kNone) in = graph.add_tensor(from.tensor(id));
      inputs.push_back(in);
    }
    last = graph.add_node(node.name, node.op, inputs, from.tensor(node.output).quantization);
    graph.tensor(last).data = evaluate::evaluate(graph, graph.nodes.back());
    now[static_cast<std::size_t>(node.output)] = last;
    names.push_back(function_of(node.op));
  }
  std::ranges::copy(graph.tensor(last).values<std::int8_t>(), table.table.begin());
  table.function = fmt::format("{}", fmt::join(names, ", "));
  return table;
}

}  // namespace

graph::Graph fold_tables(graph::Graph graph) {
  const Functions functions(graph);
  std::set<NodeId> folded;
  std::vector<graph::Replaced> replaced;
  std::vector<std::pair<NodeId, graph::Node>> tables;
  for (NodeId n = static_cast<NodeId>(graph.nodes.size()) - 1; n >= 0; --n) {
    if (folded.contains(n)) continue;
    const Function function = functions.ending_in(n);
    if (function.nodes.empty()) continue;
    folded.insert(function.nodes.begin(), function.nodes.end());
    graph::Node node = graph.node(n);
    node.op = table_of(graph, function);
    node.inputs = {function.argument};
    tables.emplace_back(n, std::move(node));
    const auto within = [&](TensorId id) {
      replaced.push_back({id, graph.node(n).output, Likeness::Within});
    };
    for (const NodeId inner : function.nodes) {
      if (inner != n) within(graph.node(inner).output);
      for (const TensorId id : graph.node(inner).inputs)
        if (graph.tensor(id).constant()) within(id);
    }
  }
  for (auto& [n, node] : tables) graph.nodes[static_cast<std::size_t>(n)] = std::move(node);
  return drop_dead(std::move(graph), replaced);
}

}  // namespace vdla::pipeline
