// SPDX-License-Identifier: Apache-2.0
// Schedules that a person wrote, and the layers of a network that they are for.
#pragma once

#include <vector>

#include "compiler/observe/written_schedule.h"
#include "compiler/pipeline/model.h"
#include "compiler/pipeline/place/group.h"

namespace vdla::pipeline {

/// Returns the schedule for the function of a group, by the name of any of its nodes; or null. ScheduleFault
/// for two.
const WrittenSchedule* written_for(const graph::Graph& graph, const Group& group,
                                   const WrittenSchedules& schedules);

/// ScheduleFault for a schedule of a layer that the network does not have.
void require_layers(const WrittenSchedules& schedules, const std::vector<NodeReport>& nodes);
/// ScheduleFault for a schedule of a layer that no step computes.
void require_steps(const WrittenSchedules& schedules, const std::vector<NodeReport>& nodes);

}  // namespace vdla::pipeline
