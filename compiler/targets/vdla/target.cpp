// SPDX-License-Identifier: Apache-2.0
// The device's row.
#include <algorithm>
#include <utility>

#include "compiler/intrinsics/table.h"
#include "compiler/targets/target.h"
#include "compiler/targets/vdla/table.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/lower.h"
#include "support/error.h"

namespace vdla::targets {
namespace {

namespace device = pipeline::device;

bool packs_taps(const graph::Graph& g, const graph::Node& node) {
  for (const graph::Node& n : g.nodes)
    if (n.output == node.inputs[0]) return std::holds_alternative<graph::Im2col>(n.op);
  return false;
}

bool only_moves(const graph::Op& op) {
  return std::holds_alternative<graph::Pad>(op) || std::holds_alternative<graph::Concat>(op) ||
         std::holds_alternative<graph::View>(op) || std::holds_alternative<graph::Gather>(op);
}

std::string reason_of(const graph::Graph& g, const graph::Node& node) {
  if (std::holds_alternative<graph::Concat>(node.op))
    return "moved by DMA; what its step makes is stored where it belongs";
  if (std::holds_alternative<graph::Pad>(node.op)) return "moved by DMA, which pads";
  if (only_moves(node.op)) return "moved by DMA, by rows and columns; what lies together is read where it is";
  std::string why = "int8 layer that the device computes";
  if (packs_taps(g, node)) why += ", its taps packed into the lanes";
  if (std::holds_alternative<graph::PackedMatMul>(node.op)) why += ", its second operand packed by the host";
  return why;
}

/// Whether the device has bytes between the pixels of a tensor, behind their blocks.
bool has_gaps(const graph::Graph& g, graph::TensorId id, const isa::Geometry& geometry) {
  const auto maker = std::ranges::find(g.nodes, id, &graph::Node::output);
  if (maker == g.nodes.end()) return false;
  if (std::holds_alternative<graph::Reshape>(maker->op)) return has_gaps(g, maker->inputs[0], geometry);
  if (!only_moves(maker->op)) return false;
  const auto layer = device::layer_of(g, *maker, geometry);
  const auto* made = std::get_if<device::Layer>(&layer);
  return made && device::pixel_bytes_of(made->op, geometry) !=
                     device::padded_channels(device::output_of(made->op).c, geometry);
}

Answer layer_of(const Asked& asked) {
  const graph::Graph& g = asked.graph;
  const graph::Node& node = g.node(asked.nodes[0]);
  const isa::Geometry& geometry = asked.options.variant.geometry;
  const auto made_there = [&](graph::TensorId id) {
    return asked.made_there && (*asked.made_there)[static_cast<std::size_t>(id)];
  };
  if (std::holds_alternative<graph::Reshape>(node.op)) {
    if (!made_there(node.inputs[0])) return WhyNot{"its input is on the CPU"};
    const graph::Shape &from = g.tensor(node.inputs[0]).shape, &to = g.tensor(node.output).shape;
    if (!device::keeps_device_layout(from, to, geometry))
      return WhyNot{"the device pads channels, so this reshape moves bytes there"};
    if (device::image_of(from).c != device::image_of(to).c && has_gaps(g, node.inputs[0], geometry))
      return WhyNot{"parts of its input's channels end within a block, so this reshape moves bytes there"};
    return Layer{{}, node.inputs, "the same bytes under another shape"};
  }
  if (only_moves(node.op) && std::ranges::none_of(node.inputs, made_there))
    return WhyNot{"it only moves bytes, which are on the CPU"};
  auto result = device::layer_of(g, node, geometry);
  if (const auto* no = std::get_if<device::WhyNot>(&result)) return WhyNot{no->reason};
  auto& layer = std::get<device::Layer>(result);
  // Layers that move read further up than their nodes.
  if (only_moves(node.op) && std::ranges::none_of(layer.inputs, made_there))
    return WhyNot{"it only moves bytes, which are on the CPU"};
  return Layer{std::move(layer.op), std::move(layer.inputs), reason_of(g, node)};
}

/// Estimates of the templates.
double device_seconds(const Work& work) {
  const isa::Variant& v = work.options.variant;
  const auto cycles = device::estimate(*work.op, v.geometry, v.timing, {}, v.geometry.inp_depth);
  VDLA_CHECK(cycles.has_value()) << "'" << work.graph.node(work.nodes[0]).name
                                 << "' was placed and does not fit";
  return *cycles / (v.timing.clock_mhz * 1e6);
}

double device_border(const pipeline::CompileOptions& options, double bytes) {
  return options.host.device_start_seconds + bytes / options.host.bytes_per_second;
}

passes::Target device_table(const isa::Geometry& machine, std::span<const intrinsics::Intrinsic> own) {
  std::vector<intrinsics::Intrinsic> all = intrinsics::device_intrinsics(machine);
  all.insert(all.end(), own.begin(), own.end());
  return target::device_table(std::move(all));
}

const pipeline::KnobBook* device_book(const pipeline::CompileOptions& options) {
  return options.use_device ? book_of(options) : nullptr;
}

}  // namespace

const Target& vdla() {
  static constexpr Target kRow{.name = "vdla",
                               .takes = layer_of,
                               .seconds = device_seconds,
                               .border = device_border,
                               .table = device_table,
                               .book = device_book};
  return kRow;
}

}  // namespace vdla::targets
