// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse.h"

#include <algorithm>
#include <numeric>

#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/graph/ops.h"

namespace vdla::graph {
namespace {

/// An expression is written out for each of its uses, and uses multiply along a chain.
constexpr std::int64_t kMostUses = 8;

/// Nodes of a group. What compiles a function takes time and memory that grow with the square of its size.
constexpr int kMostNodes = 48;

/// Each place in the expression counts, also where they share it in memory.
std::int64_t occurrences(const expr::ExprPtr& e, const expr::VarPtr& variable) {
  const auto* ref = e->as<expr::VarRef>();
  std::int64_t count = ref && ref->var == variable ? 1 : 0;
  for (const expr::ExprPtr& child : expr::children(e)) count += occurrences(child, variable);
  return count;
}

bool elementwise(const Op& op) { return fusion_class_of(op) == FusionClass::Elementwise; }
bool moves(const Op& op) { return fusion_class_of(op) == FusionClass::Moving; }

/// How often an index of the node's result stands in the indices of what it reads: a Reshape from 6x4 to 3x8
/// reads [(8 i + j) / 4, (8 i + j) mod 4].
std::int64_t uses_of_index(const Graph& graph, const Node& node) {
  const expr::Tensor output = express(graph, node).output;
  const expr::Compute& compute = output.compute();
  expr::Ranges ranges;
  for (const expr::IterVar& axis : compute.axes) ranges[axis.var()] = {0, axis.extent() - 1};
  std::int64_t most = 1;
  for (const expr::IterVar& axis : compute.axes) {
    std::int64_t count = 0;
    expr::visit(compute.bodies()[0], [&](const expr::ExprPtr& e) {
      if (const auto* read = e->as<expr::Read>())
        for (const expr::ExprPtr& index : read->indices)
          count += occurrences(expr::simplify(index, ranges), axis.var());
    });
    most = std::max(most, count);
  }
  return most;
}

/// How often the node's expression has tensor `id`, or an index of its own in those of the tensor.
std::int64_t uses(const Graph& graph, const Node& node, TensorId id) {
  if (moves(node.op)) return uses_of_index(graph, node);
  const auto* map = std::get_if<Map>(&node.op);
  if (!map) return std::count(node.inputs.begin(), node.inputs.end(), id);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i] == id) count += occurrences(map->body, map->arguments[i]);
  return count;
}

class Fuser {
 public:
  Fuser(const Graph& graph, const std::vector<bool>& fusible, const std::vector<bool>& stored)
      : graph_(graph), fusible_(fusible), consumers_(consumers(graph)), root_(graph.nodes.size()) {
    std::iota(root_.begin(), root_.end(), 0);
    anchored_.resize(root_.size());
    pure_.resize(root_.size());
    uses_.assign(root_.size(), 1);
    nodes_.assign(root_.size(), 1);
    leaves_.resize(graph.tensors.size());
    for (TensorId id : leaving(graph)) leaves_[at(id)] = true;
    for (std::size_t i = 0; i < stored.size(); ++i)
      if (stored[i]) leaves_[at(graph.nodes[i].output)] = true;
    find_epilogues();
  }

  std::vector<NodeId> run() {
    for (std::size_t i = root_.size(); i-- > 0;) {
      const Node& node = graph_.nodes[i];
      const auto group = common_group(static_cast<NodeId>(i));
      if (group != kNone && nodes_[at(group)] < kMostNodes && joins(node, group)) {
        root_[i] = group;
        ++nodes_[at(group)];
        uses_[i] = uses_of(node);
      }
      // properties of the group with the node
      const std::size_t root = at(root_[i]);
      const bool alone = root == i;
      anchored_[root] = (!alone && anchored_[root]) || !is_injective(fusion_class_of(node.op));
      pure_[root] = (alone || pure_[root]) && elementwise(node.op);
    }
    return root_;
  }

