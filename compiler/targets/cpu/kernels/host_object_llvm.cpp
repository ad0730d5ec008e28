// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/host.h"
#include "compiler/observe/pass_list.h"
#include "compiler/targets/cpu/kernels/host_object.h"
#include "support/error.h"

namespace vdla::pipeline {

namespace {

/// A level of x86-64, without what only some of its machines have.
codegen::HostTarget level_named(const std::string& cpu) {
  for (const codegen::HostTarget& target : codegen::portable_targets())
    if (target.cpu == cpu && target.features.empty()) return target;
  throw UserError("code for " + cpu + " is wanted, and this machine is a " +
                  codegen::portable_target().triple + "; compile for its own CPU");
}

std::vector<codegen::HostTarget> targets(const CompileOptions& options) {
  std::vector<codegen::HostTarget> others;
  for (const CpuTarget& cpu : options.other_cpus) others.push_back({cpu.triple, cpu.cpu, cpu.features});
  if (!others.empty()) return others;
  switch (options.cpu_code) {
    case CpuCode::Portable:
      return {codegen::portable_target()};
    case CpuCode::Levels:
      return codegen::portable_targets();
    case CpuCode::Native:
      return {codegen::native_target()};
    case CpuCode::Avx2:
      return {level_named("x86-64-v3")};
    case CpuCode::Avx512:
      return {level_named("x86-64-v4")};
  }
  return {};
}

}  // namespace

std::vector<HostObject> host_objects(const std::vector<loop::Func>& funcs, const CompileOptions& options) {
  std::vector<HostObject> objects;
  for (const codegen::HostTarget& target : targets(options))
    objects.push_back({target.triple, target.cpu, target.features,
                       codegen::to_object(funcs, target, options.kernel_source)});
  return objects;
}

void show_llvm_ir(const loop::Func& func, const CompileOptions& options, const Watch& watch) {
  for (const codegen::HostTarget& target : targets(options))
    watch(Pass::LlvmIr, func.name, [&] { return codegen::to_llvm_ir(func, target); });
}

}  // namespace vdla::pipeline
