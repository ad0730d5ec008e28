// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/partition.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/pipeline/place/join.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/layout.h"

namespace vdla::pipeline {

namespace {

using graph::NodeId;
using graph::TensorId;

PlacedNode on_cpu(const graph::Node& node, std::string reason) {
  return placed(Place::Cpu, std::move(reason), node.inputs);
}

PlacedNode on_device(device::Layer layer, std::string reason) {
  PlacedNode node = placed(Place::Device, std::move(reason), std::move(layer.inputs));
  node.op = std::move(layer.op);
  return node;
}

const graph::Im2col* taps_of(const graph::Graph& g, const graph::Node& node) {
  for (const graph::Node& n : g.nodes)
    if (n.output == node.inputs[0]) return std::get_if<graph::Im2col>(&n.op);
  return nullptr;
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

bool only_moves(const graph::Op& op) {
  return std::holds_alternative<graph::Pad>(op) || std::holds_alternative<graph::Concat>(op);
}

/// Places one node; `from_device` says which tensors are made there.
PlacedNode place(const graph::Graph& g, const graph::Node& node, const CompileOptions& options,
                 const KeptOff& kept_off, const std::vector<bool>& from_device) {
  if (!options.use_device)
    return on_cpu(node, "the target is the CPU" + (node.in_floats.empty() ? "" : "; " + node.in_floats));
  if (const auto found = kept_off.find(node.name); found != kept_off.end())
    return on_cpu(node, found->second);
  if (auto why = conversion(g, node)) return on_cpu(node, std::move(*why));
  if (std::holds_alternative<graph::Reshape>(node.op)) {
    const bool same = device::keeps_device_layout(g.tensor(node.inputs[0]).shape, g.tensor(node.output).shape,
                                                  options.variant.geometry);
    if (!from_device[at(node.inputs[0])]) return on_cpu(node, "its input is on the CPU");
    if (!same) return on_cpu(node, "the device pads channels, so this reshape moves bytes there");
    return placed(Place::Device, "the same bytes under another shape", node.inputs);
  }
  if (only_moves(node.op) &&
      std::ranges::none_of(node.inputs, [&](TensorId id) { return from_device[at(id)]; }))
    return on_cpu(node, "it only moves bytes, which are on the CPU");
  auto result = device::layer_of(g, node, options.variant.geometry);
  if (const auto* no = std::get_if<device::WhyNot>(&result)) return on_cpu(node, no->reason);
  auto& yes = std::get<device::Layer>(result);
  if (std::holds_alternative<graph::Concat>(node.op))
    return on_device(std::move(yes), "moved by DMA; what its step makes is stored where it belongs");
  if (std::holds_alternative<graph::Pad>(node.op))
    return on_device(std::move(yes), "moved by DMA, which pads");
  std::string why = "int8 layer that the device computes";
  if (taps_of(g, node)) why += ", its taps packed into the lanes";
  if (std::holds_alternative<graph::PackedMatMul>(node.op)) why += ", its second operand packed by the host";
  return on_device(std::move(yes), std::move(why));
}

/// Folds nodes whose result is not read any more: their readers on the device read further up.
void fold_unread(const graph::Graph& g, Placement& nodes) {
  std::vector<bool> read(g.tensors.size());
  for (const graph::Port& port : g.outputs) read[at(port.tensor)] = true;
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
  for (const graph::Node& node : graph.nodes) {
    result.push_back(place(graph, node, options, kept_off, from_device));
    from_device[at(node.output)] = result.back().place == Place::Device;
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
