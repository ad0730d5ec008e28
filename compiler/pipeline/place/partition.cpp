// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/partition.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/pipeline/place/join.h"
#include "compiler/targets/target.h"

namespace vdla::pipeline {

namespace {

using graph::NodeId;
using graph::TensorId;

PlacedNode on_cpu(const graph::Node& node, std::string reason) {
  return placed(Place::Cpu, std::move(reason), node.inputs);
}

std::string taps_conversion(const graph::Graph& g, const graph::Node& node, const graph::Im2col& op) {
  return fmt::format("layout conversion: {}x{} taps into the lanes, {} bytes to {}", op.kernel.h, op.kernel.w,
                     g.tensor(node.inputs[0]).bytes(), g.tensor(node.output).bytes());
}

std::string entries_conversion(const graph::Graph& g, const graph::Node& node,
                               const graph::EntryShape& entry) {
  return fmt::format(
      "layout conversion: matrices into entries of wgt ({} columns x {} terms), {} bytes to {}", entry.lanes,
      entry.depth, g.tensor(node.inputs[0]).bytes(), g.tensor(node.output).bytes());
}

}  // namespace

std::optional<std::string> conversion(const graph::Graph& g, const graph::Node& node) {
  if (const auto* op = std::get_if<graph::Im2col>(&node.op)) return taps_conversion(g, node, *op);
  if (const auto* op = std::get_if<graph::PackMatrices>(&node.op))
    return entries_conversion(g, node, op->entry);
  if (std::holds_alternative<graph::PackScales>(node.op))
    return "sums of columns, and what the device scales with";
  return std::nullopt;
}

namespace {

/// Places one node; `from_device` says which tensors are made there.
PlacedNode place(const graph::Graph& g, NodeId id, const CompileOptions& options, const KeptOff& kept_off,
                 const std::vector<bool>& from_device) {
  const graph::Node& node = g.node(id);
  if (!options.use_device)
    return on_cpu(node, "the target is the CPU" + (node.in_floats.empty() ? "" : "; " + node.in_floats));
  if (const auto found = kept_off.find(node.name); found != kept_off.end())
    return on_cpu(node, found->second);
  if (auto why = conversion(g, node)) return on_cpu(node, std::move(*why));
  targets::Answer answer =
      targets::vdla().takes({.graph = g, .nodes = {&id, 1}, .options = options, .made_there = &from_device});
  if (auto* no = std::get_if<targets::WhyNot>(&answer)) return on_cpu(node, std::move(no->reason));
  auto& layer = std::get<targets::Layer>(answer);
  PlacedNode result = placed(Place::Device, std::move(layer.reason), std::move(layer.inputs));
  result.op = std::move(layer.op);
  return result;
}

/// Folds nodes whose result is not read any more: their readers on the device read further up.
void fold_unread(const graph::Graph& g, Placement& nodes) {
  std::vector<bool> read(g.tensors.size());
  for (graph::TensorId id : leaving(g)) read[at(id)] = true;
  for (std::size_t i = g.nodes.size(); i-- > 0;) {
    if (nodes[i].place == Place::Folded) continue;
    if (!read[at(g.nodes[i].output)]) {
      nodes[i] = folded("its readers take its input as it is");
      continue;
    }
    for (TensorId id : nodes[i].inputs)
      if (id != graph::kNone) read[at(id)] = true;
  }
}

}  // namespace

Placement place_nodes(const graph::Graph& graph, const CompileOptions& options, const KeptOff& kept_off) {
  Placement result;
  std::vector<bool> from_device(graph.tensors.size());
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    result.push_back(place(graph, id, options, kept_off, from_device));
    from_device[at(graph.node(id).output)] = result.back().place == Place::Device;
  }
  join_sums(graph, result, options.variant.geometry, book_of(options));
  return result;
}

Placement partition(const graph::Graph& graph, const CompileOptions& options, const KeptOff& kept_off) {
  Placement result = place_nodes(graph, options, kept_off);
  if (options.on_chip) join_depthwise(graph, result, options.variant, book_of(options));
  fold_unread(graph, result);
  return result;
}

}  // namespace vdla::pipeline
