// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/code/code.h"

#include <algorithm>
#include <iterator>

#include "compiler/codegen/opencl/opencl.h"
#include "compiler/grid/kernels.h"
#include "compiler/loop/print.h"
#include "compiler/targets/gpu/code/launches.h"
#include "compiler/targets/gpu/code/llvm_program.h"
#include "runtime/gpu_segment.h"
#include "support/error.h"

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
    {{runtime::kKindCuda, passes::cuda_target, cuda_program}, "CUDA"},
    {{runtime::kKindOpenCl, passes::opencl_target, opencl_program}, nullptr},
    {{runtime::kKindEmulator, passes::cuda_target, emulated_program}, "the emulator"},
};

}  // namespace

const GpuCode& gpu_code(std::string_view kind) {
  const auto found = std::ranges::find(kRows, kind, [](const Row& row) { return row.code.kind; });
  VDLA_CHECK(found != std::end(kRows)) << "kind of GPU '" << kind << "'";
  if (found->by_llvm) require_llvm(found->by_llvm);
  return found->code;
}

}  // namespace vdla::targets
