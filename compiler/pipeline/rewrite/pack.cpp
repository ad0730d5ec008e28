// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/pack.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/pack_taps.h"
#include "compiler/knobs/choice.h"
#include "compiler/pipeline/place/partition.h"
#include "compiler/targets/vdla/templates/lower.h"
#include "support/ceil_div.h"

namespace vdla::pipeline {

namespace {

/// Blocks of `lanes` input channels that one output takes: packed, and tap by tap.
bool fewer_blocks(const graph::Shape& weights, std::int64_t lanes) {
  const auto blocks = [&](std::int64_t channels) { return ceil_div(channels, lanes); };
  const std::int64_t taps = weights[1] * weights[2];
  return blocks(taps * weights[3]) < taps * blocks(weights[3]);
}

/// The convolution that packing leaves, as far as schedules see it; `blocks` are graph::blocks_of().
device::Conv2d packed(const device::Conv2d& op, graph::Packing packing, const graph::Im2col& blocks) {
  device::Conv2d left = op;
  const device::SlidingWindow& w = op.window;
  switch (packing) {
    case graph::Packing::Windows:
      left.in = {op.out.h, op.out.w, w.kernel_h * w.kernel_w * op.in.c};
      left.window = {};
      break;
    case graph::Packing::Rows:
      left.in = {op.in.h, op.out.w, w.kernel_w * op.in.c};
      left.window = {w.kernel_h, 1, w.stride_h, 1, w.dilation_h, 1, w.pad_top, 0};
      break;
    case graph::Packing::Blocks:
      left.window = {ceil_div(w.kernel_h, blocks.kernel.h), ceil_div(w.kernel_w, blocks.kernel.w)};
      left.in = {op.out.h + left.window.kernel_h - 1, op.out.w + left.window.kernel_w - 1,
                 blocks.kernel.h * blocks.kernel.w * op.in.c};
      break;
  }
  return left;
}

/// The estimate of its default schedule, or infinity where nothing fits.
double estimated_cycles(const device::Conv2d& op, const isa::Variant& v) {
  return device::estimate(op, v.geometry, v.timing, {}, v.geometry.inp_depth)
      .value_or(std::numeric_limits<double>::infinity());
}

/// How a convolution can be packed; the first way is not to.
struct Ways {
  std::vector<std::string> names{"none"};
  std::vector<std::optional<graph::Packing>> packings{std::nullopt};
  std::size_t best = 1;  ///< index of the best by the estimate

  std::string note(std::size_t taken) const {
    return taken == 0 ? "its taps are not packed" : "its taps are packed by " + names[taken];
  }
};

/// Packed windows are fewest steps of the array, packed rows fewer bytes, blocks fewest.
Ways ways_of(const graph::Graph& graph, const graph::Node& node, const device::Conv2d& op,
             const isa::Variant& v) {
  const std::optional<graph::Im2col> blocks = graph::blocks_of(graph, node);
  Ways ways;
  double least = std::numeric_limits<double>::infinity();
  const auto add = [&](const char* name, graph::Packing packing) {
    const double cycles = estimated_cycles(packed(op, packing, blocks.value_or(graph::Im2col{})), v);
    if (ways.names.size() > ways.best && std::isinf(cycles))
      return;  // one that fits stands there, or windows
    if (cycles < least) {
      ways.best = ways.names.size();
      least = cycles;
    }
    ways.names.emplace_back(name);
    ways.packings.emplace_back(packing);
  };
  add("windows", graph::Packing::Windows);
  if (op.window.kernel_h > 1) add("rows", graph::Packing::Rows);
  if (blocks) add("blocks", graph::Packing::Blocks);
  return ways;
}

}  // namespace

graph::Graph pack_lanes(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off,
                        GraphChoices& choices) {
  if (!options.use_device) return graph;
  const Placement placed = place_nodes(graph, options, kept_off);
  const std::vector<graph::NodeId> producer = producers(graph);
  std::vector<graph::PackedNode> chosen;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const graph::Node& node = graph.nodes[i];
    const auto* conv = std::get_if<graph::Conv2d>(&node.op);
    if (!conv || conv->groups != 1 || placed[i].place != Place::Device) continue;
    const graph::NodeId front = producer[static_cast<std::size_t>(node.inputs[0])];
    if (front != graph::kNone && placed[static_cast<std::size_t>(front)].place != Place::Cpu) continue;
    if (!fewer_blocks(graph.tensor(node.inputs[1]).shape, options.variant.geometry.block_in)) continue;
    const Ways ways = ways_of(graph, node, std::get<device::Conv2d>(*placed[i].op), options.variant);
    const Choice choice(book_of(options), "taps of '" + node.name + "'", "packed", ways.names);
    const std::size_t taken = choice.wanted().value_or(ways.best);
    if (const auto packing = ways.packings[taken])
      chosen.push_back({static_cast<graph::NodeId>(i), *packing});
    if (options.book)
      choices.push_back(
          {node.name, choice.wanted() ? ways.note(taken) + choice.by() : "", choice.task(taken)});
  }
  return graph::pack_taps(std::move(graph), chosen);
}

}  // namespace vdla::pipeline
