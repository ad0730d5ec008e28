// SPDX-License-Identifier: Apache-2.0
// Device nodes of one step -> one program: DRAM places of their tensors, lowering, tensorization, code
// generation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/partition.h"

namespace vdla::pipeline {

/// `leaving` says which tensors are read after the step, by the host or by the caller. Of the options it
/// reads the variant, whether latency is hidden and whether activations may stay on chip.
DeviceStep device_segment(const graph::Graph& graph, const std::vector<PlacedNode>& nodes,
                          const std::vector<graph::NodeId>& group, const std::vector<bool>& leaving,
                          const CompileOptions& options);

/// Work of the busiest unit, by layer name and the closed forms of isa/timing.
std::map<std::string, double> estimated_cycles(const isa::Program& program, const isa::Timing& timing);

}  // namespace vdla::pipeline
