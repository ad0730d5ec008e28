// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/code/code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "compiler/codegen/opencl/opencl.h"
#include "compiler/grid/kernels.h"
#include "compiler/loop/print.h"
#include "compiler/targets/gpu/code/launches.h"
#include "compiler/targets/gpu/code/llvm_program.h"
#include "runtime/module/gpu_segment.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::targets {
namespace {

gpu::Program opencl_program(const loop::Func& lowered) {
  const grid::Launches launches = grid::split_launches(lowered);
  gpu::Program program = launched(launches, codegen::opencl_name);
  program.parts = {{codegen::to_opencl(lowered, launches), loop::to_string(lowered)}};
  return program;
}

struct Row {
  GpuCode code;
  const char* by_llvm;  ///< machine that LLVM makes the programs for; null: they need no LLVM
};

/// The emulator runs what LLVM makes of the functions of CUDA, on a CPU.
constexpr Row kRows[] = {
    {{runtime::kKindCuda, "server", false, passes::cuda_target, cuda_program}, "CUDA"},
    {{runtime::kKindOpenCl, "desktop", false, passes::opencl_target, opencl_program}, nullptr},
    {{runtime::kKindEmulator, "desktop", true, passes::cuda_target, emulated_program}, "the emulator"},
};

const Row& row_of(std::string_view kind) {
  const auto found = std::ranges::find(kRows, kind, [](const Row& row) { return row.code.kind; });
  VDLA_CHECK_USER(found != std::end(kRows))
      << "no kind of GPU is called '" << kind << "'; there are "
      << fmt::format("{}", fmt::join(gpu_kinds(), ", ")) << did_you_mean(kind, gpu_kinds());
  return *found;
}

}  // namespace

std::vector<std::string> gpu_kinds() {
  std::vector<std::string> kinds;
  for (const Row& row : kRows) kinds.emplace_back(row.code.kind);
  return kinds;
}

const GpuCode& gpu_code(std::string_view kind) {
  const Row& row = row_of(kind);
  if (row.by_llvm) require_llvm(row.by_llvm);
  return row.code;
}

pipeline::GpuOptions gpu_options(const std::string& kind, const std::string& machine) {
  const std::string_view standard = row_of(kind).code.machine;
  return {.kind = kind, .profile = pipeline::gpu::profile_named(machine.empty() ? standard : machine)};
}

}  // namespace vdla::targets
