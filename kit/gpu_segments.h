// SPDX-License-Identifier: Apache-2.0
// A GPU beside the device: steps of a compiled model that the CPU would run become programs of it. What it
// has no kernel for stays where it is.
//
//   pipeline::CompiledModel model = pipeline::compile(graph, options);
//   const auto segments = kit::take_host_steps(model, {.kind = "cuda", ...});
//   runtime::Module module = kit::to_module(model, kit::HostCode::Kept, segments);
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/gpu/profile.h"
#include "kit/grid_network.h"

namespace vdla::kit {

/// What a GPU is taken for beside the CPU of pipeline::HostSpeed; parameters, not measurements. The defaults
/// stand for a card in a slot.
struct GpuSpeed {
  double operations_per_second = 1e12;  ///< multiply-accumulates, or elements of other operators
  double bytes_per_second = 10e9;       ///< copied to it and back
  double start_seconds = 20e-6;         ///< of each run of a program: calls of the driver, a wait
  double launch_seconds = 5e-6;         ///< of each kernel
};

struct GpuTarget {
  std::string kind;                   ///< one of runtime::kGpuKinds
  pipeline::gpu::GpuProfile profile;  ///< the templates are for this one
  std::set<std::string> on_cpu;  ///< nodes that stay on the CPU, with what is computed together with them
  std::set<std::string> on_gpu;  ///< nodes that have to go to the GPU
  /// The CPU keeps steps that cost less there, borders included; nothing: the GPU gets all that it can.
  struct Costs {
    GpuSpeed gpu;
    pipeline::HostSpeed cpu;
  };
  std::optional<Costs> costs;
  std::optional<pipeline::KnobBook> book = {};  ///< knobs of functions, in the place of default ones
  pipeline::Observer observer = {};  ///< sees what the templates and the rows of the GPU's table make; none
};

/// Kernels of a kind for a machine of pipeline::gpu::profiles(); empty: server for cuda, else desktop.
GpuTarget gpu_target(const std::string& kind, const std::string& machine);
/// For a compile whose host steps a GPU takes: what only a CPU has use for is left out.
void set_for_gpu(pipeline::CompileOptions& options);

/// How targets of books for GPUs begin.
inline constexpr const char* kGpuBook = "gpu ";
/// What a book's knobs are for: "gpu kind=cuda machine=server".
std::string target_of(const GpuTarget& target);
/// UserError for a book of another target.
void require_book_for(const GpuTarget& target);

/// Host steps of a model that follow each other, as one program.
struct GpuSteps {
  std::string kind;
  std::size_t first_step = 0;
  GridNetwork network;                           ///< a function for each step
  std::vector<graph::TensorId> inputs, outputs;  ///< what crosses the border
};

/// Host steps between two steps of the device change places where that makes fewer borders. The model's
/// nodes say where they went and why. UserError where the kit cannot make kernels of this kind, for a node of
/// `on_gpu` that has none, and for a book of another target; BookFault for a record that finds no room.
std::vector<GpuSteps> take_host_steps(pipeline::CompiledModel& model, const GpuTarget& target);

}  // namespace vdla::kit
