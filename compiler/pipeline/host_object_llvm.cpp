// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/host.h"
#include "compiler/pipeline/host_object.h"

namespace vdla::pipeline {

std::vector<HostObject> host_objects(const std::vector<loop::Func>& funcs) {
  const codegen::HostTarget target = codegen::portable_target();
  return {{target.triple, target.cpu, target.features, codegen::to_object(funcs, target)}};
}

}  // namespace vdla::pipeline