 private:
  static std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }
  const Shape& shape_of(NodeId node) const { return graph_.tensor(graph_.node(node).output).shape; }

  /// Elementwise nodes that a convolution, product or reduction in front of them can take over: those are not
  /// for what stands behind them, unless that is elementwise too.
  void find_epilogues() {
    const std::vector<NodeId> producer = producers(graph_);
    epilogue_.resize(root_.size());
    for (std::size_t i = 0; i < root_.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (!elementwise(node.op) || !fusible_[i]) continue;
      for (TensorId id : node.inputs) {
        const NodeId p = id == kNone ? kNone : producer[at(id)];
        if (p == kNone || !fusible_[at(p)] || leaves_[at(id)]) continue;
        const auto& readers = consumers_[at(id)];
        const FusionClass kind = fusion_class_of(graph_.node(p).op);
        const bool gives =
            kind == FusionClass::ComplexOutFusable || kind == FusionClass::Reduction || epilogue_[at(p)];
        if (gives && shape_of(p) == shape_of(static_cast<NodeId>(i)) &&
            std::all_of(readers.begin(), readers.end(), [&](NodeId r) { return at(r) == i; }))
          epilogue_[i] = true;
      }
    }
  }

  /// The group of all readers of the node's result, or kNone.
  NodeId common_group(NodeId id) const {
    const TensorId output = graph_.node(id).output;
    const auto& readers = consumers_[at(output)];
    if (!fusible_[at(id)] || leaves_[at(output)] || readers.empty()) return kNone;
    const NodeId group = root_[at(readers[0])];
    const bool same = std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
      return fusible_[at(reader)] && root_[at(reader)] == group;
    });
    return same ? group : kNone;
  }

  bool joins(const Node& node, NodeId group) const {
    const Shape& shape = graph_.tensor(node.output).shape;
    const auto& readers = consumers_[at(node.output)];
    switch (fusion_class_of(node.op)) {
      case FusionClass::Elementwise:
      case FusionClass::Moving:
        return uses_of(node) <= kMostUses && std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
                 return reads_once(node, graph_.node(reader));
               });
      case FusionClass::Reduction:
      case FusionClass::ComplexOutFusable:
        return !anchored_[at(group)] && pure_[at(group)] && shape == shape_of(group) &&
               std::all_of(readers.begin(), readers.end(),
                           [&](NodeId reader) { return shape == shape_of(reader); });
      case FusionClass::Injective:
      case FusionClass::Opaque:
        return false;
    }
    return false;
  }

  NodeId index_of(const Node& node) const { return static_cast<NodeId>(&node - graph_.nodes.data()); }

  /// Uses in the expression of the group that the node would be in.
  std::int64_t uses_of(const Node& node) const {
    const std::vector<NodeId>& readers = consumers_[at(node.output)];  // once for each input
    std::int64_t count = 0;
    for (std::size_t i = 0; i < readers.size(); ++i)
      if (std::find(readers.begin(), readers.begin() + static_cast<std::ptrdiff_t>(i), readers[i]) ==
          readers.begin() + static_cast<std::ptrdiff_t>(i))
        count += uses_[at(readers[i])] * uses(graph_, graph_.node(readers[i]), node.output);
    return count;
  }

  /// The reader computes no element of the node's result more than once.
  bool reads_once(const Node& node, const Node& reader) const {
    const bool whole =
        element_count(graph_.tensor(node.output).shape) == element_count(graph_.tensor(reader.output).shape);
    if (elementwise(reader.op)) return whole;
    if (epilogue_[at(index_of(node))]) return false;
    if (const auto* pack = std::get_if<PackMatrices>(&reader.op)) return moves(node.op) && pack->parts() == 1;
    return moves(reader.op) ? whole : std::holds_alternative<Fold>(reader.op) && elementwise(node.op);
  }

  const Graph& graph_;
  const std::vector<bool>& fusible_;
  const std::vector<std::vector<NodeId>> consumers_;
  std::vector<NodeId> root_;
  std::vector<bool> anchored_;      ///< whether it has a node that is not injective, by root
  std::vector<bool> pure_;          ///< whether all of its nodes are elementwise, by root
  std::vector<int> nodes_;          ///< number of the group's nodes, by root
  std::vector<std::int64_t> uses_;  ///< uses of the node's result in the expression of its group
  std::vector<bool> epilogue_;      ///< whether it is an epilogue, by node
  std::vector<bool> leaves_;        ///< whether the caller reads it, or wants it stored, by tensor
};

}  // namespace

std::vector<NodeId> fuse(const Graph& graph, const std::vector<bool>& fusible,
                         const std::vector<bool>& stored) {
  return Fuser(graph, fusible, stored).run();
}

}  // namespace vdla::graph
