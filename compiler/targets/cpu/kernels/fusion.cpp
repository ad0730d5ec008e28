// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/kernels/fusion.h"

#include <cstddef>
#include <string>

#include "compiler/graph/fuse.h"
#include "compiler/knobs/choice.h"

namespace vdla::pipeline {
namespace {

constexpr std::size_t kNo = 0, kYes = 1;  // values of the choice

Choice choice_behind(const graph::Node& node, const KnobBook& book) {
  return {&book, "readers of '" + node.name + "'", "fused", {"no", "yes"}};
}

std::string note_of(std::size_t taken, const Choice& choice) {
  if (!choice.wanted()) return "";
  return (taken == kYes ? "computed with what reads it" : "its result is stored, what reads it stays apart") +
         choice.by();
}

}  // namespace

Fusion fuse_by_book(const graph::Graph& graph, const std::vector<bool>& fusible, const KnobBook* book) {
  if (!book) return {graph::fuse(graph, fusible), {}};
  std::vector<bool> stored;
  for (const graph::Node& node : graph.nodes) stored.push_back(choice_behind(node, *book).wanted() == kNo);
  Fusion fusion{graph::fuse(graph, fusible, stored), {}};
  const auto joined = [](const std::vector<graph::NodeId>& last, std::size_t node) {
    return static_cast<std::size_t>(last[node]) != node;
  };
  // Whether the node would be with its readers if it were for its own record alone.
  const auto could_join = [&](std::size_t node) {
    std::vector<bool> others = stored;
    others[node] = false;
    return joined(graph::fuse(graph, fusible, others), node);
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const bool is_joined = joined(fusion.last, i);
    if (!is_joined && !(stored[i] && could_join(i))) continue;
    const graph::Node& node = graph.nodes[i];
    const Choice choice = choice_behind(node, *book);
    const std::size_t taken = is_joined ? kYes : kNo;
    fusion.choices.push_back({node.name, note_of(taken, choice), choice.task(taken)});
  }
  return fusion;
}

}  // namespace vdla::pipeline
