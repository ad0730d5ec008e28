// SPDX-License-Identifier: Apache-2.0
// Programs of kernels that LLVM makes; without LLVM they are refused.
#pragma once

#include "compiler/loop/stmt.h"
#include "runtime/grid/program.h"

namespace vdla::targets {

/// UserError where the kit was built without LLVM; `machine` is what the programs are for.
void require_llvm(const char* machine);
/// For the emulator (runtime/gpu/emulator.h), of a function that went over the table of lowering for a grid.
gpu::Program emulated_program(const loop::Func& lowered);
/// Makes the program for GPUs of NVIDIA (runtime/gpu/cuda.h). UserError for a function without code.
gpu::Program cuda_program(const loop::Func& lowered);

}  // namespace vdla::targets
