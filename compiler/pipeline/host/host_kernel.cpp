// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/host/host_kernel.h"

#include <cctype>
#include <map>

#include "compiler/expr/dsl.h"
#include "compiler/graph/ops.h"
#include "compiler/pipeline/cpu/conv2d.h"
#include "compiler/pipeline/cpu/dot.h"
#include "compiler/pipeline/cpu/generic.h"
#include "compiler/pipeline/cpu/matmul.h"
#include "compiler/pipeline/cpu/quantized.h"
#include "compiler/pipeline/observe/lower_watched.h"
#include "compiler/schedule/schedule.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::pipeline {

namespace {

using expr::Tensor;
using schedule::Schedule;

/// A name that loop IR takes.
std::string function_name(const std::string& node) {
  std::string result = "k_";
  for (char c : node) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result;
}

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

/// The expressions of a group, each over those in front of it.
class Composer {
 public:
  explicit Composer(const graph::Graph& graph) : graph_(graph) {}

  /// `channels_last`: constant weights [channels]... are packed as ...[channels].
  Tensor add(const graph::Node& node, bool channels_last = false) {
    std::vector<Tensor> given;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const graph::TensorId id = node.inputs[i];
      if (channels_last && i == 1) {
        given.push_back(add_packed(graph_.tensor(id)));
        continue;
      }
      if (id != graph::kNone && !made_.contains(id)) add_input(id);
      given.push_back(id == graph::kNone ? Tensor() : made_.at(id));
    }
    const graph::NodeExpr expression = express(graph_, node, given);
    for (const graph::Parameter& p : expression.parameters) take(p.tensor, {graph::kNone, p.data});
    return made_[node.output] = expression.output;
  }

  /// A layer that takes its sums as dot products, over weights that are packed for it.
  Tensor add_dots(const graph::Node& node, const graph::DotLayout& layout) {
    const graph::TensorId id = node.inputs[0];
    Tensor input = expr::placeholder("rows", graph::dot_input_shape(graph_, node), expr::DType::I8);
    if (input.shape() != graph_.tensor(id).shape) {
      take(input, {id, nullptr});
    } else {
      if (!made_.contains(id)) add_input(id);
      input = made_.at(id);
    }
    const graph::NodeExpr expression = express_dots(graph_, node, layout, input);
    for (const graph::Parameter& p : expression.parameters) take(p.tensor, {graph::kNone, p.data});
    return made_[node.output] = expression.output;
  }

  /// Tensors that only show others in another order.
  const std::vector<Tensor>& views() const { return views_; }

  /// What add() gave for the last node is the function's result.
  HostKernel lower(const Schedule& schedule, const graph::Node& last, const Watch& watch) {
    take(made_.at(last.output), {last.output, nullptr});
    const std::string name = function_name(last.name);
    return {last.name, lower_watched(schedule, parameters_, name, watch), std::move(arguments_)};
  }

 private:
  /// Once, however many nodes read it.
  void add_input(graph::TensorId id) {
    const graph::Tensor& t = graph_.tensor(id);
    made_[id] = expr::placeholder("in" + std::to_string(parameters_.size()), t.shape, dtype_of(t.type));
    take(made_[id], {id, nullptr});
  }

  /// The weights as they were, over packed ones.
  Tensor add_packed(const graph::Tensor& weights) {
    const graph::Shape& shape = weights.shape;
    graph::Shape last(shape.begin() + 1, shape.end());
    last.push_back(shape[0]);
    const auto inner = static_cast<std::size_t>(graph::element_count(shape) / shape[0]);
    const auto values = weights.values<std::int8_t>();
    std::vector<std::int8_t> packed(values.size());
    for (std::size_t o = 0; o < static_cast<std::size_t>(shape[0]); ++o)
      for (std::size_t i = 0; i < inner; ++i)
        packed[i * static_cast<std::size_t>(shape[0]) + o] = values[o * inner + i];
    const Tensor from = expr::placeholder("weights", last, expr::DType::I8);
    take(from, {graph::kNone, graph::to_bytes(packed)});
    views_.push_back(expr::compute("unpacked", shape, [&](const std::vector<expr::Value>& i) {
      std::vector<expr::Value> source(i.begin() + 1, i.end());
      source.push_back(i[0]);
      return expr::at(from, source);
    }));
    return views_.back();
  }

  void take(const Tensor& parameter, KernelArgument argument) {
    parameters_.push_back(parameter);
    arguments_.push_back(std::move(argument));
  }

  const graph::Graph& graph_;
  std::map<graph::TensorId, Tensor> made_;
  std::vector<Tensor> parameters_, views_;
  std::vector<KernelArgument> arguments_;
};

/// What the template needs to know.
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
  return c;
}

