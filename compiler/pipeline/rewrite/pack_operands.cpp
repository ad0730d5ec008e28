// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/pack_operands.h"

#include <algorithm>
#include <numeric>

#include "compiler/graph/drop_dead.h"
#include "compiler/pipeline/rewrite/nodes_in_front.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/layout.h"

namespace vdla::pipeline {

namespace {

using graph::TensorId;

/// The last two dimensions change places.
graph::Transpose turned(std::size_t rank) {
  graph::Transpose op;
  op.perm.resize(rank);
  std::iota(op.perm.begin(), op.perm.end(), 0);
  std::swap(op.perm[rank - 1], op.perm[rank - 2]);
  return op;
}

/// Returns what PackScales reads: the second operand. Where the first one has no zero point, sums of columns
/// count for nothing: a constant row stands for it, so that the scales are known at compile time.
TensorId read_by_scales(graph::Graph& g, const graph::BatchMatMul& op, TensorId b, const std::string& name) {
  if (op.a_zero_point != 0) return b;
  graph::Tensor row = g.tensor(b);
  row.name = name;
  row.shape[row.shape.size() - (op.transpose_b ? 1 : 2)] = 1;
  row.data =
      graph::to_bytes(std::vector<std::int8_t>(static_cast<std::size_t>(graph::element_count(row.shape))));
  row.sources = Sources{};
  return g.add_tensor(std::move(row));
}

/// Puts the nodes in front into the graph; returns `node` over them.
graph::Node packed(graph::Graph& g, graph::Node node, const isa::Geometry& geometry,
                   graph::FreeNames& free_name) {
  const auto op = std::get<graph::BatchMatMul>(node.op);
  const graph::EntryShape entry{geometry.block_in, geometry.block_out, device::channel_block(geometry)};
  const TensorId b = node.inputs[1];
  const graph::Shape shape = g.tensor(b).shape;
  graph::PackedMatMul rest{
      op, entry, {shape.begin(), shape.end() - 2}, shape[shape.size() - (op.transpose_b ? 2 : 1)]};
  if (op.transpose_a) {
    const graph::Tensor a = g.tensor(node.inputs[0]);
    node.inputs[0] =
        g.add_node(free_name(node.name + "/a"), turned(a.shape.size()), {node.inputs[0]}, a.quantization);
    rest.product.transpose_a = false;
  }
  const std::string scales = free_name(node.name + "/scales");
  node.inputs = {node.inputs[0],
                 g.add_node(free_name(node.name + "/entries"), graph::PackMatrices{op, entry}, {b}),
                 g.add_node(scales, graph::PackScales{op, entry},
                            {read_by_scales(g, op, b, free_name(scales + "/row"))})};
  node.op = std::move(rest);
  return node;
}

std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

/// Whether node `id` changes rows of matrices and the dimension in front of them, and no more.
bool swaps_rows(const graph::Graph& g, graph::NodeId id) {
  const auto* op = id == graph::kNone ? nullptr : std::get_if<graph::Transpose>(&g.node(id).op);
  if (!op || op->perm.size() < 3) return false;
  std::vector<int> perm = op->perm;
  std::swap(perm[perm.size() - 3], perm[perm.size() - 2]);
  return std::ranges::is_sorted(perm);
}

/// All products lie along one dimension.
bool has_one_axis(const graph::Shape& results) {
  return results.size() >= 3 &&
         std::ranges::all_of(results.begin(), results.end() - 3, [](std::int64_t n) { return n == 1; });
}

/// Heads of an attention lie in the channels of tokens: products read and write them there, without
/// transposes.
graph::Graph heads_in_place(graph::Graph g) {
  const std::vector<graph::NodeId> producer = producers(g);
  const std::vector<std::vector<graph::NodeId>> readers = consumers(g);
  const std::vector<TensorId> leaving = graph::leaving(g);
  std::vector<graph::Replaced> replaced;
  std::vector<bool> done(g.nodes.size());
  for (graph::Node& node : g.nodes) {
    auto* product = std::get_if<graph::PackedMatMul>(&node.op);
    if (!product || !has_one_axis(g.tensor(node.output).shape)) continue;
    // A product in front may give the transpose's result by now.
    if (const graph::NodeId front = producer[at(node.inputs[0])]; swaps_rows(g, front) && !done[at(front)]) {
      replaced.push_back({node.inputs[0], g.node(front).inputs[0], Likeness::Reordered});
      node.inputs[0] = g.node(front).inputs[0];
      product->a_by_row = true;
    }
    const std::vector<graph::NodeId>& behind = readers[at(node.output)];
    if (behind.size() != 1 || !swaps_rows(g, behind[0]) || std::ranges::count(leaving, node.output) != 0)
      continue;
    replaced.push_back({node.output, g.node(behind[0]).output, Likeness::Reordered});
    node.output = g.node(behind[0]).output;
    product->out_by_row = true;
    done[at(behind[0])] = true;
  }
  std::vector<graph::Node> nodes;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (!done[i]) nodes.push_back(std::move(g.nodes[i]));
  g.nodes = std::move(nodes);
  return drop_dead(std::move(g), replaced);
}

}  // namespace

graph::Graph pack_operands(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off) {
  if (!options.use_device) return graph;
  const isa::Geometry& geometry = options.variant.geometry;
  bool any = false;
  const auto pack = [&](graph::Graph& g, graph::Node& node, graph::FreeNames& free_name) {
    if (!std::holds_alternative<graph::BatchMatMul>(node.op) || kept_off.contains(node.name) ||
        device::why_not_packed(g, node, geometry))
      return false;
    node = packed(g, std::move(node), geometry, free_name);
    return any = true;
  };
  graph = add_in_front(std::move(graph), pack);
  return any ? heads_in_place(std::move(graph)) : graph;
}

}  // namespace vdla::pipeline
