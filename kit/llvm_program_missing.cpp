// SPDX-License-Identifier: Apache-2.0
#include "kit/llvm_program.h"
#include "support/error.h"

namespace vdla::kit {

gpu::Program emulated_program(const loop::Func& lowered) {
  throw UserError("no code of '" + lowered.name +
                  "' for the emulator: this kit was built without LLVM; build it with LLVM 19");
}

}  // namespace vdla::kit
