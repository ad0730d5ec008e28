// SPDX-License-Identifier: Apache-2.0
// Device nodes of one step -> one program: DRAM places of their tensors, lowering, tensorization, code
// generation.
#pragma once

#include <vector>

#include "compiler/options/options.h"
#include "compiler/pipeline/place/placement.h"
#include "compiler/targets/vdla/segment/device_step.h"

namespace vdla::pipeline {

/// `leaving` says which tensors are read after the step, by the host or by the caller. Of the options it
/// reads the variant, whether latency is hidden and whether activations may stay on chip. Its geometry has
/// the rows that layers use, `machine` those of the array.
DeviceStep device_segment(const graph::Graph& graph, const Placement& nodes,
                          const std::vector<graph::NodeId>& group, const std::vector<bool>& leaving,
                          const CompileOptions& options, const isa::Geometry& machine);

}  // namespace vdla::pipeline
