// SPDX-License-Identifier: Apache-2.0
// The rows of GPUs, which compute host steps as programs beside the device and the CPU.
// docs/how-to/add-a-target.md adds one.
#include <algorithm>
#include <utility>

#include "compiler/codegen/opencl/opencl.h"
#include "compiler/grid/kernels.h"
#include "compiler/loop/print.h"
#include "compiler/targets/gpu/code/launches.h"
#include "compiler/targets/gpu/code/llvm_program.h"
#include "compiler/targets/gpu/templates/grid_kernel.h"
#include "compiler/targets/target.h"
#include "runtime/module/gpu_segment.h"
#include "support/error.h"

namespace vdla::targets {
namespace {

/// The kernel of the nodes by the templates for the machine that the options name.
pipeline::GridKernel kernel_of(const Asked& asked) {
  const pipeline::gpu::GpuProfile& machine = asked.options.gpu->profile;
  if (asked.knobs.book)
    return grid_kernel_by(asked.graph, asked.nodes, machine, *asked.knobs.book, asked.watch);
  if (!asked.knobs.drawn_by)
    return grid_kernel_with(asked.graph, asked.nodes, machine, asked.knobs.text, asked.watch);
  const auto standard = pipeline::grid_kernel(asked.graph, asked.nodes, machine);
  VDLA_CHECK_USER(standard.by.space) << "template '" << standard.by.name << "' has no knobs to draw";
  const auto point = standard.by.space->sample(*asked.knobs.drawn_by);
  VDLA_CHECK(point) << "the space of template '" << standard.by.name
                    << "' has its default point and gives none";
  return pipeline::grid_kernel(asked.graph, asked.nodes, machine, asked.watch, &*point);
}

Answer grid_function(const Asked& asked) {
  try {
    pipeline::GridKernel made = kernel_of(asked);
    return Function{.kernel = std::move(made.kernel),
                    .by = std::string(made.by.name),
                    .knobs = made.by.space ? made.by.space->text(made.point) : "",
                    .rounds = made.by.rounds()};
  } catch (const pipeline::BookFault&) {
    throw;  // nothing of a book is left out in silence
  } catch (const UserError& error) {
    return WhyNot{error.what()};
  }
}

double gpu_seconds(const Work& work) {
  double operations = 0;
  for (const graph::NodeId id : work.nodes) operations += work_of(work.graph, id);
  const pipeline::GpuSpeed& speed = work.options.gpu->speed;
  return operations / speed.operations_per_second + static_cast<double>(work.launches) * speed.launch_seconds;
}

double gpu_border(const pipeline::CompileOptions& options, double bytes) {
  return options.gpu->speed.start_seconds + bytes / options.gpu->speed.bytes_per_second;
}

template <const passes::Target& (*Table)()>
passes::Target grid_table(const isa::Geometry&, std::span<const intrinsics::Intrinsic>) {
  return Table();
}

const pipeline::KnobBook* gpu_book(const pipeline::CompileOptions& options) {
  return options.gpu && options.gpu->book ? &*options.gpu->book : nullptr;
}

gpu::Program opencl_program(const loop::Func& lowered) {
  const grid::Launches launches = grid::split_launches(lowered);
  gpu::Program program = launched(launches, codegen::opencl_name);
  program.parts = {{codegen::to_opencl(lowered, launches), loop::to_string(lowered)}};
  return program;
}

constexpr auto kCudaTable = grid_table<passes::cuda_target>, kOpenClTable = grid_table<passes::opencl_target>;

/// The emulator runs what LLVM makes of the functions of CUDA, on a CPU.
constexpr Target kRows[] = {
    {runtime::kKindCuda, grid_function, gpu_seconds, gpu_border, kCudaTable, gpu_book, cuda_program, "server",
     "CUDA"},
    {runtime::kKindOpenCl, grid_function, gpu_seconds, gpu_border, kOpenClTable, gpu_book, opencl_program,
     "desktop"},
    {runtime::kKindEmulator, grid_function, gpu_seconds, gpu_border, kCudaTable, gpu_book, emulated_program,
     "desktop", "the emulator", true},
};

}  // namespace

std::span<const Target> gpus() { return kRows; }

}  // namespace vdla::targets
