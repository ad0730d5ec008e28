// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/from_graph.h"

#include <utility>

#include "compiler/targets/vdla/templates/layout.h"

namespace vdla::pipeline::device {
namespace {

/// The constant's elements, shared with the graph.
template <class T>
SharedValues<T> values_of(const graph::Tensor& tensor) {
  return {tensor.data, tensor.values<T>()};
}

}  // namespace

std::optional<WhyNot> GraphNode::no_image() const {
  if (in().size() == 4) return std::nullopt;
  return WhyNot{"its input " + graph::to_string(in()) + " is no image (NHWC)"};
}

std::optional<WhyNot> GraphNode::no_constant_weights() const {
  if (!input(1).constant()) return WhyNot{"its weights are not constant"};
  if (node.inputs.size() > 2 && node.inputs[2] != graph::kNone && !input(2).constant())
    return WhyNot{"its bias is not constant"};
  return std::nullopt;
}

std::optional<WhyNot> GraphNode::different_shapes() const {
  if (input(0).shape == input(1).shape) return std::nullopt;
  return WhyNot{"its inputs have different shapes (broadcast), the device takes equal ones"};
}

std::optional<std::size_t> GraphNode::input_by_channel() const {
  const auto has = [&](std::size_t i) {
    return image_of(input(i).shape) == Image{1, 1, image_of(out()).c} && input(1 - i).shape == out();
  };
  if (has(0) && (!has(1) || input(0).constant())) return 0;
  return has(1) ? std::optional<std::size_t>(1) : std::nullopt;
}

SharedValues<std::int8_t> GraphNode::constant(std::size_t i) const {
  return values_of<std::int8_t>(input(i));
}

SharedValues<std::int32_t> GraphNode::bias() const {
  if (node.inputs.size() < 3 || node.inputs[2] == graph::kNone) return {};
  return values_of<std::int32_t>(input(2));
}

Image one_image(const graph::Shape& shape) { return {shape[1], shape[2], shape[3]}; }

SlidingWindow window_of(graph::Hw kernel, graph::Hw stride, graph::Hw dilation, const graph::Pads& pads) {
  return {kernel.h, kernel.w, stride.h, stride.w, dilation.h, dilation.w, pads.top, pads.left};
}

LayerOrNot layer_of(const graph::Graph& graph, const graph::Node& node, const isa::Geometry& geometry) {
  for (graph::TensorId id : node.inputs)
    if (id != graph::kNone && expr::is_float(dtype_of(graph.tensor(id).type)))
      return WhyNot{!node.in_floats.empty() ? node.in_floats
                                            : "it reads " + std::string(name_of(graph.tensor(id).type)) +
                                                  ", the device computes int8"};
  if (std::holds_alternative<graph::BatchMatMul>(node.op))
    if (auto why = why_not_packed(graph, node, geometry)) return WhyNot{std::move(*why)};
  const GraphNode n{graph, node};
  LayerOrNot result = std::visit(
      [&](const auto& op) -> LayerOrNot {
        if constexpr (requires { from_graph(n, op); }) {
          return from_graph(n, op);
        } else {
          return WhyNot{"the device has no instruction for " + std::string(graph::name_of(node.op))};
        }
      },
      node.op);
  if (const auto* layer = std::get_if<Layer>(&result))
    if (auto why = unsupported(layer->op, geometry)) return WhyNot{std::move(*why)};
  return result;
}

}  // namespace vdla::pipeline::device
