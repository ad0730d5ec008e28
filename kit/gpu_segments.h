// SPDX-License-Identifier: Apache-2.0
// A GPU beside the device: steps of a compiled model that the CPU would run become programs of it. What it
// has no kernel for stays where it is.
//
//   pipeline::CompiledModel model = pipeline::compile(graph, options);
//   const auto segments = kit::take_host_steps(model, {.kind = "cuda", ...});
//   runtime::Module module = kit::to_module(model, kit::HostCode::Kept, segments);
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/gpu/profile.h"
#include "kit/gpu_costs.h"
#include "kit/grid_network.h"

namespace vdla::kit {

struct GpuTarget {
  std::string kind;                   ///< one of runtime::kGpuKinds
  pipeline::gpu::GpuProfile profile;  ///< the templates are for this one
  std::set<std::string> on_cpu;  ///< nodes that stay on the CPU, with what is computed together with them
  std::set<std::string> on_gpu;  ///< nodes that have to go to the GPU
  /// Costs by which steps go apart from others, to run beside those of the device.
  GpuCosts costs = {};
  /// Whether the CPU keeps steps that cost less there, borders included; false: the GPU gets all that it can.
  bool cpu_keeps = false;
  std::optional<pipeline::KnobBook> book = {};  ///< knobs of functions, in the place of default ones
  pipeline::Observer observer = {};  ///< sees what the templates and the rows of the GPU's table make; none
};

/// Kernels of a kind for a machine of pipeline::gpu::profiles(); empty: server for cuda, else desktop.
GpuTarget gpu_target(const std::string& kind, const std::string& machine);
/// For a compile whose host steps a GPU takes: what only a CPU has use for is left out.
void set_for_gpu(pipeline::CompileOptions& options);

/// Prefix of the targets of books for GPUs.
inline constexpr const char* kGpuBook = "gpu ";
/// Target of a book's knobs: "gpu kind=cuda machine=server".
std::string target_of(const GpuTarget& target);
/// UserError for a book of another target.
void require_book_for(const GpuTarget& target);

/// Host steps of a model that follow each other, as one program.
struct GpuSteps {
  std::string kind;
  std::size_t first_step = 0;
  GridNetwork network;                           ///< a function for each step
  std::vector<graph::TensorId> inputs, outputs;  ///< tensors that cross the border
};

/// Steps change places, so that those of the GPU have few borders and others run beside them. The model's
/// nodes say where they went and why. UserError where the kit cannot make kernels of this kind, for a node of
/// `on_gpu` that has none, and for a book of another target; BookFault for a record that finds no room.
std::vector<GpuSteps> take_host_steps(pipeline::CompiledModel& model, const GpuTarget& target);

}  // namespace vdla::kit
