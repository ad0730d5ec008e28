// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/host.h"
#include "compiler/pipeline/host/host_object.h"

namespace vdla::pipeline {

namespace {

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
