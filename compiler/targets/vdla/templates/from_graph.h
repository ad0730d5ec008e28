// SPDX-License-Identifier: Apache-2.0
// A node of the graph as a layer of the device, or the reason why it is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// `inputs` are the tensors that the layer reads: a dense layer behind a flattening reshape reads the image
/// itself.
struct Layer {
  Op op;
  std::vector<graph::TensorId> inputs;
};

/// One sentence for people.
struct WhyNot {
  std::string reason;
};

using LayerOrNot = std::variant<Layer, WhyNot>;

/// Whatever geometry may hold. Reshapes are not layers: see keeps_device_layout().
LayerOrNot layer_of(const graph::Graph& graph, const graph::Node& node, const isa::Geometry& geometry);

/// Why the device could not compute a batch matmul even with its second operand packed.
std::optional<std::string> why_not_packed(const graph::Graph& graph, const graph::Node& node,
                                          const isa::Geometry& geometry);

/// A node with its tensors, for its translation.
struct GraphNode {
  const graph::Graph& graph;
  const graph::Node& node;

  const std::string& name() const { return node.name; }
  const graph::Tensor& input(std::size_t i = 0) const { return graph.tensor(node.inputs.at(i)); }
  const graph::Shape& in() const { return input().shape; }
  const graph::Shape& out() const { return graph.tensor(node.output).shape; }
  std::int64_t images() const { return in()[0]; }

  /// Why its input is no image, its weights are not constant, its two inputs broadcast; or nothing.
  std::optional<WhyNot> no_image() const;
  std::optional<WhyNot> no_constant_weights() const;
  std::optional<WhyNot> different_shapes() const;
  /// The input that has one number for each channel, where the other has the result's shape: rather a
  /// constant, rather the second. Nothing where neither has.
  std::optional<std::size_t> input_by_channel() const;

  /// Shared with the graph; the bias empty where there is none.
  SharedValues<std::int8_t> constant(std::size_t i) const;
  SharedValues<std::int8_t> weights() const { return constant(1); }
  SharedValues<std::int32_t> bias() const;
};

/// One of the images of a tensor of that shape.
Image one_image(const graph::Shape& shape);
SlidingWindow window_of(graph::Hw kernel, graph::Hw stride, graph::Hw dilation, const graph::Pads& pads);

// Translate an operator of the graph to the layer of the device that computes it. Each stands in the file of
// that layer. The layer need not fit the machine.
LayerOrNot from_graph(const GraphNode& n, const graph::Conv2d& op);
LayerOrNot from_graph(const GraphNode& n, const graph::DepthwiseConv2d& op);
LayerOrNot from_graph(const GraphNode& n, const graph::FullyConnected& op);
LayerOrNot from_graph(const GraphNode& n, const graph::BatchMatMul& op);
LayerOrNot from_graph(const GraphNode& n, const graph::PackedMatMul& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Add& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Mul& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Lut& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Maximum& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Minimum& op);
LayerOrNot from_graph(const GraphNode& n, const graph::MaxPool2d& op);
LayerOrNot from_graph(const GraphNode& n, const graph::AvgPool2d& op);
LayerOrNot from_graph(const GraphNode& n, const graph::SumPool2d& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Mean& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Pad& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Concat& op);
LayerOrNot from_graph(const GraphNode& n, const graph::View& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Gather& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Bilinear& op);
LayerOrNot from_graph(const GraphNode& n, const graph::Requantize& op);

}  // namespace vdla::pipeline::device
