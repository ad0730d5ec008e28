// SPDX-License-Identifier: Apache-2.0
// Pass: a pad in front of a convolution, with the convolution's input zero point as its value and height and
// width only, becomes padding of the convolution.
#include "compiler/graph/drop_dead.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/windows.h"
#include "support/overloaded.h"

namespace vdla::graph {

namespace {

bool spatial(const Pad& pad) {
  return pad.before.size() == 4 && pad.before[0] == 0 && pad.after[0] == 0 && pad.before[3] == 0 &&
         pad.after[3] == 0;
}

template <class Convolution>
bool absorb(Convolution& conv, const Pad& pad) {
  const Pads both = {conv.pads.top + pad.before[1], conv.pads.bottom + pad.after[1],
                     conv.pads.left + pad.before[2], conv.pads.right + pad.after[2]};
  const auto fits = [](std::int64_t padding) { return padding >= 0 && padding <= kMostOfWindow; };
  if (pad.value != conv.input_zero_point || !fits(both.top) || !fits(both.bottom) || !fits(both.left) ||
      !fits(both.right))
    return false;
  conv.pads = both;
  return true;
}

}  // namespace

Graph fold_pad(Graph graph) {
  const std::vector<NodeId> producer = producers(graph);
  std::vector<Replaced> replaced;
  for (Node& node : graph.nodes) {
    const NodeId front = node.inputs[0] == kNone ? kNone : producer[static_cast<std::size_t>(node.inputs[0])];
    if (front == kNone) continue;
    const auto* pad = std::get_if<Pad>(&graph.node(front).op);
    if (!pad || !spatial(*pad)) continue;
    const bool absorbed = std::visit(overloaded{
                                         [&](Conv2d& op) { return absorb(op, *pad); },
                                         [&](DepthwiseConv2d& op) { return absorb(op, *pad); },
                                         [](auto&) { return false; },
                                     },
                                     node.op);
    if (!absorbed) continue;
    replaced.push_back({node.inputs[0], node.output, Likeness::Within});
    node.inputs[0] = graph.node(front).inputs[0];
  }
  return drop_dead(std::move(graph), replaced);
}

}  // namespace vdla::graph
