// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/kernels/host_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "compiler/graph/block_layouts.h"
#include "compiler/graph/ops.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/kernels/composer.h"
#include "compiler/targets/cpu/templates/conv2d.h"
#include "compiler/targets/cpu/templates/dot.h"
#include "compiler/targets/cpu/templates/generic.h"
#include "compiler/targets/cpu/templates/matmul.h"
#include "compiler/targets/cpu/templates/quantized.h"
#include "compiler/targets/cpu/templates/spaces.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::pipeline {

namespace {

using expr::Tensor;
using schedule::Schedule;

/// The elements of a window become loops over kernel rows, columns and channels: without divisions.
void split_taps(Schedule& s, const Tensor& output, const graph::Im2col& taps, std::int64_t channels) {
  schedule::Stage& stage = s[output];
  const auto [tap, channel] = stage.split(stage.axis(3), channels);
  stage.split(tap, taps.kernel.w);
}

/// The lanes and terms of an entry become loops.
void split_entries(Schedule& s, const Tensor& output, const graph::PackMatrices& op) {
  schedule::Stage& stage = s[output];
  stage.split(stage.axis(3), op.entry.depth);
}

/// Only moves elements from a layout to another, by a schedule of its own.
bool converts(const graph::Node& node) {
  return std::holds_alternative<graph::Im2col>(node.op) ||
         std::holds_alternative<graph::PackMatrices>(node.op);
}

/// Layer as the template needs it.
cpu::Conv2d shape_of(const graph::Graph& graph, const graph::Node& node, const graph::ConvolveBlocks& op) {
  const graph::Shape &x = graph.tensor(node.inputs[0]).shape, &w = graph.tensor(node.inputs[1]).shape;
  const std::size_t kernel = op.depthwise ? 1 : 2;
  cpu::Conv2d c{op.in_channels, x[2], x[3], op.out_channels};
  c.kernel_height = op.dilation[0] * (w[kernel] - 1) + 1;
  c.kernel_width = op.dilation[1] * (w[kernel + 1] - 1) + 1;
  c.stride_height = op.stride[0];
  c.stride_width = op.stride[1];
  c.pad_top = op.before[0];
  c.pad_left = op.before[1];
  c.pad_bottom = op.after[0];
  c.pad_right = op.after[1];
  c.images = x[0];
  return c;
}

/// Channels in a block of what a group computes, where its result is in blocks; else 0.
std::int64_t block_of(const graph::Graph& graph, std::span<const graph::NodeId> group) {
  const graph::Shape& result = graph.tensor(graph.node(group.back()).output).shape;
  if (result.size() != 5) return 0;
  const std::int64_t block = graph::channels_in_block(graph);  // looks at all nodes
  return result.back() == block ? block : 0;
}

/// The machine as templates of float layers see it whose blocks are not one of its vectors: a wide block is
/// as many registers and operations.
cpu::CpuProfile in_blocks(cpu::CpuProfile profile, std::int64_t block) {
  if (block == 0) return profile;
  const std::int64_t vectors = std::max<std::int64_t>(1, block / profile.lanes(4));
  profile.vector_bytes = 4 * block;
  profile.vector_registers /= vectors;
  profile.fma_per_cycle = std::max<std::int64_t>(1, profile.fma_per_cycle / vectors);
  return profile;
}

/// Asks a book for knobs of a group, and notes what it was asked.
class Chooser {
 public:
  /// `other_block`: channels in a block, where a block is no vector; else 0.
  Chooser(const graph::Graph& graph, std::span<const graph::NodeId> group, const KnobBook* book,
          std::int64_t other_block = 0)
      : graph_(graph), group_(group), book_(book), other_block_(other_block) {}

  /// Knobs of the book, or `standard`. `what` tells the anchor's layer from others, in words.
  template <class Knobs, class At>
  Knobs choose(const graph::Node& anchor, std::string what, const KnobSpace& space, const Knobs& standard,
               const At& at) {
    if (!book_) return standard;
    task_ = KnobTask{anchor.name, std::move(what), context_of(anchor), space, false};
    const BookKnobs taken = knobs_of(*book_, *task_);
    note_ = taken.note;
    return taken.point ? at(*taken.point) : standard;
  }

  HostKernel noted(HostKernel kernel) && {
    kernel.task = std::move(task_);
    kernel.knobs = book_ && note_.empty() ? "no knobs" : std::move(note_);
    return kernel;
  }

 private:
  /// Context of the layer: what is computed with it, which takes registers, too; and its blocks, where they
  /// are not as by default: knobs count them.
  std::string context_of(const graph::Node& anchor) const {
    std::vector<std::string> others;
    for (const graph::NodeId id : group_)
      if (&graph_.node(id) != &anchor) others.emplace_back(name_of(graph_.node(id).op));
    const std::string with = others.empty() ? "alone" : fmt::format("with {}", fmt::join(others, ", "));
    return other_block_ == 0 ? with : fmt::format("in blocks of {}, {}", other_block_, with);
  }

