// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/code/llvm_program.h"

#include "compiler/codegen/llvm/emulated.h"
#include "compiler/codegen/llvm/ptx.h"
#include "compiler/grid/kernels.h"
#include "compiler/loop/print.h"
#include "compiler/targets/gpu/code/launches.h"

namespace vdla::targets {

void require_llvm(const char*) {}

gpu::Program emulated_program(const loop::Func& lowered) {
  const grid::Launches launches = grid::split_launches(lowered);
  gpu::Program program = launched(launches, codegen::emulated_name);
  for (std::size_t i = 0; i < launches.kernels.size(); ++i)
    program.launches[i].shared_bytes =
        static_cast<std::size_t>(codegen::emulated_shared_bytes(launches.kernels[i]));
  const std::vector<std::byte> object = codegen::to_emulated(lowered);
  program.parts = {{{reinterpret_cast<const char*>(object.data()), object.size()}, loop::to_string(lowered)}};
  return program;
}

gpu::Program cuda_program(const loop::Func& lowered) {
  const grid::Launches launches = grid::split_launches(lowered);
  gpu::Program program = launched(launches, codegen::ptx_name);
  for (std::size_t i = 0; i < launches.kernels.size(); ++i)
    program.launches[i].shared_bytes =
        static_cast<std::size_t>(codegen::ptx_dynamic_bytes(launches.kernels[i]));
  program.parts = {{codegen::to_ptx(lowered, launches), loop::to_string(lowered)}};
  return program;
}

}  // namespace vdla::targets
