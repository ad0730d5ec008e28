// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/host.h"
#include "compiler/codegen/llvm/ptx.h"
#include "tools/vdla/compile/kernel_object.h"

namespace vdla::tools {

std::vector<std::byte> kernel_object(const loop::Func& func, const std::string& source_file) {
  return codegen::to_object({&func, 1}, codegen::native_target(), source_file);
}

std::string kernel_llvm_ir(const loop::Func& func) {
  return codegen::to_llvm_ir(func, codegen::native_target());
}

std::string kernel_ptx(const loop::Func& func) { return codegen::to_ptx(func, grid::split_launches(func)); }

}  // namespace vdla::tools