  const graph::Graph& graph_;
  std::span<const graph::NodeId> group_;
  const KnobBook* book_;
  const std::int64_t other_block_;
  std::optional<KnobTask> task_;
  std::string note_;
};

/// The window is as large as what it reads, so one of few taps far apart looks like one of many.
std::string text_of(const cpu::Conv2d& c, const graph::ConvolveBlocks& op, const char* kind) {
  std::string text = fmt::format(
      "{} {}x{}x{}x{} to {}x{}x{}, window {}x{} stride {}x{} pad {}x{}x{}x{}", kind, c.images, c.in_channels,
      c.in_height, c.in_width, c.out_channels, c.out_height(), c.out_width(), c.kernel_height, c.kernel_width,
      c.stride_height, c.stride_width, c.pad_top, c.pad_left, c.pad_bottom, c.pad_right);
  if (op.dilation[0] != 1 || op.dilation[1] != 1)
    text += fmt::format(" dilation {}x{}", op.dilation[0], op.dilation[1]);
  return text;
}

/// Shapes of input, weights and result, and what of the operator is not seen from them.
std::string text_of(const graph::Graph& graph, const graph::Node& node) {
  std::string text =
      fmt::format("{} {} by {} to {}", name_of(node.op), graph::to_string(graph.tensor(node.inputs[0]).shape),
                  graph::to_string(graph.tensor(node.inputs[1]).shape),
                  graph::to_string(graph.tensor(node.output).shape));
  const auto window = [&](const auto& op) {
    text +=
        fmt::format(", stride {}x{} dilation {}x{} pad {}x{}x{}x{}", op.stride.h, op.stride.w, op.dilation.h,
                    op.dilation.w, op.pads.top, op.pads.left, op.pads.bottom, op.pads.right);
  };
  if (const auto* conv = std::get_if<graph::Conv2d>(&node.op)) window(*conv);
  if (const auto* conv = std::get_if<graph::DepthwiseConv2d>(&node.op)) window(*conv);
  return text;
}

/// An int8 layer whose weights have its channels first and are known.
bool packs_weights(const graph::Graph& graph, const graph::Node& node) {
  const auto* conv = std::get_if<graph::Conv2d>(&node.op);
  const bool layer = (conv && conv->groups == 1) || std::holds_alternative<graph::FullyConnected>(node.op);
  return layer && graph.tensor(node.inputs[1]).constant();
}

/// A depthwise layer as dot products of its taps.
bool packs_taps(const graph::Graph& graph, const graph::Node& node, const cpu::CpuProfile& profile) {
  return profile.dot_product && graph::takes_packed_taps(graph, node) &&
         cpu::quantized_default(graph.tensor(node.output).shape[3], 1, profile).has_value();
}

/// For layers that are dot products; nothing for other nodes.
std::optional<cpu::DotKnobs> dot_knobs(const graph::Graph& graph, const graph::Node& node,
                                       const cpu::CpuProfile& profile, Chooser& chooser) {
  const bool layer = std::holds_alternative<graph::Conv2d>(node.op) ||
                     std::holds_alternative<graph::FullyConnected>(node.op);
  const graph::Shape& out = graph.tensor(node.output).shape;
  if (!layer || out.size() < 2 || !graph::takes_dots(graph, node)) return std::nullopt;
  cpu::Dots dots{out.back(), out[out.size() - 2],
                 static_cast<std::int64_t>(graph.tensor(node.inputs[1]).bytes())};
  const std::optional<cpu::DotKnobs> standard = cpu::dot_default(dots, profile);
  if (!standard) return std::nullopt;
  dots.rows = out.size() > 2 ? out[out.size() - 3] : 1;
  dots.images = graph::element_count(out) / dots.channels / dots.columns / dots.rows;
  dots.steps = graph::dot_steps(graph, node);
  dots.work = graph::macs(graph, node);
  return chooser.choose(node, text_of(graph, node), cpu::dot_knobs(dots, profile), *standard,
                        [&](const Point& p) { return cpu::dots_at(p, dots); });
}

/// The sums that a result in blocks or panels takes over.
Tensor sums_of(const Tensor& result) { return expr::inputs_of(result.compute()).at(0); }

/// A group, as templates look at it.
struct GroupStages {
  Schedule& s;
  const graph::Graph& graph;
  const Tensor& output;
  const graph::Node* anchor;          ///< the one node that is not injective, or null
  const Tensor& result;               ///< result of the anchor
  std::optional<cpu::DotKnobs> dots;  ///< its knobs, where it is dot products
  const cpu::CpuProfile& profile;
  Chooser& chooser;

