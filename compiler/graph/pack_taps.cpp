// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/pack_taps.h"

#include <algorithm>

#include "compiler/graph/free_names.h"
#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::graph {

namespace {

/// Rest of a packing: the convolution's attributes and weights.
struct Rest {
  Im2col windows;
  Conv2d op;
  Shape shape;
  SharedBytes weights;
};

/// OHWI, O11I with all of a window as I and OH1I with a row of it are the same bytes.
Rest windows_of(const Conv2d& op, const Tensor& weights, Packing packing) {
  const Shape& w = weights.shape;
  Rest rest{{{w[1], w[2]}, op.stride, op.dilation, op.pads, op.input_zero_point},
            op,
            {w[0], w[1], 1, w[2] * w[3]},
            weights.data};
  rest.op.stride.w = rest.op.dilation.w = 1;
  rest.op.pads.left = rest.op.pads.right = 0;
  if (packing == Packing::Windows) {
    rest.op.stride = rest.op.dilation = {};
    rest.op.pads = {};
    rest.shape = {w[0], 1, 1, w[1] * w[2] * w[3]};
  } else {
    rest.windows.kernel.h = rest.windows.stride.h = rest.windows.dilation.h = 1;
    rest.windows.pads.top = rest.windows.pads.bottom = 0;
  }
  return rest;
}

/// The kernel, filled up to whole blocks with what counts as nothing.
Rest in_blocks(const Conv2d& op, const Tensor& weights, const Im2col& windows) {
  const Shape& w = weights.shape;
  const Hw block = windows.kernel, kernel{ceil_div(w[1], block.h), ceil_div(w[2], block.w)};
  Rest rest{windows, op, {w[0], kernel.h, kernel.w, block.h * block.w * w[3]}, nullptr};
  rest.op.stride = {};
  rest.op.pads = {};
  rest.op.filler = element_count(rest.shape) / w[0] - element_count(w) / w[0];
  const auto values = weights.values<std::int8_t>();
  std::vector<std::int8_t> packed(static_cast<std::size_t>(element_count(rest.shape)),
                                  static_cast<std::int8_t>(op.weight_zero_point));
  auto from = values.begin();
  for (std::int64_t o = 0; o < w[0]; ++o)
    for (std::int64_t y = 0; y < w[1]; ++y)
      for (std::int64_t x = 0; x < w[2]; ++x, from += w[3]) {
        const std::int64_t pixel = (o * kernel.h + y / block.h) * kernel.w + x / block.w;
        const std::int64_t place = (pixel * block.h + y % block.h) * block.w + x % block.w;
        std::copy_n(from, w[3], packed.begin() + place * w[3]);
      }
  rest.weights = to_bytes(packed);
  return rest;
}

/// Makes `conv` one over the packed image; returns the node for its front.
Node split(Graph& g, Node& conv, Packing packing, FreeNames& free_name) {
  const auto& op = std::get<Conv2d>(conv.op);
  VDLA_CHECK(op.groups == 1) << "'" << conv.name << "' has " << op.groups << " groups";
  const Tensor weights = g.tensor(conv.inputs[1]);
  const std::optional<Im2col> blocks = packing == Packing::Blocks ? blocks_of(g, conv) : std::nullopt;
  VDLA_CHECK(blocks || packing != Packing::Blocks) << "'" << conv.name << "' reads no whole blocks";
  Rest rest = blocks ? in_blocks(op, weights, *blocks) : windows_of(op, weights, packing);
  Node taps{free_name(conv.name + "/taps"), rest.windows, {conv.inputs[0]}, kNone};
  TensorType type = infer(g.tensors, taps.name, taps.op, taps.inputs);
  taps.output = g.add_tensor(
      {taps.name, type.type, std::move(type.shape), g.tensor(conv.inputs[0]).quantization, nullptr});
  conv.op = rest.op;
  conv.inputs[0] = taps.output;
  const Likeness likeness = rest.weights == weights.data ? Likeness::Same : Likeness::From;
  conv.inputs[1] = g.add_constant(weights.name, weights.type, std::move(rest.shape), std::move(rest.weights),
                                  weights.quantization, as(sources_of(weights), likeness));
  return taps;
}

}  // namespace

std::optional<Im2col> blocks_of(const Graph& graph, const Node& node) {
  const auto& op = std::get<Conv2d>(node.op);
  if (op.stride == Hw{} || op.dilation != Hw{}) return std::nullopt;
  const Shape &in = graph.tensor(node.inputs[0]).shape, &w = graph.tensor(node.inputs[1]).shape,
              &out = graph.tensor(node.output).shape;
  const auto end = [](std::int64_t outputs, std::int64_t kernel, std::int64_t stride) {
    return (outputs - 1 + ceil_div(kernel, stride)) * stride;
  };
  Pads pads = op.pads;
  pads.bottom = end(out[1], w[1], op.stride.h) - in[1] - pads.top;
  pads.right = end(out[2], w[2], op.stride.w) - in[2] - pads.left;
  if (pads.bottom < 0 || pads.right < 0) return std::nullopt;
  return Im2col{op.stride, op.stride, {}, pads, op.input_zero_point};
}

Graph pack_taps(Graph graph, std::span<const PackedNode> convolutions) {
  FreeNames free_name(graph.nodes);
  std::vector<Node> nodes = std::move(graph.nodes), result;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto chosen = std::ranges::find(convolutions, static_cast<NodeId>(i), &PackedNode::convolution);
    if (chosen != convolutions.end()) result.push_back(split(graph, nodes[i], chosen->packing, free_name));
    result.push_back(std::move(nodes[i]));
  }
  graph.nodes = std::move(result);
  return graph;
}

}  // namespace vdla::graph
