// SPDX-License-Identifier: Apache-2.0
#include "kit/llvm_program.h"
#include "support/error.h"

namespace vdla::kit {

namespace {

[[noreturn]] void refuse_program(const loop::Func& func, const char* machine) {
  throw UserError("no code of '" + func.name + "' for " + machine +
                  ": this kit was built without LLVM; build it with LLVM 19");
}

}  // namespace

gpu::Program emulated_program(const loop::Func& lowered) { refuse_program(lowered, "the emulator"); }
gpu::Program cuda_program(const loop::Func& lowered) { refuse_program(lowered, "CUDA"); }

}  // namespace vdla::kit