  /// The anchor's attributes, where it is such an operator; else null.
  template <class Op>
  const Op* anchor_as() const {
    return anchor ? std::get_if<Op>(&anchor->op) : nullptr;
  }
};

/// A template: the first of the rows below that has nothing against a group takes it.
struct Template {
  /// Why it does not take the group (one sentence for people), or null.
  const char* (*why_not)(const GroupStages& group);
  void (*apply)(const GroupStages& group);
};

const char* no_depthwise_blocks(const GroupStages& g) {
  const auto* op = g.anchor_as<graph::ConvolveBlocks>();
  return op && op->depthwise ? nullptr : "no depthwise convolution in blocks";
}
void depthwise_blocks(const GroupStages& g) {
  const auto& op = *g.anchor_as<graph::ConvolveBlocks>();
  const cpu::Conv2d conv = shape_of(g.graph, *g.anchor, op);
  const auto knobs = g.chooser.choose(*g.anchor, text_of(conv, op, "float depthwise_conv2d"),
                                      cpu::depthwise_knobs(conv, g.profile),
                                      depthwise_default(conv, g.profile), cpu::depthwise_at);
  schedule_depthwise(g.s, g.output, sums_of(g.result), knobs, true);
}

const char* no_blocks(const GroupStages& g) {
  return g.anchor_as<graph::ConvolveBlocks>() ? nullptr : "no convolution in blocks";
}
void blocks(const GroupStages& g) {
  const auto& op = *g.anchor_as<graph::ConvolveBlocks>();
  const cpu::Conv2d conv = shape_of(g.graph, *g.anchor, op);
  const cpu::Conv2dKnobs standard = conv2d_default(conv, g.profile);
  const std::int64_t in_block = g.graph.tensor(g.anchor->inputs[1]).shape[4];
  const auto knobs = g.chooser.choose(*g.anchor, text_of(conv, op, "float conv2d"),
                                      cpu::conv2d_knobs(conv, in_block, g.profile), standard,
                                      [&](const Point& p) { return cpu::conv2d_at(p, standard); });
  schedule_conv2d(g.s, g.output, sums_of(g.result), knobs, true);
}

const char* no_panels(const GroupStages& g) {
  return g.anchor_as<graph::MatMulPanels>() ? nullptr : "no product by panels";
}
void panels(const GroupStages& g) {
  const graph::Shape& shape = g.graph.tensor(g.anchor->inputs[1]).shape;
  const cpu::Panels product{g.output.shape()[0], shape[1], shape[0], shape[2]};
  const auto knobs = g.chooser.choose(*g.anchor,
                                      fmt::format("float matmul {}x{} by {} panels of {}", product.rows,
                                                  product.depth, product.panels, product.width),
                                      cpu::panel_knobs(product, g.profile),
                                      cpu::panels_default(product, g.profile), cpu::panels_at);
  schedule_panels(g.s, g.output, sums_of(g.result), knobs, g.profile, true);
}

const char* no_dots(const GroupStages& g) { return g.dots ? nullptr : "no dot products"; }
void dots(const GroupStages& g) { schedule_dots(g.s, g.output, sums_of(g.result), *g.dots, g.profile, true); }

/// The sums of a layer of integers, channels last, and the knobs that they have by default; nothing for other
/// groups.
std::optional<std::pair<Tensor, cpu::QuantizedKnobs>> integer_sums(const GroupStages& g) {
  if (!g.anchor || !(packs_weights(g.graph, *g.anchor) || g.anchor_as<graph::DepthwiseConv2d>()))
    return std::nullopt;
  const std::size_t rank = g.output.rank();
  for (const Tensor& input : expr::inputs_of(g.result.compute())) {
    if (!g.s.has_stage(input) || rank < 2 || input.rank() != rank) continue;
    const graph::Shape& shape = g.output.shape();
    if (const auto standard = cpu::quantized_default(shape[rank - 1], shape[rank - 2], g.profile))
      return std::pair(input, *standard);
  }
  return std::nullopt;
}
const char* no_integers(const GroupStages& g) {
  return integer_sums(g) ? nullptr : "no sums of integers with vectors of channels";
}
void integers(const GroupStages& g) {
  const auto [sums, standard] = *integer_sums(g);
  const graph::Shape& shape = g.output.shape();
  cpu::Integers layer{shape.back(), shape[shape.size() - 2], graph::element_count(shape), 1, 1};
  for (const expr::IterVar& axis : sums.compute().reduce_axes()) {
    layer.terms *= axis.extent();
    layer.innermost_terms = axis.extent();
  }
  // Layers that could be dot products, but for their zero points, have another template's knobs
  // (dot_knobs()).
  const char* const template_of = packs_weights(g.graph, *g.anchor)           ? ", without dot products"
                                  : packs_taps(g.graph, *g.anchor, g.profile) ? ", taps in fours"
                                                                              : "";
  const auto knobs = g.chooser.choose(*g.anchor, text_of(g.graph, *g.anchor) + template_of,
                                      cpu::quantized_knobs(layer, g.profile), standard, cpu::quantized_at);
  schedule_quantized(g.s, g.output, sums, knobs, true);
}

/// The softmax at the end of a network of integers gives the same bytes on every target: functions of vectors
/// are polynomials, so its exponentials stay scalars.
const char* no_scalars(const GroupStages& g) {
  return g.anchor_as<graph::SoftmaxFloat>() ? nullptr : "no softmax";
}
void scalars(const GroupStages&) {}

const char* nothing(const GroupStages&) { return nullptr; }
void generic(const GroupStages& g) {
  const bool apart = g.anchor && g.result != g.output && g.s[g.result].has_reduction();
  schedule_generic(g.s, g.output, apart ? g.result : Tensor(), g.profile, true);
}

constexpr Template kTemplates[] = {
    {no_depthwise_blocks, depthwise_blocks},
    {no_blocks, blocks},
    {no_panels, panels},
    {no_dots, dots},
    {no_integers, integers},
    {no_scalars, scalars},
    {nothing, generic},
};

/// The last node converts, what is in front of it moves elements to it.
HostKernel converting(const graph::Graph& graph, std::span<const graph::Node* const> group,
                      const Watch& watch) {
  Composer composer(graph);
  std::vector<Tensor> results;
  for (const graph::Node* moved : group) results.push_back(composer.add(*moved));
  const graph::Node& node = *group.back();
  const Tensor output = results.back();
  Schedule s({output});
  results.pop_back();
  for (const Tensor& result : results) s[result].compute_inline();
  if (const auto* taps = std::get_if<graph::Im2col>(&node.op))
    split_taps(s, output, *taps, graph.tensor(node.inputs[0]).shape[3]);
  if (const auto* op = std::get_if<graph::PackMatrices>(&node.op)) split_entries(s, output, *op);
  return composer.lower(s, node, watch);
}

}  // namespace