/// An int8 layer whose weights have its channels first and are known.
bool packs_weights(const graph::Graph& graph, const graph::Node& node) {
  const auto* conv = std::get_if<graph::Conv2d>(&node.op);
  const bool layer = (conv && conv->groups == 1) || std::holds_alternative<graph::FullyConnected>(node.op);
  return layer && graph.tensor(node.inputs[1]).constant();
}

/// For layers that are dot products; nothing for other nodes.
std::optional<cpu::DotKnobs> dot_knobs(const graph::Graph& graph, const graph::Node& node,
                                       const cpu::Machine& machine) {
  const bool layer = std::holds_alternative<graph::Conv2d>(node.op) ||
                     std::holds_alternative<graph::FullyConnected>(node.op);
  const graph::Shape& out = graph.tensor(node.output).shape;
  if (!layer || out.size() < 2 || !graph::takes_dots(graph, node)) return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(graph.tensor(node.inputs[1]).bytes());
  return cpu::dot_default(out.back(), out[out.size() - 2], bytes, machine);
}

/// The sums that a result in blocks or panels takes over.
Tensor sums_of(const Tensor& result) { return expr::inputs_of(result.compute()).at(0); }

/// `anchor` computed `result`, the one node of the group that is not injective; null where there is none.
void schedule_group(Schedule& s, const graph::Graph& graph, const Tensor& output, const graph::Node* anchor,
                    const Tensor& result, const cpu::Machine& machine) {
  if (const auto* op = anchor ? std::get_if<graph::ConvolveBlocks>(&anchor->op) : nullptr) {
    const cpu::Conv2d conv = shape_of(graph, *anchor, *op);
    if (op->depthwise)
      return schedule_depthwise(s, output, sums_of(result), depthwise_default(conv, machine), true);
    cpu::Conv2dKnobs knobs = conv2d_default(conv, machine);
    return schedule_conv2d(s, output, sums_of(result), knobs, true);
  }
  if (anchor && std::holds_alternative<graph::MatMulPanels>(anchor->op))
    return schedule_panels(s, output, sums_of(result), machine, true);
  if (const auto knobs = anchor ? dot_knobs(graph, *anchor, machine) : std::nullopt)
    return schedule_dots(s, output, sums_of(result), *knobs, machine, true);
  if (anchor &&
      (packs_weights(graph, *anchor) || std::holds_alternative<graph::DepthwiseConv2d>(anchor->op))) {
    for (const Tensor& input : expr::inputs_of(result.compute()))
      if (s.has_stage(input) && schedule_quantized(s, output, input, machine, true)) return;
  }
  // The softmax at the end of a network of integers gives the same bytes on every target: functions of
  // vectors are polynomials, so its exponentials stay scalars.
  if (anchor && std::holds_alternative<graph::SoftmaxFloat>(anchor->op)) return;
  const bool apart = anchor && result != output && s[result].has_reduction();
  schedule_generic(s, output, apart ? result : Tensor(), machine, true);
}

}  // namespace

HostKernel host_kernel(const graph::Graph& graph, const graph::Node& node, const Watch& watch) {
  Composer composer(graph);
  const Tensor output = composer.add(node);
  Schedule s({output});
  if (const auto* taps = std::get_if<graph::Im2col>(&node.op))
    split_taps(s, output, *taps, graph.tensor(node.inputs[0]).shape[3]);
  if (const auto* op = std::get_if<graph::PackMatrices>(&node.op)) split_entries(s, output, *op);
  return composer.lower(s, node, watch);
}

HostKernel host_kernel(const graph::Graph& graph, std::span<const graph::NodeId> group,
                       const cpu::Machine& machine, const Watch& watch) {
  VDLA_CHECK(!group.empty()) << "a group without nodes";
  if (group.size() == 1 && converts(graph.node(group[0])))
    return host_kernel(graph, graph.node(group[0]), watch);
  Composer composer(graph);
  std::vector<Tensor> results;
  const graph::Node* anchor = nullptr;
  Tensor sums;
  for (graph::NodeId id : group) {
    const graph::Node& node = graph.node(id);
    const auto dots = dot_knobs(graph, node, machine);
    results.push_back(dots ? composer.add_dots(node, cpu::dot_layout(*dots, machine))
                           : composer.add(node, packs_weights(graph, node)));
    if (fusion_class_of(node.op) == graph::FusionClass::Injective) continue;
    VDLA_CHECK(!anchor) << "nodes '" << anchor->name << "' and '" << node.name << "' in one group";
    anchor = &node;
    sums = results.back();
  }
  const Tensor output = results.back();
  Schedule s({output});
  for (const Tensor& result : results)
    if (result != output && !s[result].has_reduction()) s[result].compute_inline();
  for (const Tensor& view : composer.views()) s[view].compute_inline();
  schedule_group(s, graph, output, anchor, sums, machine);
  return composer.lower(s, graph.node(group.back()), watch);
}

}  // namespace vdla::pipeline
