// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/steps/device_steps.h"

#include <algorithm>

#include "compiler/targets/vdla/segment/device_segment.h"

namespace vdla::pipeline {
namespace {

/// Tensors that something outside of the group reads: another group, or the caller.
std::vector<bool> leaving_tensors(const graph::Graph& g, const Placement& nodes, const Group& group) {
  std::vector<bool> result(g.tensors.size()), inside(nodes.size());
  for (graph::NodeId n : group.nodes) inside[at(n)] = true;
  for (graph::TensorId id : leaving(g)) result[at(id)] = true;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (graph::TensorId id : nodes[i].inputs)
      if (!inside[i] && id != graph::kNone) result[at(id)] = true;
  return result;
}

}  // namespace

bool has_instructions(const Placement& nodes, const Group& group) {
  return std::ranges::any_of(group.nodes, [&](graph::NodeId n) { return nodes[at(n)].op.has_value(); });
}

void add_device_step(CompiledModel& model, const Placement& nodes, const Group& group,
                     const CompileOptions& options) {
  DeviceStep step =
      device_segment(model.graph, nodes, group.nodes, leaving_tensors(model.graph, nodes, group), options,
                     model.variant.geometry);
  report_step(model.graph, nodes, group, step, static_cast<int>(model.steps.size()), model.variant,
              model.nodes);
  model.steps.emplace_back(std::move(step));
}

}  // namespace vdla::pipeline
