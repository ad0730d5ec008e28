// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/steps/schedules.h"

#include <algorithm>
#include <string>

#include "support/nearest.h"

namespace vdla::pipeline {

const WrittenSchedule* written_for(const graph::Graph& graph, const Group& group,
                                   const WrittenSchedules& schedules) {
  const WrittenSchedule* written = nullptr;
  for (const graph::NodeId n : group.nodes) {
    const WrittenSchedule* found = find_schedule(schedules, graph.node(n).name);
    if (found && written)
      found->refuse("one function computes this layer and '" + written->layer() + "', which has " +
                    written->by());
    if (found) written = found;
  }
  return written;
}

void require_layers(const WrittenSchedules& schedules, const std::vector<NodeReport>& nodes) {
  std::vector<std::string> names;
  for (const NodeReport& n : nodes) names.push_back(n.name);
  for (const auto& [layer, schedule] : schedules)
    if (std::ranges::count(names, layer) == 0)
      throw ScheduleFault(schedule.file() + ": the network has no layer '" + layer + "'" +
                          did_you_mean(layer, names) + "; vdla explain lists them");
}

void require_steps(const WrittenSchedules& schedules, const std::vector<NodeReport>& nodes) {
  for (const NodeReport& node : nodes)
    if (const WrittenSchedule* written = find_schedule(schedules, node.name); written && node.step < 0)
      written->refuse(kNoFunction);
}

}  // namespace vdla::pipeline