HostKernel host_kernel(const graph::Graph& graph, const graph::Node& node, const Watch& watch) {
  return converting(graph, std::array{&node}, watch);
}

HostKernel host_kernel(const graph::Graph& graph, std::span<const graph::NodeId> group,
                       const cpu::CpuProfile& machine, const Watch& watch, const KnobBook* book) {
  VDLA_CHECK(!group.empty()) << "a group without nodes";
  if (converts(graph.node(group.back()))) {
    std::vector<const graph::Node*> nodes;
    for (const graph::NodeId id : group) nodes.push_back(&graph.node(id));
    return Chooser(graph, group, book).noted(converting(graph, nodes, watch));
  }
  const std::int64_t block = block_of(graph, group);
  const cpu::CpuProfile profile = in_blocks(machine, block);
  Composer composer(graph);
  Chooser chooser(graph, group, book, block == machine.lanes(4) ? 0 : block);
  std::vector<Tensor> results;
  const graph::Node* anchor = nullptr;
  std::optional<cpu::DotKnobs> dots;
  Tensor sums;
  for (graph::NodeId id : group) {
    const graph::Node& node = graph.node(id);
    const auto knobs = dot_knobs(graph, node, profile, chooser);
    if (knobs) dots = knobs;
    results.push_back(knobs ? composer.add_dots(node, cpu::dot_layout(*knobs, profile))
                      : packs_taps(graph, node, profile) ? composer.add_packed_taps(node)
                                                         : composer.add(node, packs_weights(graph, node)));
    if (graph::is_injective(fusion_class_of(node.op))) continue;
    VDLA_CHECK(!anchor) << "nodes '" << anchor->name << "' and '" << node.name << "' in one group";
    anchor = &node;
    sums = results.back();
  }
  const Tensor output = results.back();
  Schedule s({output});
  for (const Tensor& result : results)
    if (result != output && !s[result].has_reduction()) s[result].compute_inline();
  for (const Tensor& view : composer.views()) s[view].compute_inline();
  const GroupStages stages{s, graph, output, anchor, sums, dots, profile, chooser};
  std::ranges::find_if(kTemplates, [&](const Template& t) {
    return t.why_not(stages) == nullptr;
  })->apply(stages);
  return std::move(chooser).noted(composer.lower(s, graph.node(group.back()), watch));
}

}  // namespace vdla::pipeline
