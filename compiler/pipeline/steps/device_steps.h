// SPDX-License-Identifier: Apache-2.0
// Steps of the device.
#pragma once

#include "compiler/options/options.h"
#include "compiler/pipeline/model.h"
#include "compiler/pipeline/place/group.h"
#include "compiler/pipeline/place/placement.h"

namespace vdla::pipeline {

/// Whether a group of the device has an instruction: where it is nothing but reshapes, the CPU copies.
bool has_instructions(const Placement& nodes, const Group& group);

/// Compiles a group of the device to a step, and adds to the reports of its nodes what it makes of them.
void add_device_step(CompiledModel& model, const Placement& nodes, const Group& group,
                     const CompileOptions& options);

}  // namespace vdla::pipeline
