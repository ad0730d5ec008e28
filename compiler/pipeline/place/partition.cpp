// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/partition.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/pipeline/device/from_graph.h"
#include "compiler/pipeline/device/layout.h"
#include "compiler/pipeline/device/lower.h"
#include "support/error.h"

namespace vdla::pipeline {

namespace {

using graph::NodeId;
using graph::TensorId;

PlacedNode placed(Place place, std::string reason, std::vector<TensorId> inputs = {}) {
  PlacedNode node;
  node.place = place;
  node.reason = std::move(reason);
  node.inputs = std::move(inputs);
  return node;
}

PlacedNode on_cpu(const graph::Node& node, std::string reason) {
  return placed(Place::Cpu, std::move(reason), node.inputs);
}

PlacedNode on_device(device::Layer layer, std::string reason) {
  PlacedNode node = placed(Place::Device, std::move(reason), std::move(layer.inputs));
  node.op = std::move(layer.op);
  return node;
}

PlacedNode folded(std::string reason) { return placed(Place::Folded, std::move(reason)); }

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
  if (!options.use_device) return on_cpu(node, "the target is the CPU");
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

/// Readers of each tensor; a result of the graph has one more.
std::vector<int> count_readers(const graph::Graph& g) {
  std::vector<int> readers(g.tensors.size());
  for (const graph::Port& port : g.outputs) ++readers[at(port.tensor)];
  for (const graph::Node& n : g.nodes)
    for (TensorId id : n.inputs)
      if (id != graph::kNone) ++readers[at(id)];
  return readers;
}

/// The convolution with the sum of its result, which is the sum's operand `which`.
device::Conv2d with_sum(device::Conv2d conv, device::Add sum, std::size_t which) {
  if (which == 1) {
    std::swap(sum.a, sum.b);
    std::swap(sum.a_zero, sum.b_zero);
  }
  conv.sum = std::move(sum);
  return conv;
}

/// A sum on the device joins the convolution that makes one of its operands (the one with more work) where
/// nobody else reads that: the result of the convolution stays on chip.
void join_sums(const graph::Graph& g, Placement& nodes, const isa::Geometry& geometry) {
  const std::vector<int> readers = count_readers(g);
  std::vector<NodeId> maker(g.tensors.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    maker[at(g.nodes[i].output)] = static_cast<NodeId>(i);
    const auto* sum = nodes[i].op ? std::get_if<device::Add>(&*nodes[i].op) : nullptr;
    if (sum == nullptr) continue;
    std::optional<std::pair<std::int64_t, std::size_t>> most;  // work, operand
    std::vector<std::string> lost;
    for (std::size_t which : {0, 1}) {
      const TensorId operand = nodes[i].inputs[which];
      if (readers[at(operand)] != 1 || maker[at(operand)] < 0) continue;
      const auto& op = nodes[at(maker[at(operand)])].op;
      const auto* conv = op ? std::get_if<device::Conv2d>(&*op) : nullptr;
      if (conv == nullptr || conv->sum || conv->images != 1 || conv->groups != 1 || conv->out != sum->image)
        continue;
      if (const auto why = device::unsupported(with_sum(*conv, *sum, which), geometry)) {
        lost.push_back("not added on the way out of " + g.node(maker[at(operand)]).name + ": " + *why);
        continue;
      }
      if (const auto macs = device::macs_of(*op); !most || macs > most->first) most = {macs, which};
    }
    if (!most) {
      nodes[i].lost = std::move(lost);
      continue;
    }
    PlacedNode& made = nodes[at(maker[at(nodes[i].inputs[most->second])])];
    nodes[i].op = with_sum(std::get<device::Conv2d>(std::move(*made.op)), *sum, most->second);
    nodes[i].inputs = {made.inputs[0], nodes[i].inputs[1 - most->second]};
    nodes[i].reason = "added on the way out of " + g.node(maker[at(g.nodes[i].inputs[most->second])]).name;
    made = folded("computed with '" + g.nodes[i].name + "'");
  }
}

/// Whether both layers take less time piece by piece than one after the other, where their activations stay
/// on chip as far as there is room; `from_device`: the input may, too.
bool saves_time(const device::ConvDepthwise& both, bool from_device, const isa::Variant& variant) {
  const isa::Geometry& g = variant.geometry;
  const auto entries = [&](const device::Image& image, const device::Border& border) {
    return device::activation_bytes(device::bordered(image, border), g) / g.block_in;
  };
  const std::int64_t in = entries(both.first.in, device::padding_of(both.first).border);
  const std::int64_t between = entries(both.first.out, device::padding_of(both.second).border);
  const std::int64_t out = entries(both.second.out, {});
  const auto fits = [&](std::int64_t all) { return all <= g.inp_depth; };
  const bool in_stays = from_device && fits(in + out), out_stays = fits(out + (in_stays ? in : 0));
  // The pieces of several blocks load the input again for each, and their results share out with the places:
  // not worth it through DRAM alone.
  const bool once = both.second.out.c <= g.block_out;
  if (!in_stays && !out_stays && !once) return false;
  const bool between_stays = fits(between + (in_stays ? in : 0)) && fits(between + (out_stays ? out : 0));
  const auto cycles = [&](const device::Op& op, bool reads, std::int64_t read, bool leaves,
                          std::int64_t left) {
    return device::estimate(op, g, variant.timing, {.input = reads, .output = leaves},
                            g.inp_depth - (reads ? read : 0) - (leaves ? left : 0));
  };
  const auto together = cycles(both, in_stays, in, out_stays, out);
  const auto first = cycles(both.first, in_stays, in, between_stays, between);
  const auto second = cycles(both.second, between_stays, between, out_stays, out);
  return together && (!first || !second || *together < *first + *second);
}

/// A depthwise convolution joins the one in front of it, where nobody else reads between them and time is
/// saved: both are computed piece by piece.
void join_depthwise(const graph::Graph& g, Placement& nodes, const isa::Variant& variant) {
  const std::vector<int> readers = count_readers(g);
  std::vector<NodeId> maker(g.tensors.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    maker[at(g.nodes[i].output)] = static_cast<NodeId>(i);
    const auto* second = nodes[i].op ? std::get_if<device::DepthwiseConv2d>(&*nodes[i].op) : nullptr;
    if (second == nullptr) continue;
    const TensorId between = nodes[i].inputs[0];
    if (readers[at(between)] != 1 || maker[at(between)] < 0) continue;
    PlacedNode& made = nodes[at(maker[at(between)])];
    const auto* first = made.op ? std::get_if<device::Conv2d>(&*made.op) : nullptr;
    if (first == nullptr || first->sum || first->images != 1 || first->groups != 1 || second->images != 1 ||
        first->out != second->in || second->in.c != second->out.c)
      continue;
    device::ConvDepthwise both{second->name, *first, *second};
    const NodeId before = maker[at(made.inputs[0])];
    const bool from_device = before >= 0 && nodes[at(before)].place == Place::Device;
    if (const auto why = device::unsupported(both, variant.geometry)) {
      nodes[i].lost.push_back("not computed piece by piece with " + g.node(maker[at(between)]).name + ": " +
                              *why);
      continue;
    }
    if (!saves_time(both, from_device, variant)) continue;
    nodes[i].op = std::move(both);
    nodes[i].inputs = made.inputs;
    nodes[i].reason = "computed piece by piece on the way out of " + g.node(maker[at(between)]).name;
    made = folded("computed with '" + g.nodes[i].name + "'");
  }
}

/// Nodes whose result nobody reads any more: their readers on the device read further up.
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
  join_sums(graph, result, options.variant.geometry);
  return result;
}

Placement partition(const graph::Graph& graph, const CompileOptions& options, const KeptOff& kept_off) {
  Placement result = place_nodes(graph, options, kept_off);
  if (options.on_chip) join_depthwise(graph, result, options.variant);
  fold_unread(graph, result);
  return result;
}

}  // namespace vdla::pipeline
