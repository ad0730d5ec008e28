// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/code/code.h"

#include "compiler/passes/target.h"

namespace vdla::host {

loop::Func lowered(const loop::Func& func) { return passes::lower(passes::cpu_target(), func); }

std::string to_llvm_ir(const loop::Func& func, const codegen::HostTarget& target, bool optimise) {
  return codegen::to_llvm_ir(lowered(func), target, optimise);
}

std::vector<std::byte> to_object(std::span<const loop::Func> funcs, const codegen::HostTarget& target) {
  std::vector<loop::Func> result;
  for (const loop::Func& func : funcs) result.push_back(lowered(func));
  return codegen::to_object(result, target);
}

}  // namespace vdla::host
