// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/graph/text/text.h"

namespace vdla::pipeline::gpu {
namespace {

std::string text_of(const graph::Tensor& tensor) {
  return fmt::format("{} {}{}", graph::name_of(tensor.type), graph::to_string(tensor.shape),
                     tensor.constant() ? " constant" : "");
}

/// An operator with its attributes that sizes follow from.
std::string text_of(const graph::Op& op) {
  const std::string sizes = graph::print_sizes(op);
  return fmt::format("{}{}{}", name_of(op), sizes.empty() ? "" : " ", sizes);
}

const graph::Node& anchor_of(const graph::Graph& graph, std::span<const graph::NodeId> group) {
  const auto found = std::ranges::find_if(
      group, [&](graph::NodeId id) { return !graph::is_injective(fusion_class_of(graph.node(id).op)); });
  return graph.node(found == group.end() ? group.back() : *found);
}

}  // namespace

KnobTask task_of(const graph::Graph& graph, std::span<const graph::NodeId> group, std::string_view by,
                 const KnobSpace& space) {
  const graph::Node& anchor = anchor_of(graph, group);
  std::vector<std::string> operands, others;
  for (const graph::TensorId id : anchor.inputs)
    operands.push_back(id == graph::kNone ? "-" : text_of(graph.tensor(id)));
  for (const graph::NodeId id : group)
    if (&graph.node(id) != &anchor) others.push_back(text_of(graph.node(id).op));
  const std::string result = text_of(graph.tensor(graph.node(group.back()).output));
  return {anchor.name,
          fmt::format("{}: {} of {} to {}", by, text_of(anchor.op), fmt::join(operands, ", "), result),
          others.empty() ? "alone" : fmt::format("with {}", fmt::join(others, ", ")), space, false};
}

}  // namespace vdla::pipeline::gpu
