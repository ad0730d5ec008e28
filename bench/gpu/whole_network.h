// SPDX-License-Identifier: Apache-2.0
// All of a network as one program of a GPU, with knobs that the caller chooses.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/pipeline/place/group.h"
#include "compiler/targets/gpu/program/network.h"

namespace vdla::bench::gpu {

/// Returns the knobs of the function of these nodes, as its template's space writes them; empty: the default
/// ones.
using ChooseKnobs = std::function<std::string(std::span<const graph::NodeId> group)>;

struct WholeNetwork {
  targets::GridNetwork network;
  std::vector<std::size_t> inputs, outputs;  ///< buffers, by port of the graph
};

/// Makes the programs of a graph that went through the passes for all targets. UserError for what no kernel
/// can have, and for knobs of another template.
WholeNetwork whole_network(const graph::Graph& graph, const targets::Target& target,
                           const pipeline::gpu::GpuProfile& profile, const ChooseKnobs& choose);

}  // namespace vdla::bench::gpu
