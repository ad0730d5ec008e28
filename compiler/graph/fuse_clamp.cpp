// SPDX-License-Identifier: Apache-2.0
// Pass: a requantize that only clamps (same scale and zero point) narrows the clamp of the operator in front,
// where nobody else reads it.
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
  std::vector<Replaced> replaced;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto* clamp = std::get_if<Requantize>(&graph.nodes[i].op);
    if (!clamp || !only_clamps(*clamp)) continue;
    const TensorId in = graph.nodes[i].inputs[0];
    const NodeId front = producers(graph)[static_cast<std::size_t>(in)];
    if (front == kNone || consumers(graph)[static_cast<std::size_t>(in)].size() != 1) continue;
    if (std::any_of(graph.outputs.begin(), graph.outputs.end(),
                    [&](const Port& p) { return p.tensor == in; }))
      continue;
    Node& producer = graph.nodes[static_cast<std::size_t>(front)];
    const auto [min, max] = clamp_of(producer.op);
    if (min == nullptr) continue;
    *min = std::clamp(*min, clamp->out.min, clamp->out.max);
    *max = std::clamp(*max, clamp->out.min, clamp->out.max);
    producer.output = graph.nodes[i].output;
    graph.nodes[i].output = in;  // now nobody reads it
    graph.nodes[i].inputs = {producer.output};
    replaced.push_back({in, producer.output, Likeness::Within});
  }
  return drop_dead(std::move(graph), replaced);
}

}  // namespace vdla::graph
