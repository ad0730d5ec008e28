// SPDX-License-Identifier: Apache-2.0
// The functions of a network on a device with a grid, each against the graph's nodes run one by one in the
// interpreter; and a network run so, function by function.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/options/options.h"
#include "kit/kernels/check_kernel.h"
#include "kit/kernels/kernel_device.h"
#include "support/error.h"

namespace vdla::kit {

struct LayerCheck {
  std::string layer;               ///< the last of the function's nodes
  std::vector<std::string> nodes;  ///< all of them, in order
  std::string by, knobs;           ///< the template and its knobs
  std::size_t launches = 0;
  std::int64_t threads = 0;       ///< threads of all launches
  std::int64_t shared_bytes = 0;  ///< the most that a block has
  std::string refused;            ///< not empty: why there is no program of it
  std::string failed;             ///< not empty: what the device did, a DeviceFault
  std::string unwatched;          ///< as of gpu::Loaded
  KernelCheck check;
};

/// A device did not take a program, or broke while it ran.
struct DeviceFault : UserError {
  using UserError::UserError;
};

struct NetworkCheckOptions {
  const KernelDevice* device = nullptr;
  pipeline::gpu::GpuProfile profile;  ///< the templates are for this one
  std::string layer;                  ///< only this node's function; empty: all
  std::uint64_t seed = 0;             ///< seed of the inputs, and of knobs
  std::string knobs;                  ///< as its template writes them; empty: the default ones
  unsigned points = 0;                ///< number of drawn knobs for each function, besides the default ones
};

/// A row for each function and choice of knobs; `seen` gets each as soon as it is there. The network is fed
/// with drawn inputs; each function is fed with what the interpreter computed before it. UserError for a
/// layer that is not there.
std::vector<LayerCheck> check_network(const graph::Graph& graph, const NetworkCheckOptions& options,
                                      const std::function<void(const LayerCheck&)>& seen = {});

/// Compiles the network for the device, by the templates' default knobs, and runs it: bytes of the model's
/// inputs to those of its outputs, in the model's types. UserError for what no kernel can have, DeviceFault
/// for what the device does.
std::vector<graph::Bytes> run_on_grid(const graph::Graph& graph, const std::vector<graph::Bytes>& inputs,
                                      const KernelDevice& device, const pipeline::gpu::GpuProfile& profile);

}  // namespace vdla::kit
