// SPDX-License-Identifier: Apache-2.0
// Pass: a requantize that only clamps (same scale and zero point) narrows the clamp of the operator before
// it, where no other node reads that one's result.
#include <algorithm>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/graph.h"
#include "support/overloaded.h"

namespace vdla::graph {

namespace {

/// The clamp of an operator that has one: pointers to its bounds.
std::pair<std::int32_t*, std::int32_t*> clamp_of(Op& op) {
  using Bounds = std::pair<std::int32_t*, std::int32_t*>;
  return std::visit(overloaded{
                        [](MaxPool2d& o) -> Bounds { return {&o.min, &o.max}; },
                        [](AvgPool2d& o) -> Bounds { return {&o.min, &o.max}; },
                        [](auto& o) -> Bounds {
                          if constexpr (requires { o.out.min; }) return {&o.out.min, &o.out.max};
                          return {nullptr, nullptr};
                        },
                    },
                    op);
}

bool only_clamps(const Requantize& op) {
  return op.out.multiplier.size() == 1 && op.out.multiplier[0] == Multiplier{1 << 30, 1} &&
         op.input_zero_point == op.out.zero_point;
}

}  // namespace

Graph fuse_clamp(Graph graph) {
  const auto at = [](std::int32_t id) { return static_cast<std::size_t>(id); };
  std::vector<Replaced> replaced;
  // Kept true while clamps go into the nodes in front of them.
  std::vector<NodeId> made_by = producers(graph);
  std::vector<int> readers(graph.tensors.size());
  for (const Node& node : graph.nodes)
    for (TensorId id : node.inputs)
      if (id != kNone) ++readers[at(id)];
  std::vector<bool> leaves(graph.tensors.size());
  for (TensorId id : leaving(graph)) leaves[at(id)] = true;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto* clamp = std::get_if<Requantize>(&graph.nodes[i].op);
    if (!clamp || !only_clamps(*clamp)) continue;
    const TensorId in = graph.nodes[i].inputs[0], out = graph.nodes[i].output;
    const NodeId front = made_by[at(in)];
    if (front == kNone || readers[at(in)] != 1 || leaves[at(in)]) continue;
    Node& producer = graph.nodes[at(front)];
    const auto [min, max] = clamp_of(producer.op);
    if (min == nullptr) continue;
    *min = std::clamp(*min, clamp->out.min, clamp->out.max);
    *max = std::clamp(*max, clamp->out.min, clamp->out.max);
    producer.output = out;
    graph.nodes[i].output = in;  // no node reads it now
    graph.nodes[i].inputs = {out};
    made_by[at(out)] = front;
    made_by[at(in)] = static_cast<NodeId>(i);
    --readers[at(in)];
    ++readers[at(out)];
    replaced.push_back({in, out, Likeness::Within});
  }
  return drop_dead(std::move(graph), replaced);
}

}  // namespace vdla::graph
