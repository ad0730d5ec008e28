// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/host.h"
#include "compiler/pipeline/host/host_object.h"

namespace vdla::pipeline {

namespace {

std::vector<codegen::HostTarget> targets(CpuCode code) {
  switch (code) {
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

std::vector<HostObject> host_objects(const std::vector<loop::Func>& funcs, CpuCode code,
                                     const std::string& source_file) {
  std::vector<HostObject> objects;
  for (const codegen::HostTarget& target : targets(code))
    objects.push_back(
        {target.triple, target.cpu, target.features, codegen::to_object(funcs, target, source_file)});
  return objects;
}

void show_llvm_ir(const loop::Func& func, CpuCode code, const Watch& watch) {
  for (const codegen::HostTarget& target : targets(code))
    watch(Pass::LlvmIr, func.name, [&] { return codegen::to_llvm_ir(func, target); });
}

}  // namespace vdla::pipeline
