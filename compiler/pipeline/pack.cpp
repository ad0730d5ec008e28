// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/pack.h"

#include "compiler/graph/pack_taps.h"
#include "compiler/pipeline/partition.h"

namespace vdla::pipeline {

namespace {

/// Blocks of `lanes` input channels that one output takes: packed, and tap by tap.
bool fewer_blocks(const graph::Shape& weights, std::int64_t lanes) {
  const auto blocks = [&](std::int64_t channels) { return (channels + lanes - 1) / lanes; };
  const std::int64_t taps = weights[1] * weights[2];
  return blocks(taps * weights[3]) < taps * blocks(weights[3]);
}

}  // namespace

graph::Graph pack_lanes(graph::Graph graph, const CompileOptions& options) {
  if (!options.use_device) return graph;
  const std::vector<PlacedNode> placed = partition(graph, options);
  const std::vector<graph::NodeId> producer = producers(graph);
  std::vector<graph::NodeId> chosen;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const graph::Node& node = graph.nodes[i];
    const auto* conv = std::get_if<graph::Conv2d>(&node.op);
    if (!conv || conv->groups != 1 || placed[i].place != Place::Device) continue;
    const graph::NodeId front = producer[static_cast<std::size_t>(node.inputs[0])];
    if (front != graph::kNone && placed[static_cast<std::size_t>(front)].place != Place::Cpu) continue;
    if (fewer_blocks(graph.tensor(node.inputs[1]).shape, options.variant.geometry.block_in))
      chosen.push_back(static_cast<graph::NodeId>(i));
  }
  graph = graph::pack_taps(std::move(graph), chosen);
  verify(graph);
  return graph;
}

}  // namespace vdla::pipeline
