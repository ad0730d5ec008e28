// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/pack_operands.h"

#include <numeric>

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
  node.inputs = {
      node.inputs[0], g.add_node(free_name(node.name + "/entries"), graph::PackMatrices{op, entry}, {b}),
      g.add_node(scales, graph::PackScales{op, entry}, {read_by_scales(g, op, b, scales + "/row")})};
  node.op = std::move(rest);
  return node;
}

}  // namespace

graph::Graph pack_operands(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off) {
  if (!options.use_device) return graph;
  return add_in_front(std::move(graph), [&](graph::Graph& g, graph::Node& node, graph::FreeNames& free_name) {
    const isa::Geometry& geometry = options.variant.geometry;
    if (!std::holds_alternative<graph::BatchMatMul>(node.op) || kept_off.contains(node.name) ||
        device::why_not_packed(g, node, geometry))
      return false;
    node = packed(g, std::move(node), geometry, free_name);
    return true;
  });
}

}  // namespace vdla::pipeline
