// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/code/llvm_program.h"
#include "support/error.h"

namespace vdla::targets {

void require_llvm(const char* machine) {
  throw UserError(std::string("no kernels for ") + machine +
                  ": this kit was built without LLVM; build it with LLVM 19");
}

gpu::Program emulated_program(const loop::Func&) { throw InternalError("opened without LLVM"); }
gpu::Program cuda_program(const loop::Func&) { throw InternalError("opened without LLVM"); }

}  // namespace vdla::targets
