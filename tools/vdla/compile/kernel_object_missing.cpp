// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"
#include "tools/vdla/compile/kernel_object.h"

namespace vdla::tools {
namespace {

[[noreturn]] void refuse_kernel(const loop::Func& func) {
  throw UserError("no machine code of '" + func.name +
                  "': this kit was built without LLVM; build it with LLVM 19");
}

}  // namespace

std::vector<std::byte> kernel_object(const loop::Func& func, const std::string&) { refuse_kernel(func); }
std::string kernel_llvm_ir(const loop::Func& func) { refuse_kernel(func); }
std::string kernel_ptx(const loop::Func& func) { refuse_kernel(func); }

}  // namespace vdla::tools
