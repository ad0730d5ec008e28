// SPDX-License-Identifier: Apache-2.0
// A GPU beside the device: steps of a compiled model that the CPU would run become programs of it. What it
// has no kernel for stays where it is.
#pragma once

#include "compiler/options/options.h"
#include "compiler/pipeline/model.h"

namespace vdla::pipeline {

/// Gives host steps to options.gpu. Steps change places, so that those of the GPU have few borders and others
/// run beside them. The model's nodes say where they went and why. UserError where the kit cannot make
/// kernels of this kind, and for a node of `on_gpu` that has none; BookFault for a record that finds no room.
void place_programs(CompiledModel& model, const CompileOptions& options);

}  // namespace vdla::pipeline
